// The commands: sessions, configuration, tools, models, doctor, trust, analysis.

import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliHome, createCliHome, jsonLines } from './cli-home.ts';

const echo = () => ({
  respond: ({ userTexts }: { userTexts: readonly string[] }) => ({ text: `Answer to ${userTexts.at(-1)}` }),
});

async function data(cli: CliHome, ...args: string[]): Promise<unknown> {
  const { exit, stdout, stderr } = await cli.run([...args, '--output-format', 'json']);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

const first = '11111111-0000-4000-8000-000000000000';
const second = '22222222-0000-4000-8000-000000000000';
const mine = '33333333-0000-4000-8000-000000000000';

describe('sessions', () => {
  test('their whole life', async () => {
    await using cli = await createCliHome(echo());
    await cli.run(['-p', 'about the quick fox', '--session-id', first]);
    await cli.run(['-p', 'about 中文搜索', '--session-id', second]);
    const [newest, oldest] = (await data(cli, 'sessions', 'list')) as Record<string, unknown>[];
    expect(oldest).toMatchObject({ id: first, title: 'about the quick fox', cwd: cli.workspace, definition: 'main' });
    expect(newest).toMatchObject({ id: second });

    const text = await cli.run(['sessions', 'list', '--limit', '1']);
    expect(text).toEqual({
      exit: 0,
      stderr: '',
      stdout: expect.stringMatching(/^2{8}-\S+ {2}.* {2}about 中文搜索\n$/),
    });

    expect(await cli.run(['sessions', 'show', first])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/You: about the quick fox\n\nAnswer to about the quick fox/),
    });
    expect(await data(cli, 'sessions', 'search', 'quick', 'FOX')).toMatchObject([
      { session: first },
      { session: first },
    ]);
    expect(await data(cli, 'sessions', 'search', '搜索')).toMatchObject([{ session: second }, { session: second }]);

    await cli.run(['sessions', 'rename', first, 'A', 'better', 'name']);
    expect(await data(cli, 'sessions', 'list', '--limit', '2')).toContainEqual(
      expect.objectContaining({ id: first, title: 'A better name' }),
    );

    const { session } = (await data(cli, 'sessions', 'fork', first)) as { session: string };
    expect(await cli.run(['-r', session, '-p', 'more'])).toMatchObject({ exit: 0 });
    expect(cli.server.requests.at(-1)?.userTexts.filter((said) => said === 'about the quick fox')).toHaveLength(1);

    const exported = await cli.run(['sessions', 'export', first]);
    await writeFile(join(cli.workspace, 'first.jsonl'), exported.stdout);
    expect(await cli.run(['sessions', 'delete', first])).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(await cli.run(['sessions', 'import', 'first.jsonl'])).toEqual({ exit: 0, stdout: `${first}\n`, stderr: '' });
    expect((await cli.run(['sessions', 'export', first])).stdout).toBe(exported.stdout);
    expect(await cli.run(['sessions', 'import', '-'], { input: exported.stdout })).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^[\w-]{36}\n$/),
    });
    expect(await data(cli, 'sessions', 'cost', first)).toMatchObject({ cost: 0, usage: { output: 10 } });
  });

  test.each(['show', 'fork', 'cost', 'export', 'delete'])('%s of one that is missing: 42', async (command) => {
    await using cli = await createCliHome(echo());
    expect(await cli.run(['sessions', command, 'none'])).toEqual({
      exit: 42,
      stdout: '',
      stderr: expect.stringContaining('none'),
    });
  });

  test('-c, -r and --fork-session go on where it was', async () => {
    await using cli = await createCliHome(echo());
    expect(await cli.run(['-c', '-p', 'x'])).toMatchObject({ exit: 42 });
    await cli.run(['-p', 'one', '--session-id', mine]);
    expect(await cli.run(['-p', 'again', '--session-id', mine])).toMatchObject({
      exit: 42,
      stderr: expect.stringContaining(mine),
    });
    const results = [];
    for (const args of [['-c'], ['-r', mine], ['-r', mine, '--fork-session']]) {
      results.push(JSON.parse((await cli.run([...args, '-p', 'next', '--output-format', 'json'])).stdout).session_id);
    }
    expect([results[0], results[1], results[2] !== mine]).toEqual([mine, mine, true]);
    expect(cli.server.requests.at(-1)?.userTexts.filter((said) => said === 'next')).toHaveLength(3);
    expect(cli.server.prefixReport().flatMap(({ steps }) => steps.map(({ kept }) => kept))).toEqual([1, 1, 1]);
  });

  test('an import that holds no session: 42, nothing stored', async () => {
    await using cli = await createCliHome(echo(), { 'bad.jsonl': 'no json\n' });
    expect(await cli.run(['sessions', 'import', 'bad.jsonl'])).toMatchObject({ exit: 42, stdout: '' });
    expect(await cli.run(['sessions', 'import', 'missing.jsonl'])).toMatchObject({
      exit: 42,
      stderr: expect.stringContaining('missing.jsonl'),
    });
    expect(await data(cli, 'sessions', 'list')).toEqual([]);
  });
});

