// Sessions as a person names and finds them.
import { expect, test } from 'vitest';
import { createCliHome } from './cli-home.ts';

async function twoSessions() {
  const cli = await createCliHome({ respond: () => ({ text: 'It is a blue whale, the whale.' }) });
  const ids = ['aaaa1111-0000-4000-8000-000000000001', 'aaaa2222-0000-4000-8000-000000000002'];
  for (const id of ids) await cli.run(['-p', `Which whale? ${id.slice(0, 8)}`, '--session-id', id]);
  return { cli, ids };
}

test('the beginning of an id is enough where it is one session, for each command and for `-r`', async () => {
  const { cli, ids } = await twoSessions();
  await using _ = cli;
  expect((await cli.run(['sessions', 'show', 'aaaa1'])).stdout).toContain('Which whale? aaaa1111');
  for (const args of [
    ['cost', 'aaaa1'],
    ['export', 'aaaa1'],
    ['rename', 'aaaa1', 'Whales'],
    ['fork', 'aaaa1'],
  ]) {
    expect(await cli.run(['sessions', ...args])).toMatchObject({ exit: 0, stderr: '' });
  }
  expect(await cli.run(['-p', 'And now?', '-r', 'aaaa2', '--output-format', 'json'])).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(`"session_id":"${ids[1]}"`),
  });
  expect((await cli.run(['sessions', 'delete', 'aaaa2'])).exit).toBe(0);
  expect((await cli.run(['sessions', 'list'])).stdout).not.toContain(ids[1]);
});

test('several sessions, none, and an event that is not there are said as such', async () => {
  const { cli, ids } = await twoSessions();
  await using _ = cli;
  const several = await cli.run(['sessions', 'show', 'aaaa']);
  expect(several.exit).toBe(2);
  for (const id of ids) expect(several.stderr).toContain(id);
  expect(await cli.run(['sessions', 'show', 'bbbb'])).toMatchObject({
    exit: 42,
    stderr: expect.stringContaining('There is no session bbbb.'),
  });
  const fork = await cli.run(['sessions', 'fork', 'aaaa1', '--at', '9999']);
  expect(fork).toMatchObject({ exit: 2, stderr: expect.stringMatching(/no event 9999; its events are 1 to \d+\./) });
});

test('a search names a session once, with all that was found in it', async () => {
  const { cli, ids } = await twoSessions();
  await using _ = cli;
  const { stdout } = await cli.run(['sessions', 'search', 'whale']);
  for (const id of ids) expect(stdout.split(id)).toHaveLength(2);
  expect(stdout).toMatch(/^ {4}:\d+ {2}.*whale/m);
});

test('a file that is no export is no flood of warnings', async () => {
  await using cli = await createCliHome({ script: [] });
  await cli.write({ 'other.txt': 'no JSON\n'.repeat(40) });
  const { exit, stderr } = await cli.run(['sessions', 'import', 'other.txt']);
  expect(exit).toBe(42);
  expect(stderr.split('\n').filter((line) => line.includes('line '))).toHaveLength(5);
  expect(stderr).toContain('35 more lines are left out');
});

test('a value of the wrong kind is said of what was typed, with how to write it', async () => {
  await using cli = await createCliHome({ script: [] });
  const wrong = await cli.run(['config', 'set', 'permissions.deny', 'Bash(rm *)']);
  expect(wrong.exit).toBe(2);
  expect(wrong.stderr).toContain(`rein config set permissions.deny '["..."]'`);
  expect(wrong.stderr).not.toContain('in that file');
  expect((await cli.run(['config', 'set', 'permissions.deny', '["Bash(rm *)"]'])).exit).toBe(0);
});

test('what could run in an untrusted folder is named in one warning, in each language', async () => {
  await using cli = await createCliHome({ respond: () => ({ text: 'fine' }) });
  await cli.write({ '.rein/tools/a.ts': 'x', '.claude/settings.json': '{}' });
  for (const [lang, text] of [
    [
      'en',
      `Warning: ${cli.workspace} is not trusted, so this in it is off: .rein/tools, .claude/settings.json. \`rein trust\` shows it and asks.\n`,
    ],
    [
      'zh-CN',
      `警告：${cli.workspace} 未受信任，因此其中这些不起作用：.rein/tools, .claude/settings.json。\`rein trust\` 会列出并询问。\n`,
    ],
    [
      'zh-TW',
      `警告：${cli.workspace} 未受信任，因此其中這些不起作用：.rein/tools, .claude/settings.json。\`rein trust\` 會列出並詢問。\n`,
    ],
  ] as const) {
    expect((await cli.run(['-p', 'hi', '--lang', lang])).stderr).toBe(text);
  }
});

test('what an untrusted folder cannot set is one warning, which says why and what to do', async () => {
  await using cli = await createCliHome({ respond: () => ({ text: 'fine' }) });
  await cli.write({ '.rein/config.json': '{"lang":"en","hooks":{},"provider":"custom","store":"postgres://x/y"}' });
  const { stderr } = await cli.run(['-p', 'hi']);
  expect(stderr).toBe(
    `Warning: ${cli.workspace}/.rein/config.json: no effect have hooks, lang, provider, store; this folder is not trusted. \`rein trust\` shows what is in it, and asks.\n`,
  );
});
