import { describe, expect, test } from 'vitest';
import { Cli } from './cli.ts';
import { flagTable, readOptions } from './flags.ts';
import { readPlainFlags } from './plain-flags.ts';
import { createProgram } from './program.ts';

const cli = new Cli();

/** The options as commander reads them; undefined where it finds something wrong or something else. */
async function byCommander(argv: readonly string[]): Promise<unknown> {
  let options: unknown;
  const program = createProgram(cli, async () => {
    options = cli.options;
  });
  await program.run(argv).catch(() => {});
  return options;
}

/** A value that each flag takes, by its name. */
const values: Readonly<Record<string, string>> = {
  outputFormat: 'json',
  inputFormat: 'text',
  resume: 'abc',
  sessionId: 'b0a1c2d3-0000-4000-8000-000000000000',
  effort: 'high',
  maxTurns: '3',
  maxBudgetUsd: '0.5',
  timeout: '7.5',
  permissionMode: 'plan',
  allowedTools: 'ls,glob',
  disallowedTools: 'bash(git log *)',
  lang: 'zh',
  sandbox: 'off',
};

const forms = Object.entries(flagTable).flatMap(([key, spec]) => {
  const written = [spec.flags, 'alias' in spec ? spec.alias : ''].join(' ').match(/(?<!\S)--?[\w-]+/g) ?? [];
  return written.map((name) => ('parse' in spec ? [name, values[key] ?? 'some text'] : [name]));
});

describe('what is read without commander is what commander would read', () => {
  test.each(forms.map((words) => [words.join(' '), words]))('%s', async (_, words) => {
    const plain = readPlainFlags(words);
    const options = plain && attempt(() => readOptions(plain));
    expect(options).toEqual(await byCommander(words));
    expect(plain).toBeDefined();
  });

  test('any two after each other, with the same one twice', async () => {
    for (const first of forms) {
      for (const second of forms) {
        const words = [...first, ...second, ...first];
        const plain = readPlainFlags(words);
        const options = plain && attempt(() => readOptions(plain));
        expect(options, words.join(' ')).toEqual(await byCommander(words));
      }
    }
  });

  test.each([
    [['-p']],
    [['-p', '--help']],
    [['-p', '-']],
    [['--print']],
    [['-p', '', '--verbose']],
    [['--verify', '-p', '-p', 'x']],
  ])('%j', async (words) => {
    const plain = readPlainFlags(words);
    expect(plain && readOptions(plain)).toEqual(await byCommander(words));
  });
});

test.each([
  [['--help']],
  [['-h']],
  [['--version']],
  [['help']],
  [['sessions', 'list']],
  [['--verbose', 'plan', 'x']],
  [['-p', 'a', 'b']],
  [['-pa']],
  [['-cp', 'a']],
  [['--print=a']],
  [['--prin', 'a']],
  [['--', '-p', 'a']],
  [['--model']],
  [['--max-turns', 'many']],
  [['--toString', 'x']],
  [['__proto__']],
])('commander has to look at %j', (words) => {
  expect(readPlainFlags(words)).toBeUndefined();
});

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