test('config shows and changes keys; comments stay, wrong values change nothing', async () => {
  await using cli = await createCliHome(echo());
  const file = join(cli.home, 'config.json');
  const before = '{\n  // mine\n  "limits": { "maxTurns": 9 }\n}\n';
  await writeFile(file, before);
  expect(await data(cli, 'config', 'path')).toEqual({ user: file, project: join(cli.workspace, '.rein/config.json') });
  expect(await cli.run(['config', 'get', 'limits.maxTurns'])).toMatchObject({ exit: 0, stdout: '9\n' });
  expect(await cli.run(['config', 'set', 'sandbox', 'maybe'])).toMatchObject({ exit: 52 });
  expect(await cli.run(['config', 'set', 'limits.maxTurn', '3'])).toMatchObject({
    exit: 52,
    stderr: expect.stringContaining('maxTurns'),
  });
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(await cli.run(['config', 'set', 'limits.maxTurns', '3'])).toEqual({ exit: 0, stdout: '', stderr: '' });
  expect(await cli.run(['config', 'set', 'lang', 'zh-TW'])).toMatchObject({ exit: 0 });
  expect(await readFile(file, 'utf8')).toContain('// mine');
  expect(await data(cli, 'config', 'get', 'limits')).toMatchObject({ maxTurns: 3 });
  expect((await cli.run(['--nope'])).stderr).toContain('沒有選項');
});

