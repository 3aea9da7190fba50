/** What an approval covers: this call, here, held like this, and nothing beside it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../protocol/define/tool.ts';
import type { Decision, Interrupt } from '../protocol/interrupt.ts';
import type { ToolMessage } from '../protocol/message.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome, type TempHome } from '../testing/temp-home.ts';
import { createFakeClock, waitFor } from '../testing/time.ts';
import { trustFolder } from './__fixtures__/trust-folder.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions, OpenOptions } from './options.ts';
import type { Session } from './session.ts';

let place: TempHome;
let harness: Harness | undefined;
beforeEach(async () => {
  place = await createTempHome();
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await place.remove();
});

/** Opens a session in a harness of its own, as a new process would. */
async function open(
  commands: readonly string[],
  options: Partial<HarnessOptions> = {},
  which: OpenOptions = {},
): Promise<Session> {
  await harness?.close();
  const turns = commands.map((command) => ({ calls: [{ name: 'bash', input: { command } }] }));
  const provider = createScriptedProvider({ script: [...turns, { text: 'done' }] });
  const env = { PATH: process.env.PATH };
  const given = { home: place.home, cwd: place.workspace, env, provider, interactive: true, ...options };
  harness = await createHarness(given);
  return harness.open(which);
}

const opened = (session: Session, but?: Interrupt) =>
  waitFor(async () => (await session.interrupts()).find(({ id }) => id !== but?.id));

const none: HarnessOptions['sandbox'] = async () => ({
  level: 'none',
  driver: {
    name: 'none',
    prepare: () => {
      throw new Error('nothing may run');
    },
  },
  why: 'it is gone',
});

describe('security I9, Q6: an approval that was given inside the sandbox does not hold without it', () => {
  const edited = { input: { command: 'echo b >> log' } };
  it.each<[Decision['decision'], object]>([
    ['approve', {}],
    ['edit', edited],
  ])('%s: the call is asked about anew, under another digest and with a warning', async (decision, more) => {
    const before = await open(['echo a >> log']);
    const { id } = before;
    void before.run('go');
    const first = (await opened(before))!;
    expect(first.warnings).toEqual([]);
    const after = await open([], { sandbox: none }, { resume: id });
    const resumed = after.resume();
    await after.answer(first.id, { decision, digest: first.digest, ...more });
    const second = (await opened(after, first))!;
    expect(second).toMatchObject({ call: { tool: 'bash' }, warnings: ['noSandbox'] });
    expect(second.digest).not.toBe(first.digest);
    await expect(after.answer(second.id, { decision: 'approve', digest: first.digest })).rejects.toMatchObject({
      code: 'E_DECISION_INVALID',
    });
    await after.answer(second.id, { decision: 'reject', digest: second.digest, reason: 'not like this' });
    expect(await resumed).toMatchObject({ stop: 'completed', refused: [{ refusal: 'person' }] });
    await expect(place.read('log')).rejects.toThrow();
  });

  it('holds where the sandbox holds as it did', async () => {
    const before = await open(['echo a >> log']);
    void before.run('go');
    const asked = (await opened(before))!;
    const after = await open([], {}, { resume: before.id });
    const resumed = after.resume();
    await after.answer(asked.id, { decision: 'edit', digest: asked.digest, ...edited });
    expect(await resumed).toMatchObject({ stop: 'completed', refused: [] });
    expect(await place.read('log')).toBe('b\n');
  });
});

describe('security I9: what was granted for this session', () => {
  const command = 'echo a >> log';
  async function grant(): Promise<Session> {
    await trustFolder(place.home, place.workspace);
    const session = await open([command, command]);
    const outcome = session.run('go');
    const asked = (await opened(session))!;
    await session.answer(asked.id, { decision: 'approve_session', digest: asked.digest });
    expect(await outcome).toMatchObject({ stop: 'completed', refused: [] });
    expect(await place.read('log')).toBe('a\na\n');
    return session;
  }

  it.each([
    ['resumed', (id: string) => ({ resume: id })],
    ['forked', (id: string) => ({ resume: id, fork: true })],
    ['opened anew', () => ({})],
  ])('is asked about in a session that is %s', async (_, which) => {
    const { id } = await grant();
    const other = await open([command], {}, which(id));
    const outcome = other.run('again');
    const asked = (await opened(other))!;
    expect(asked.call?.input).toEqual({ command });
    await other.answer(asked.id, { decision: 'reject', digest: asked.digest });
    await outcome;
    expect(await place.read('log')).toBe('a\na\n');
  });

  it('is asked about in another folder, and without the sandbox', async () => {
    const { id } = await grant();
    const cwd = join(place.workspace, 'other');
    await mkdir(cwd);
    for (const options of [{ cwd }, { sandbox: none }]) {
      const other = await open([command], options, { resume: id });
      const outcome = other.run('again');
      const asked = (await opened(other))!;
      await other.answer(asked.id, { decision: 'reject', digest: asked.digest });
      await outcome;
    }
    expect(await place.read('log')).toBe('a\na\n');
  });
});

it('security I8, I5: of three calls, one approved, one rejected and one unanswered, one runs and each has its result', async () => {
  const ran: string[] = [];
  const act = defineTool({
    ...{ name: 'act', description: 'Acts.', risk: 'write', input: z.object({ what: z.string() }) },
    execute: ({ what }) => {
      ran.push(what);
      return `did ${what}`;
    },
  });
  await place.write({ '../home/config.json': '{"limits": {"answerSeconds": 30}}' });
  const calls = ['a', 'b', 'c'].map((what) => ({ id: `call-${what}`, name: 'act', input: { what } }));
  const provider = createScriptedProvider({ script: [{ calls }, { text: 'done' }] });
  const clock = createFakeClock();
  const session = await open([], { provider, tools: [act], clock });
  const outcome = session.run('go');
  const asked = await waitFor(async () => {
    const all = await session.interrupts();
    return all.length === 3 && all;
  });
  const [first, second] = asked;
  await session.answer(first!.id, { decision: 'approve', digest: first!.digest });
  await session.answer(second!.id, { decision: 'reject', digest: second!.digest, reason: 'no' });
  await waitFor(() => ran.length === 1 && clock.sleeping > 0);
  clock.advance(30_000);
  expect(await outcome).toMatchObject({ stop: 'completed' });
  expect(ran).toEqual(['a']);
  const answered = session.state?.messages.findLast(({ role }) => role === 'tool') as ToolMessage;
  expect(answered.results.map(({ callId, status }) => [callId, status])).toEqual([
    ['call-a', 'ok'],
    ['call-b', 'denied'],
    ['call-c', 'denied'],
  ]);
});
