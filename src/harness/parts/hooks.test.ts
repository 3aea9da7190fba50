import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineHook, definePostTool, definePreTool, type HookEvent } from '../../protocol/define/hook.ts';
import { defineTool } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { createTempHome, type TempHome } from '../../testing/temp-home.ts';
import { waitFor } from '../../testing/time.ts';
import { createHarness, type Harness } from '../create-harness.ts';
import { grantTrust, reviewTrust } from '../doors/trust.ts';
import type { HarnessOptions } from '../options.ts';

let place: TempHome;
let harness: Harness | undefined;
beforeEach(async () => {
  place = await createTempHome({ 'n.txt': 'one\n' });
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await place.remove();
});

const spawn = defineTool({
  ...{ name: 'spawn', description: 'Delegates.', risk: 'read', input: z.object({ prompt: z.string() }) },
  delegate: ({ prompt }) => ({ agent: 'general', prompt }),
});
const read = { name: 'read_file', input: { file_path: 'n.txt' } };

async function open(calls: { name: string; input: JsonObject }[], options: Partial<HarnessOptions> = {}) {
  const provider = createScriptedProvider({
    respond: ({ userTexts, results }) => {
      const call = userTexts.includes('the child part') ? undefined : calls[results.length];
      return call ? { calls: [call] } : { text: 'done' };
    },
  });
  const env = { PATH: process.env.PATH, HOME: place.home };
  harness = await createHarness({ home: place.home, cwd: place.workspace, env, provider, ...options });
  return { session: await harness.open(), provider };
}
const config = (content: object) => writeFile(join(place.home, 'config.json'), JSON.stringify(content));

it('observers are told of everything that happens, in order', async () => {
  const told: string[] = [];
  const events = [
    'SessionStart',
    'PostToolUse',
    'SubagentStart',
    'SubagentStop',
    'Notification',
    'Stop',
    'SessionEnd',
  ] as const;
  const hooks = events.map((event) =>
    defineHook({
      ...{ name: event, event: event as HookEvent },
      run: (input) => {
        const { source, tool, agent, kind, stop, reason } = input as Readonly<Record<string, string>>;
        told.push([event, source ?? tool ?? agent ?? kind ?? stop ?? reason].join(' '));
      },
    }),
  );
  const calls: { name: string; input: JsonObject }[] = [
    read,
    { name: 'spawn', input: { prompt: 'the child part' } },
    { name: 'write_file', input: { file_path: 'a', content: 'x' } },
  ];
  const { session } = await open(calls, { hooks, tools: [spawn], interactive: true });
  const outcome = session.run('go');
  const asked = await waitFor(async () => (await session.interrupts())[0]);
  await session.answer(asked!.id, { decision: 'reject', digest: asked!.digest, reason: 'no' });
  await outcome;
  await harness!.close();
  expect(told).toEqual([
    ...['SessionStart startup', 'PostToolUse read_file', 'SubagentStart main/general-1', 'SubagentStop main/general-1'],
    ...['PostToolUse spawn', 'Notification approval', 'Stop completed', 'SessionEnd other'],
  ]);
});