test('models and tools', async () => {
  await using cli = await createCliHome(echo());
  expect(await cli.run(['models'])).toEqual({ exit: 0, stdout: 'custom/scripted\n', stderr: '' });
  expect(await data(cli, 'models', '-m', 'offline')).toEqual([expect.stringMatching(/^offline\//)]);
  const tools = (await data(cli, 'tools', 'list')) as { name: string; source: string }[];
  expect(tools).toContainEqual({ name: 'read_file', description: expect.any(String), source: 'built-in' });
});

test('doctor names what is wrong with a provider, and ends with 1 then', async () => {
  await using cli = await createCliHome(echo());
  const names = async (env: Record<string, string>) => {
    const { exit, stdout } = await cli.run(['doctor', '--output-format', 'json'], { env });
    return {
      exit,
      checks: jsonLines(stdout)[0] as unknown as { name: string; subject?: string; state: string; detail: string }[],
    };
  };
  const good = await names({});
  expect({ exit: good.exit, names: good.checks.map(({ name }) => name) }).toEqual({
    exit: 0,
    names: ['node', 'sqlite', 'home', 'config', 'store', 'provider', 'ripgrep', 'sandbox', 'shell'],
  });
  const refusing = createServer((_, response) => response.writeHead(403).end('{"error":{"message":"not for you"}}'));
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const { port } = refusing.address() as AddressInfo;
  const bad = await names({ CUSTOM_BASE_URL: `http://127.0.0.1:${port}/v1` });
  refusing.close();
  expect(bad.exit).toBe(1);
  expect(bad.checks.find(({ name }) => name === 'provider')).toEqual({
    name: 'provider',
    subject: 'custom',
    state: 'failed',
    detail: expect.stringMatching(/^HTTP 403: .*not for you/),
  });
  const text = await cli.run(['doctor', '--lang', 'zh-CN']);
  expect(text.stdout).toContain('✓ 与 custom 的连接');
});

describe('analyze and chat', () => {
  test('the report is printed, stored for the folder, and at hand in a conversation', async () => {
    await using cli = await createCliHome({
      respond: ({ userTexts }) => ({
        text: userTexts.at(-1)?.includes('Analyze this repository') ? '# A report\n\nAll about it.' : 'I know.',
      }),
    });
    const file = join(cli.home, 'memory/repos/workspace.md');
    const { exit, stdout, stderr } = await cli.run(['analyze', '.']);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '# A report\n\nAll about it.\n' });
    expect(stderr).toContain(file);
    expect(await readFile(file, 'utf8')).toBe(`<!-- path: "${cli.workspace}" -->\n\n# A report\n\nAll about it.\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    expect(await cli.run(['chat', '.', '-p', 'what is it?'])).toMatchObject({ exit: 0, stdout: 'I know.\n' });
    expect(cli.server.requests.at(-1)?.system).toContain(`<agent_memory path="${file}">`);
    expect(cli.server.requests.at(-1)?.system).toContain('All about it.');
  });

  test('a folder of the same name gets a file of its own', async () => {
    await using cli = await createCliHome({ respond: () => ({ text: '# R' }) }, { 'a/app/x': '', 'b/app/x': '' });
    for (const folder of ['a/app', 'b/app', 'a/app']) await cli.run(['analyze', folder]);
    const names = await readdir(join(cli.home, 'memory/repos'));
    expect(names.toSorted()).toEqual([expect.stringMatching(/^app-[0-9a-f]{6}\.md$/), 'app.md']);
  });

  test('a run that fails leaves the earlier report', async () => {
    let fails = false;
    await using cli = await createCliHome({ respond: () => (fails ? { status: 400 } : { text: '# R' }) });
    await cli.run(['analyze', '.']);
    fails = true;
    expect(await cli.run(['analyze', '.'])).toMatchObject({ exit: 1, stdout: '' });
    expect(await readFile(join(cli.home, 'memory/repos/workspace.md'), 'utf8')).toContain('# R');
  });

  test('without a key the offline model answers in the language of the person, and says what it is', async () => {
    await using cli = await createCliHome(echo(), {
      'README.md': '# Demo\n\nA demo.\n',
      'src/main.ts': 'export const a = 1;\n',
    });
    const offline = ['-m', 'offline'];
    for (const [lang, section] of [
      ['en', '## Purpose'],
      ['zh-CN', '## 用途'],
      ['zh-TW', '## 用途'],
    ] as const) {
      const { exit, stdout } = await cli.run(['analyze', '.', '--lang', lang, ...offline]);
      expect({ exit, found: stdout.includes(section) }).toEqual({ exit: 0, found: true });
    }
    expect(cli.server.requests).toEqual([]);
  });
});

test('an analysis has a title of its own; an address that is missing is named with its variable', async () => {
  await using cli = await createCliHome({ respond: () => ({ text: '# R' }) });
  await cli.run(['analyze', '.']);
  expect(await data(cli, 'sessions', 'list')).toMatchObject([{ title: 'Analysis of workspace' }]);
  expect(await cli.run(['-p', 'x', '-m', 'custom', '--lang', 'en'], { env: { CUSTOM_BASE_URL: '' } })).toMatchObject({
    exit: 52,
    stderr: expect.stringMatching(/There is no address for custom\.\n.*CUSTOM_BASE_URL/),
  });
});
