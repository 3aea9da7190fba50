import { describe, expect, test } from 'vitest';
import { ReinError } from '../../protocol/errors.ts';
import { loadLanguage, renderError } from '../../services/i18n/translate.ts';
import { Cli } from './cli.ts';
import { splitRules } from './flags.ts';
import { createProgram } from './program.ts';

await loadLanguage('en');
const cli = new Cli();

/** What was read, or the text of the error. Only the command-less program runs. */
async function read(args: readonly string[]) {
  let options: unknown;
  const program = createProgram(cli, async () => {
    options = cli.options;
  });
  try {
    await program.run(args);
    return options;
  } catch (error) {
    if (!ReinError.is(error)) throw error;
    return `${error.code}: ${renderError(error, 'en').message}`;
  }
}

test('nothing typed', async () => {
  expect(await read([])).toEqual({
    outputFormat: 'text',
    inputFormat: 'text',
    includePartialMessages: false,
    continue: false,
    forkSession: false,
    plan: false,
    verify: [],
    images: [],
    verbose: false,
    harness: {},
  });
});

test('every flag arrives where it belongs', async () => {
  const args = `-p hi --output-format stream-json --include-partial-messages -r abc --fork-session -m a/b --fallback-model c/d
    --effort high -i 1.png -i 2.png --max-turns 3 --max-budget-usd 0.5 --timeout 7.5 --permission-mode plan --allowedTools ls,glob
    --allowed-tools grep --disallowedTools bash --disallowed-tools task --add-dir x --add-dir y --settings s.json
    --append-system-prompt more --plan --verify make --verify lint --json-schema a.json -C sub -s off --lang zh --verbose`;
  expect(await read(args.split(/\s+/))).toEqual({
    print: 'hi',
    outputFormat: 'stream-json',
    inputFormat: 'text',
    includePartialMessages: true,
    continue: false,
    resume: 'abc',
    forkSession: true,
    images: ['1.png', '2.png'],
    plan: true,
    verify: ['make', 'lint'],
    jsonSchema: 'a.json',
    cd: 'sub',
    verbose: true,
    lang: 'zh',
    harness: {
      lang: 'zh',
      model: 'a/b',
      fallbackModel: 'c/d',
      effort: 'high',
      permissionMode: 'plan',
      allow: ['ls', 'glob', 'grep'],
      deny: ['bash', 'task'],
      sandbox: 'off',
      maxTurns: 3,
      maxBudgetUsd: 0.5,
      timeoutSeconds: 7.5,
      addDirs: ['x', 'y'],
      appendSystemPrompt: 'more',
      settings: 's.json',
    },
  });
});

describe('wrong arguments', () => {
  test.each([
    [['--modle', 'x', '-p', 'x'], '--model'],
    [['--output-format', 'jsn', '-p', 'x'], 'json'],
    [['--output-format'], '--output-format'],
    [['--input-format', 'xml'], 'stream-json'],
    [['--effort', 'hihg', '-p', 'x'], 'high'],
    [['--max-turns', '0', '-p', 'x'], '--max-turns'],
    [['--max-turns', '1.5', '-p', 'x'], '--max-turns'],
    [['--max-turns', 'many', '-p', 'x'], '--max-turns'],
    [['--max-budget-usd', '-1', '-p', 'x'], '--max-budget-usd'],
    [['--max-budget-usd', '0', '-p', 'x'], '--max-budget-usd'],
    [['--timeout', '0', '-p', 'x'], '--timeout'],
    [['--timeout', '99999999', '-p', 'x'], '--timeout'],
    [['--timeout', '1e3', '-p', 'x'], '--timeout'],
    [['--permission-mode', 'acceptedits', '-p', 'x'], 'acceptEdits'],
    [['--sandbox', 'on', '-p', 'x'], 'required'],
    [['--lang', 'fr', '-p', 'x'], 'zh-TW'],
    [['--session-id', '../x', '-p', 'x'], '--session-id'],
    [['--session-id', 'x', '-p', 'x'], '--session-id'],
    [['--session-id', '11111111-2222-4333-8444-55555555555', '-p', 'x'], '--session-id'],
    ...['--resume', '--model', '--fallback-model', '--image', '--add-dir', '--settings', '--cd', '--verify'].map(
      (flag): [string[], string] => [[flag, ' ', '-p', 'x'], `${flag} needs a value`],
    ),
    [['--json-schema', '', '-p', 'x'], '--json-schema needs a value'],
    [['-c', '-r', 'x', '-p', 'x'], '--continue'],
    [['--session-id', '11111111-2222-4333-8444-555555555555', '-c', '-p', 'x'], '--session-id and --continue'],
    [['--fork-session', '-p', 'x'], '--resume'],
    [['--include-partial-messages', '-p', 'x'], 'stream-json'],
    [['--input-format', 'stream-json', '-p', 'x'], '-p'],
    [['sesions'], 'sessions'],
    [['sessions', 'lst'], 'list'],
    [['sessions', 'fork'], '<id>'],
    [['sessions', 'list', 'x'], 'x'],
    [['sessions', 'list', '--limit', '0'], '--limit'],
    [['sessions', 'list', '--limits', '1'], '--limit'],
    [['analyze'], '<folder>'],
  ])('%j names %s', async (args, named) => {
    const text = await read(args);
    expect(text).toMatch(/^E_USAGE: [^\n?]*(\? Did you mean .*)?/);
    expect(text).toContain(named);
  });
});

test.each([
  ['bash', ['bash']],
  ['Bash(git log *), Edit(src/**)', ['Bash(git log *)', 'Edit(src/**)']],
  ['a b,c', ['a', 'b', 'c']],
  ['bash(git log', ['bash(git log']],
  ['bash(echo (a))', ['bash(echo (a))']],
  [' , ', []],
])('rules in %j', (text, rules) => {
  expect(splitRules(text)).toEqual(rules);
});
