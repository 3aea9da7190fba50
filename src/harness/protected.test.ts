// What no mode lets pass by itself: files that run or configure something, and folders that hold too much.
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome, type TempHome } from '../testing/temp-home.ts';
import { trustFolder } from './__fixtures__/trust-folder.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

let place: TempHome;
let harness: Harness | undefined;

beforeEach(async () => {
  place = await createTempHome({
    '.git/config': 'old',
    '.git/hooks/pre-commit': 'old',
    '.rein/config.json': '{}',
    '.mcp.json': '{}',
    'plain.txt': 'old',
  });
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await place.remove();
});

type Call = { name: string; input: Record<string, string> };
const write = (file_path: string): Call => ({ name: 'write_file', input: { file_path, content: 'new' } });
const edit = (file_path: string): Call => ({
  name: 'edit_file',
  input: { file_path, old_string: 'old', new_string: 'new' },
});
const bash = (command: string): Call => ({ name: 'bash', input: { command } });

/** Makes the calls, one a turn, with nobody to ask; gives those that were refused for that. */
async function refusedOf(calls: readonly Call[], options: Partial<HarnessOptions> = {}): Promise<string[]> {
  const turns = calls.map((call) => ({ calls: [call] }));
  const provider = createScriptedProvider({ script: [...turns, { text: 'done' }] });
  const env = { PATH: process.env.PATH, HOME: join(place.home, '..', 'user') };
  const flags = { permissionMode: 'acceptEdits', sandbox: 'external', ...options.flags } as const;
  harness = await createHarness({ home: place.home, cwd: place.workspace, env, provider, ...options, flags });
  const { refused } = await (await harness.open()).run('go');
  await harness.close();
  return refused
    .filter(({ refusal }) => refusal === 'nobody')
    .map(({ input }) => String(input.file_path ?? input.command));
}

describe('protected names in acceptEdits, trusted', () => {
  beforeEach(() => trustFolder(place.home, place.workspace));

  it('security C7: no tool changes what governs it, whether it is there or not', async () => {
    const paths = [
      ...['.git/config', '.git/hooks/pre-commit', '.git/hooks/new', 'sub/.git/hooks/new', '.rein/config.json'],
      ...['.rein/hooks/x.js', '.rein/tools/x.ts', '.claude/settings.json', '.mcp.json', 'mcp.json', 'sub/.mcp.json'],
      ...['.husky/pre-commit', '.github/workflows/x.yml', '.envrc', '.bashrc', '.gitlab-ci.yml'],
      ...[join(place.home, 'config.json'), join(place.home, 'hooks/x.js')],
    ];
    expect(await refusedOf([...paths.map(write), edit('.git/config'), edit('.git/hooks/pre-commit')])).toEqual([
      ...paths,
      '.git/config',
      '.git/hooks/pre-commit',
    ]);
    expect([
      await place.read('.git/config'),
      await place.read('.rein/config.json'),
      existsSync(join(place.workspace, '.rein/hooks')),
    ]).toEqual(['old', '{}', false]);
    expect(existsSync(join(place.home, 'hooks'))).toBe(false);
  });

  it('security C7: nor does a command', async () => {
    const commands = [
      'echo x > .git/hooks/new',
      'cp plain.txt .rein/config.json',
      'tee .mcp.json < plain.txt',
      'mv plain.txt .git/config',
      'mkdir -p sub/.git/hooks',
    ];
    expect(await refusedOf(commands.map(bash))).toEqual(commands);
    expect([await place.read('.git/config'), await place.read('plain.txt')]).toEqual(['old', 'old']);
  });

  it('security A4: however the name is written', async () => {
    const paths = [
      '.GIT/hooks/x',
      '.Rein/config.json',
      '.git/./hooks/x',
      './.git//hooks/../hooks/x',
      '.git./hooks/x',
      '.gi\u200bt/hooks/x',
      'sub/../.MCP.json',
      'GIT~1/hooks/x',
    ];
    expect(await refusedOf(paths.map(write))).toEqual(paths);
  });

  it('security A4: nor through a link', async () => {
    await symlink('.git', join(place.workspace, 'store'));
    await symlink('store/hooks/missing', join(place.workspace, 'innocent.txt'));
    await symlink('.envrc', join(place.workspace, 'also.txt'));
    const paths = ['store/hooks/new', 'innocent.txt', 'also.txt'];
    expect(await refusedOf([...paths.map(write), bash('echo x > innocent.txt')])).toEqual([
      ...paths,
      'echo x > innocent.txt',
    ]);
    expect(
      ['.git/hooks/new', '.git/hooks/missing', '.envrc'].map((path) => existsSync(join(place.workspace, path))),
    ).toEqual([false, false, false]);
  });

  it('security A2: a rule counts for where a link leads, and for its own name', async () => {
    await place.write({ 'closed/f': 'old', 'open/f': 'old' });
    await symlink('closed', join(place.workspace, 'l'));
    await symlink('open', join(place.workspace, 'm'));
    const provider = createScriptedProvider({
      script: [{ calls: [write('l/new'), write('m/new'), write('open/new')] }, { text: 'done' }],
    });
    const flags = { permissionMode: 'acceptEdits', deny: ['write_file(closed/**)', 'write_file(m/**)'] } as const;
    harness = await createHarness({
      home: place.home,
      cwd: place.workspace,
      env: { PATH: process.env.PATH },
      provider,
      flags,
    });
    const { refused } = await (await harness.open()).run('go');
    expect(refused.map(({ input, refusal }) => [input.file_path, refusal]).sort()).toEqual([
      ['l/new', 'rule'],
      ['m/new', 'rule'],
    ]);
    expect(await place.read('open/new')).toBe('new');
  });

  it('what is not protected is changed', async () => {
    expect(await refusedOf([write('new.txt'), edit('plain.txt'), bash('echo x > made.txt')])).toEqual([]);
    expect([await place.read('new.txt'), await place.read('made.txt')]).toEqual(['new', 'x\n']);
  });
});

