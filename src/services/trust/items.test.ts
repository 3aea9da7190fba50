import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempHome } from '../../testing/temp-home.ts';
import { findTrustItems, hashOf, onlyInForce } from './items.ts';
import { judgeItems } from './judge.ts';

const parse = async (text: string) => JSON.parse(text) as unknown;
const ids = async (folder: string) => (await findTrustItems(folder, parse)).items.map(({ id }) => id);

const config = {
  model: 'x/y',
  permissions: { allow: ['read_file'], deny: ['bash'], ask: ['grep'] },
  hooks: { PreToolUse: [{ hooks: [{ command: 'a' }] }], Stop: [{ hooks: [{ command: 'b' }] }] },
  mcpServers: { one: { command: 'x', args: ['1'] }, two: { url: 'http://127.0.0.1' } },
};
const files = {
  '.rein/config.json': JSON.stringify(config),
  '.rein/tools/a.ts': 'export {};',
  '.rein/tools/lib/deep.js': '',
  '.rein/hooks/h.js': '',
  '.rein/skills/s/SKILL.md': 'data',
  '.mcp.json': '{"mcpServers":{"m":{"command":"m"}}}',
  'mcp.json': '{"n":{"command":"n"}}',
  'mcp_servers.json': '[{"name":"l","command":"l"},{"command":"anonymous"}]',
  '.claude/settings.json': '{"hooks":{"PreToolUse":[]},"model":"m"}',
  'AGENTS.md': 'data',
};

test('every piece that can run or configure is an item of its own; what only narrows, and data, is none', async () => {
  await using place = await createTempHome(files);
  expect(await ids(place.workspace)).toEqual([
    '.claude/settings.json#hooks.PreToolUse',
    '.mcp.json#m',
    '.rein/config.json#hooks.PreToolUse',
    '.rein/config.json#hooks.Stop',
    '.rein/config.json#mcpServers.one',
    '.rein/config.json#mcpServers.two',
    '.rein/config.json#model',
    '.rein/config.json#permissions.allow',
    '.rein/hooks/h.js',
    '.rein/tools/a.ts',
    '.rein/tools/lib/deep.js',
    'mcp.json#n',
    'mcp_servers.json#1',
    'mcp_servers.json#l',
  ]);
});

test('links, pipes, huge files and what is no UTF-8 or JSON are no items and never in force', async () => {
  await using place = await createTempHome({
    '.rein/tools/bytes.ts': Buffer.from([0xff, 0xfe, 0x00]),
    '.rein/tools/huge.ts': 'x'.repeat(1_000_001),
    '.rein/config.json': '{"model":',
    'elsewhere/x.ts': '',
    'real.json': '{"a":{}}',
  });
  await symlink('../../elsewhere/x.ts', join(place.workspace, '.rein/tools/link.ts'));
  await symlink('../elsewhere', join(place.workspace, '.rein/hooks'));
  await symlink('real.json', join(place.workspace, '.mcp.json'));
  expect(await ids(place.workspace)).toEqual([]);
});

test('a .rein that is a link is none', async () => {
  await using place = await createTempHome({ 'other/tools/x.ts': '', 'other/config.json': '{"model":"m"}' });
  await symlink('other', join(place.workspace, '.rein'));
  expect(await findTrustItems(place.workspace, parse)).toEqual({ items: [] });
});

test('security C5: one byte changes one item, and the others stay', async () => {
  await using place = await createTempHome(files);
  const before = await findTrustItems(place.workspace, parse);
  const trusted = { identity: '1:1', items: Object.fromEntries(before.items.map(({ id, hash }) => [id, hash])) };
  expect(judgeItems(before, trusted).items.every(({ state }) => state === 'trusted')).toBe(true);
  const changed = structuredClone(config);
  changed.mcpServers.one.args = ['2'];
  await place.write({
    '.rein/config.json': JSON.stringify(changed),
    '.rein/hooks/h.js': ' ',
    '.rein/commands/new.ts': '',
  });
  const { items, allows } = judgeItems(await findTrustItems(place.workspace, parse), trusted);
  expect(items.filter(({ state }) => state !== 'trusted').map(({ id, state }) => [id, state])).toEqual([
    ['.rein/commands/new.ts', 'new'],
    ['.rein/config.json#mcpServers.one', 'changed'],
    ['.rein/hooks/h.js', 'changed'],
  ]);
  expect(onlyInForce(changed, allows)).toEqual({
    ...config,
    mcpServers: { two: config.mcpServers.two },
  });
  expect(onlyInForce(changed, () => false)).toEqual({
    permissions: { deny: ['bash'], ask: ['grep'] },
    hooks: {},
    mcpServers: {},
  });
});

test('security C5, C7: a script that a hook or server of the folder runs is a part of it', async () => {
  const run = (command: string) => [{ hooks: [{ type: 'command', command }] }];
  await using place = await createTempHome({
    'scripts/check.sh': 'exit 0',
    'tools/server.js': '',
    run: 'true',
    'other.sh': '',
    'outside.sh': '',
    '.rein/config.json': JSON.stringify({
      hooks: {
        PreToolUse: run('./scripts/check.sh --all'),
        Stop: run('sh run'),
        SessionStart: run('sh ../outside.sh'),
      },
      mcpServers: { one: { command: 'node', args: ['tools/server.js'] } },
    }),
    '.claude/settings.json': JSON.stringify({
      hooks: { PreToolUse: run('"$CLAUDE_PROJECT_DIR"/other.sh'), Stop: run('$CLAUDE_PROJECT_DIR/scripts/check.sh') },
    }),
  });
  const agreed = await findTrustItems(place.workspace, parse);
  const trusted = { identity: '1:1', items: Object.fromEntries(agreed.items.map(({ id, hash }) => [id, hash])) };
  const changed = async (name: string) => {
    const before = await place.read(name);
    await place.write({ [name]: 'touch /tmp/evil' });
    const { items } = judgeItems(await findTrustItems(place.workspace, parse), trusted);
    await place.write({ [name]: before });
    return items.filter(({ state }) => state === 'changed').map(({ id }) => id);
  };
  expect(await changed('scripts/check.sh')).toEqual([
    '.claude/settings.json#hooks.Stop',
    '.rein/config.json#hooks.PreToolUse',
  ]);
  expect(await changed('run')).toEqual(['.rein/config.json#hooks.Stop']);
  expect(await changed('tools/server.js')).toEqual(['.rein/config.json#mcpServers.one']);
  expect(await changed('other.sh')).toEqual(['.claude/settings.json#hooks.PreToolUse']);
  expect(await changed('outside.sh')).toEqual([]);
  expect(
    judgeItems(await findTrustItems(place.workspace, parse), trusted).items.every(({ state }) => state === 'trusted'),
  ).toBe(true);
});

test('names from Object itself are names like any other', async () => {
  await using place = await createTempHome();
  await mkdir(join(place.workspace, '.rein'));
  await writeFile(join(place.workspace, 'mcp.json'), '{"constructor":{"command":"x"},"toString":{"command":"y"}}');
  const { items } = judgeItems(await findTrustItems(place.workspace, parse), { identity: '1:1', items: {} });
  expect(items.map(({ id, state }) => [id, state])).toEqual([
    ['mcp.json#constructor', 'new'],
    ['mcp.json#toString', 'new'],
  ]);
  expect(items[0]?.hash).toBe(hashOf(items[0]!.text));
});