it('PreCompact is told before a summary is asked for, with what began it, and is waited for', async () => {
  const order: string[] = [];
  const hook = defineHook({
    ...{ name: 'keep', event: 'PreCompact' },
    async run({ trigger }) {
      order.push(`begins ${trigger}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push('told');
    },
  });
  const provider = createScriptedProvider({
    respond: ({ userTexts, results }) => {
      if (/summary/i.test(userTexts.at(-1) ?? '')) {
        order.push('summary');
        return { text: 'All of it, in short.' };
      }
      order.push('turn');
      return results.length === 0 ? { calls: [read] } : { text: 'done' };
    },
  });
  await place.write({ 'n.txt': `${'many words '.repeat(30)}\n`.repeat(20) });
  await config({ compaction: { trigger: { messages: 4 }, keep: 100 } });
  const { session } = await open([], { hooks: [hook], provider });
  await session.run('go');
  await session.run('again');
  expect(order.slice(0, 6)).toEqual(['turn', 'turn', 'begins auto', 'told', 'summary', 'turn']);
  order.length = 0;
  await session.run('x '.repeat(4000));
  order.length = 0;
  await session.compact();
  expect(order).toEqual(['begins manual', 'told', 'summary']);
});

it('the two plain signatures: a value before a call blocks it and is its result; after it only real calls are told', async () => {
  const after: unknown[] = [];
  const pre = definePreTool((name, args) =>
    args.file_path === 'n.txt' ? { decision: 'no', blocked: name } : undefined,
  );
  const post = definePostTool((name, args, result) => {
    after.push([name, args, result.includes('two')]);
  });
  await place.write({ 'm.txt': 'two\n' });
  const { session, provider } = await open([read, { name: 'read_file', input: { file_path: 'm.txt' } }], {
    hooks: [pre, post],
  });
  await session.run('go');
  await harness!.close();
  expect(provider.requests[1]?.results[0]?.text).toBe('{"decision":"no","blocked":"read_file"}');
  expect(after).toEqual([['read_file', { file_path: 'm.txt' }, true]]);
});

it('commands of the configuration: one refuses, one rewrites, one adds to the prompt', async () => {
  const rewrite = { hookSpecificOutput: { updatedInput: { file_path: 'm.txt' } } };
  await place.write({ 'm.txt': 'two\n' });
  await config({
    hooks: {
      PreToolUse: [
        { matcher: 'Read', hooks: [{ type: 'command', command: `echo '${JSON.stringify(rewrite)}'` }] },
        { matcher: 'Glob', hooks: [{ type: 'command', command: 'echo "no globs" >&2; exit 2' }] },
      ],
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo the sprint ends on Friday' }] }],
    },
  });
  const { session, provider } = await open([read, { name: 'glob', input: { pattern: '*' } }]);
  const { refused } = await session.run('go');
  expect(provider.requests[0]?.userTexts.join('\n')).toContain('the sprint ends on Friday');
  expect(provider.requests[1]?.results[0]?.text).toContain('two');
  expect(provider.requests[2]?.results[1]?.text).toContain('no globs');
  expect(refused).toMatchObject([{ tool: 'glob', refusal: 'rule' }]);
});

it('security C1, C5: hooks of .claude/settings.json count at home, in a folder only when it is trusted and as it was then', async () => {
  const hooks = (file: string) => ({
    hooks: { PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command: `touch ${file}` }] }] },
  });
  await mkdir(join(place.home, '.claude'), { recursive: true });
  await writeFile(join(place.home, '.claude', 'settings.json'), JSON.stringify(hooks(join(place.home, 'canary-home'))));
  await place.write({ '.claude/settings.json': JSON.stringify(hooks('canary')) });
  const { session } = await open([read]);
  await session.run('go');
  expect(await readFile(join(place.home, 'canary-home'), 'utf8')).toBe('');
  await expect(place.read('canary')).rejects.toThrow();
  await harness!.close();
  await grantTrust(await reviewTrust({ home: place.home, cwd: place.workspace }));
  await (await open([read])).session.run('go');
  expect(await place.read('canary')).toBe('');
  await harness!.close();
  await place.write({ '.claude/settings.json': JSON.stringify(hooks('other')) });
  await (await open([read])).session.run('go');
  await expect(place.read('other')).rejects.toThrow();
});

it('security P6: a hook cannot make plan mode change anything', async () => {
  const rewrite = defineHook({
    ...{ name: 'rewrite', event: 'PreToolUse', matcher: 'bash' },
    run: () => ({ decision: 'allow', input: { command: 'touch canary' } }),
  });
  const { session } = await open([{ name: 'bash', input: { command: 'ls' } }], {
    ...{ hooks: [rewrite], flags: { permissionMode: 'plan', sandbox: 'external' } },
  });
  expect(await session.run('go')).toMatchObject({ refused: [{ tool: 'bash', refusal: 'rule' }] });
  await expect(place.read('canary')).rejects.toThrow();
});