describe('security A7', () => {
  it.each(['the home of the user', 'a folder around the home of Rein'])(
    '%s is no folder for unasked changes',
    async (what) => {
      const around = await realpath(join(place.home, '..'));
      const cwd = what.startsWith('the') ? join(around, 'user') : around;
      await mkdir(cwd, { recursive: true });
      await trustFolder(place.home, cwd);
      expect(await refusedOf([write('new.txt'), bash('touch made.txt')], { cwd })).toEqual([
        'new.txt',
        'touch made.txt',
      ]);
      expect(await refusedOf([write('new.txt')], { cwd, flags: { allow: ['write_file(new.txt)'] } })).toEqual([]);
      expect(
        await refusedOf([write(join(place.home, 'config.json'))], { cwd, flags: { allow: ['write_file'] } }),
      ).toEqual([join(place.home, 'config.json')]);
    },
  );

  it('the root of the disk neither, also as an added folder', async () => {
    expect(await refusedOf([write('new.txt')], { flags: { addDirs: ['/'] } })).toEqual(['new.txt']);
    expect(await refusedOf([bash('true > /tmp/never')], { cwd: '/' })).toEqual(['true > /tmp/never']);
  });

  it('a working folder that is a link is known by where it leads', async () => {
    const link = `${place.workspace}-link`;
    await symlink(place.workspace, link);
    harness = await createHarness({
      home: place.home,
      cwd: link,
      env: { PATH: process.env.PATH },
      provider: createScriptedProvider({ script: [] }),
    });
    expect(harness.cwd).toBe(place.workspace);
  });
});

describe('--add-dir', () => {
  it('opens the folder to tools, without its name being a door to its neighbours', async () => {
    const around = join(place.home, '..');
    for (const name of ['more', 'more-evil']) {
      await mkdir(join(around, name));
      await writeFile(join(around, name, 'f'), name);
    }
    const more = join(around, 'more');
    const results: string[] = [];
    const calls = [
      write(join(more, 'new')),
      ...[join(more, 'f'), join(around, 'more-evil/f'), join(more, '../more-evil/f')].map((file_path) => ({
        name: 'read_file',
        input: { file_path },
      })),
    ];
    const provider = createScriptedProvider({
      script: [{ calls }, { text: 'done' }],
    });
    harness = await createHarness({
      home: place.home,
      cwd: place.workspace,
      env: { PATH: process.env.PATH },
      provider,
      flags: { permissionMode: 'acceptEdits', addDirs: ['../more'] },
    });
    const session = await harness.open();
    session.listen((event) => {
      if (event.type === 'tool-call-end') results.push(`${event.callId} ${event.status}`);
    });
    await session.run('go');
    expect(results.sort()).toEqual(['call_1 ok', 'call_2 ok', 'call_3 denied', 'call_4 denied']);
    expect(await readFile(join(more, 'new'), 'utf8')).toBe('new');
    expect(basename(more)).toBe('more');
  });
});
