// Files that a hook in force runs: nobody changes them unasked, and a changed one does not run.
import { existsSync } from 'node:fs';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome, type TempHome } from '../testing/temp-home.ts';
import { trustFolder } from './__fixtures__/trust-folder.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const run = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const script = '#!/bin/sh\ntouch ran\n';

let place: TempHome;
let harness: Harness | undefined;
let warnings: string[];

beforeEach(async () => {
  warnings = [];
  place = await createTempHome({
    'check.sh': script,
    'scripts/my tests.sh': script,
    'real/check.sh': script,
    'plain.txt': 'old',
  });
  for (const name of ['check.sh', 'scripts/my tests.sh', 'real/check.sh'])
    await chmod(join(place.workspace, name), 0o755);
  await symlink('real/check.sh', join(place.workspace, 'link.sh'));
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await place.remove();
});

type Call = { name: string; input: JsonObject };
const write = (file_path: string): Call => ({
  name: 'write_file',
  input: { file_path, content: '#!/bin/sh\ntouch evil\n' },
});
const bash = (command: string): Call => ({ name: 'bash', input: { command } });

async function hooksOfFolder(hooks: JsonObject): Promise<void> {
  await place.write({ '.rein/config.json': JSON.stringify({ hooks }) });
  await trustFolder(place.home, place.workspace);
}

async function open(calls: readonly Call[], options: Partial<HarnessOptions> = {}) {
  const turns = calls.map((call) => ({ calls: [call] }));
  const provider = createScriptedProvider({ script: [...turns, { text: 'done' }] });
  const env = { PATH: process.env.PATH, HOME: join(place.home, '..', 'user') };
  const flags = { permissionMode: 'acceptEdits', sandbox: 'external', ...options.flags } as const;
  const onWarning = ({ params }: { params?: Readonly<Record<string, unknown>> }) =>
    void warnings.push(String(params?.detail ?? ''));
  harness = await createHarness({
    home: place.home,
    cwd: place.workspace,
    env,
    provider,
    onWarning,
    ...options,
    flags,
  });
  return { session: await harness.open(), provider };
}

/** Makes the calls with nobody to ask; gives those that were refused for that. */
async function refusedOf(calls: readonly Call[], options: Partial<HarnessOptions> = {}): Promise<string[]> {
  const { session } = await open(calls, options);
  const { refused } = await session.run('go');
  return refused.map(({ input }) => String(input.file_path ?? input.command));
}

const there = (...names: string[]) => names.filter((name) => existsSync(join(place.workspace, name)));

describe('security C7: a file that a hook of the folder runs', () => {
  const commands = ['./check.sh', 'sh -c "bash \'scripts/my tests.sh\'"', './link.sh', 'sh ./later.sh || true'];
  beforeEach(() => hooksOfFolder({ Stop: commands.flatMap(run) }));

  it.each(['acceptEdits', 'bypassPermissions'] as const)('is asked about by tools and commands in %s', async (mode) => {
    const calls = [
      ...['check.sh', 'scripts/my tests.sh', 'link.sh', 'real/check.sh', 'later.sh', './scripts/../check.sh'].map(
        write,
      ),
      ...[
        'printf x > check.sh',
        'cp plain.txt later.sh',
        'mv scripts old',
        'rm real/check.sh',
        'ln -sf plain.txt link.sh',
      ].map(bash),
    ];
    const wanted = calls.map(({ input }) => String(input.file_path ?? input.command));
    const allow = ['write_file', 'bash'];
    expect(await refusedOf(calls, { flags: { permissionMode: mode, allow } })).toEqual(wanted);
    expect([await place.read('check.sh'), there('evil', 'later.sh', 'old')]).toEqual([script, []]);
  });

  it('other files are changed as ever, beside it too', async () => {
    const calls = [...['plain.txt', 'scripts/new.sh', 'new.sh'].map(write), bash('cp plain.txt other.txt')];
    expect(await refusedOf(calls)).toEqual([]);
  });

  it('is read-only in the sandbox, in every way that a command has', async () => {
    const others = ['echo x > real/check.sh', 'mv scripts old', 'rm -f check.sh', 'mv check.sh x'];
    const commands = ['f=check.sh; printf x > $f', 'python3 -c \'open("check.sh","w").write("x")\'', ...others];
    const { session, provider } = await open(commands.map(bash), {
      flags: { sandbox: 'required', permissionMode: 'bypassPermissions' },
      interactive: true,
    });
    const outcome = session.run('go');
    session.listen((event) => {
      if (event.type !== 'interrupt-open') return;
      const { id, digest } = event.interrupt;
      void session.answer(id, { decision: 'approve', digest });
    });
    await outcome;
    const results = provider.requests.at(-1)?.results.map(({ text }) => /Read-only|busy/i.test(text));
    expect(results).toEqual(commands.map(() => true));
    for (const name of ['check.sh', 'scripts/my tests.sh', 'real/check.sh'])
      expect(await place.read(name)).toBe(script);
  });
});

describe('security C5: a file that changed while the session runs', () => {
  const change = (name: string) => ({ name: 'bash', input: { command: `f=${name}; printf 'touch evil' > "$f"` } });
  const options = { flags: { permissionMode: 'bypassPermissions' } } as const;

  it.each([
    ['a script', './check.sh', 'check.sh'],
    ['the script of an interpreter', 'sh check.sh', 'check.sh'],
    ['a path with blanks', '"scripts/my tests.sh"', '"scripts/my tests.sh"'],
    ['a command in a command', 'sh -c "./check.sh"', 'check.sh'],
    ['what a link leads to', './link.sh', 'real/check.sh'],
    ['one that was not there', 'sh ./later.sh || true', 'later.sh'],
  ])('%s: the policy hook refuses, and nothing of it runs', async (_, command, changed) => {
    await hooksOfFolder({ PreToolUse: [{ matcher: 'write_file', ...run(command)[0] }] });
    const { session, provider } = await open([change(changed), write('new.txt')], options);
    await session.run('go');
    const told = provider.requests.at(-1)?.results.at(-1)?.text ?? '';
    expect([there('evil', 'ran', 'new.txt'), told]).toEqual([[], expect.stringContaining('say `rein trust`')]);
  });

  it('an observer is passed over with a warning', async () => {
    await hooksOfFolder({ Stop: run('sh check.sh') });
    const { session } = await open([change('check.sh')], options);
    await session.run('go');
    await harness!.close();
    expect([there('evil', 'ran'), warnings]).toEqual([[], [expect.stringContaining('say `rein trust`')]]);
  });

  it('a hook of the user that runs a file of the folder is held to how the session began', async () => {
    const hooks = { PreToolUse: [{ matcher: 'write_file', ...run('sh check.sh')[0] }] };
    await writeFile(join(place.home, 'config.json'), JSON.stringify({ hooks }));
    const { session } = await open([write('one.txt'), change('check.sh'), write('two.txt')], options);
    await session.run('go');
    expect(there('ran', 'one.txt', 'evil', 'two.txt')).toEqual(['ran', 'one.txt']);
  });

  it('what is as it was runs', async () => {
    await hooksOfFolder({ PreToolUse: [{ matcher: 'write_file', ...run('./link.sh && "scripts/my tests.sh"')[0] }] });
    const { session } = await open([write('new.txt')], options);
    await session.run('go');
    expect(there('ran', 'new.txt')).toEqual(['ran', 'new.txt']);
  });
});
