import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineHook } from '../../protocol/define/hook.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { createTempHome, type TempHome } from '../../testing/temp-home.ts';
import { waitFor } from '../../testing/time.ts';
import { trustFolder } from '../__fixtures__/trust-folder.ts';
import { createHarness, type Harness } from '../create-harness.ts';
import type { HarnessOptions } from '../options.ts';
import type { Session } from '../session.ts';

let place: TempHome;
let harness: Harness | undefined;

beforeEach(async () => {
  place = await createTempHome({ 'n.txt': 'one\n', 'keep.txt': 'kept', 'build/x': '' });
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await place.remove();
});

type Call = [name: string, input: Record<string, string>];

/** A session whose model makes these calls, one a turn. */
async function open(calls: Call[], options: Partial<HarnessOptions> = {}): Promise<Session> {
  const turns = calls.map(([name, input]) => ({ calls: [{ name, input }] }));
  const provider = createScriptedProvider({ script: [...turns, { text: 'done' }] });
  harness = await createHarness({
    home: place.home,
    cwd: place.workspace,
    env: { PATH: process.env.PATH },
    provider,
    ...options,
  });
  return harness.open();
}

const bash = (command: string): Call => ['bash', { command }];
const config = (content: object) => writeFile(join(place.home, 'config.json'), JSON.stringify(content));
const opened = (session: Session) => waitFor(async () => (await session.interrupts())[0]);

describe('nobody to ask', () => {
  it('case P22: an allowed command with something chained to it is refused; the plain one runs', async () => {
    const chained = [
      ...['wc -l n.txt && rm -rf build', 'wc n.txt; rm -rf build', 'wc n.txt | sh', 'wc n.txt\nrm -rf build'],
      ...['wc $(rm -rf build)', 'wc n.txt > keep.txt', 'wcx'],
    ];
    const flags = { allow: ['bash(wc *)'], deny: ['bash(rm *)'], sandbox: 'external' } as const;
    const session = await open([...chained, 'wc -l n.txt'].map(bash), { flags });
    const { refused, stop } = await session.run('go');
    expect(stop).toBe('completed');
    expect(refused.map(({ input, refusal }) => [input.command, refusal])).toEqual(
      chained.map((command) => [command, command.includes('rm') ? 'rule' : 'nobody']),
    );
    expect([existsSync(join(place.workspace, 'build/x')), await place.read('keep.txt')]).toEqual([true, 'kept']);
  });

  it('security I4: what would be asked is refused; reading goes on', async () => {
    const session = await open([
      bash('wc -l n.txt'),
      ['read_file', { file_path: 'n.txt' }],
      ['write_file', { file_path: 'new', content: 'x' }],
    ]);
    const { refused } = await session.run('go');
    expect(refused.map(({ tool, refusal }) => [tool, refusal])).toEqual([
      ['bash', 'nobody'],
      ['write_file', 'nobody'],
    ]);
    expect(existsSync(join(place.workspace, 'new'))).toBe(false);
  });

  it('case P26: a project that allows what the user denies changes nothing', async () => {
    await config({ permissions: { deny: ['bash(rm *)'], allow: ['read_file'] }, sandbox: 'external' });
    await place.write({ '.rein/config.json': '{"permissions": {"allow": ["edit_file", "bash(rm *)"]}}' });
    const session = await open([bash('rm -r build')]);
    const { refused } = await session.run('go');
    expect(refused).toMatchObject([{ tool: 'bash', refusal: 'rule' }]);
    expect(existsSync(join(place.workspace, 'build'))).toBe(true);
  });
});

describe('somebody to ask', () => {
  it('security I9: "session" covers this call until the session is opened anew; "always" is stored', async () => {
    const calls = [bash('echo a >> log'), bash('echo a >> log'), bash('echo b >> log')];
    await trustFolder(place.home, place.workspace);
    const session = await open(calls, { interactive: true });
    const outcome = session.run('go');
    const first = await opened(session);
    expect(first).toMatchObject({ rule: 'bash(echo a >> log)' });
    await session.answer(first!.id, { decision: 'approve_session', digest: first!.digest });
    const second = await waitFor(async () => (await session.interrupts()).find(({ id }) => id !== first!.id));
    expect(second?.call?.input).toEqual({ command: 'echo b >> log' });
    await session.answer(second!.id, { decision: 'approve_always', digest: second!.digest });
    expect(await outcome).toMatchObject({ stop: 'completed', refused: [] });
    expect(await place.read('log')).toBe('a\na\nb\n');
    expect(JSON.parse(await readFile(join(place.home, 'config.json'), 'utf8'))).toEqual({
      permissions: { allow: ['bash(echo b >> log)'] },
    });
    await harness!.close();

    const again = await open([bash('echo b >> log'), bash('echo a >> log')], { interactive: true });
    const resumed = again.run('go');
    const asked = await opened(again);
    expect(asked?.call?.input).toEqual({ command: 'echo a >> log' });
    await again.answer(asked!.id, { decision: 'reject', digest: asked!.digest });
    await resumed;
    expect(await place.read('log')).toBe('a\na\nb\nb\n');
  });

  it('in an untrusted folder neither "session" nor "always" is offered', async () => {
    const session = await open([bash('echo a >> log')], { interactive: true });
    const outcome = session.run('go');
    const asked = await opened(session);
    expect(asked).not.toHaveProperty('rule');
    await expect(
      session.answer(asked!.id, { decision: 'approve_always', digest: asked!.digest }),
    ).rejects.toMatchObject({ code: 'E_DECISION_INVALID' });
    await session.answer(asked!.id, { decision: 'approve', digest: asked!.digest });
    await outcome;
    expect(existsSync(join(place.home, 'config.json'))).toBe(false);
  });

  it('security P1: an edited call is held against deny rules', async () => {
    const session = await open([bash('echo a')], { interactive: true, flags: { deny: ['bash(rm *)'] } });
    const outcome = session.run('go');
    const asked = await opened(session);
    await session.answer(asked!.id, { decision: 'edit', digest: asked!.digest, input: { command: 'rm -r build' } });
    expect(await outcome).toMatchObject({ refused: [{ refusal: 'rule' }] });
    expect(existsSync(join(place.workspace, 'build'))).toBe(true);
  });
});

it('security P2, P8: a policy hook that fails refuses; one that rewrites is judged by what it wrote', async () => {
  const hook = (name: string, run: () => never | { decision: 'allow'; input: { command: string } }) =>
    defineHook({ name, event: 'PreToolUse', matcher: 'bash', run });
  const flags = { allow: ['bash(wc *)'], deny: ['bash(rm *)'], sandbox: 'external' } as const;
  const broken = hook('broken', () => {
    throw new Error('out of order');
  });
  const first = await open([bash('wc n.txt')], { flags, hooks: [broken] });
  expect(await first.run('go')).toMatchObject({ refused: [{ refusal: 'rule' }] });
  await harness!.close();
  const rewriting = hook('rewriting', () => ({ decision: 'allow', input: { command: 'rm -r build' } }));
  const second = await open([bash('wc n.txt')], { flags, hooks: [rewriting] });
  expect(await second.run('go')).toMatchObject({ refused: [{ refusal: 'rule' }] });
  expect(existsSync(join(place.workspace, 'build'))).toBe(true);
});
