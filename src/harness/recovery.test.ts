import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../protocol/define/tool.ts';
import type { Json } from '../protocol/json.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../testing/session-rig.ts';
import { createFakeClock, waitFor } from '../testing/time.ts';
import type { Turn } from '../testing/turn.ts';

let rig: SessionRig | undefined;
afterEach(async () => {
  // One whose session was taken over may have noticed that: it looks into its inbox now and then.
  await rig?.harness.close().catch((error) => expect(error).toMatchObject({ code: 'E_SESSION_FENCED' }));
  await rig?.place.remove();
  rig = undefined;
});

const call = (name: string, input: Record<string, Json> = {}): Turn => ({ calls: [{ name, input }] });

/** A tool that runs until it is aborted or let go. */
function createSlow(options: { idempotent?: boolean } = {}) {
  const runs: string[] = [];
  let release = () => {};
  const tool = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    input: z.object({}),
    risk: 'execute',
    ...options,
    execute: (_input, { signal }) => {
      runs.push('run');
      return new Promise<string>((resolve, reject) => {
        release = () => resolve('finished');
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  });
  return { tool, runs, release: () => release() };
}

describe('a run that was cut off', () => {
  it('case P18, security N4: a call that began and did not end is answered as interrupted, and not run again', async () => {
    const slow = createSlow();
    const provider = createScriptedProvider({ script: [call('slow'), { text: 'understood' }] });
    rig = await createSessionRig({ provider, tools: [slow.tool] });
    void rig.session.run('go').catch(() => {});
    await waitFor(() => slow.runs.length === 1);
    // A process that is killed writes nothing more: a second harness takes the log as it stands.
    const { session, place } = rig;
    const second = await createSessionRig({ provider, tools: [slow.tool] }, place);
    await (await second.harness.store()).claim(session.id, { takeOver: true }).then((log) => log.release());
    const resumed = await second.reopen({ resume: session.id });
    const outcome = await resumed.session.run('continue');
    expect(outcome).toMatchObject({ stop: 'completed', text: 'understood' });
    expect(slow.runs).toEqual(['run']);
    expect(provider.requests[1]?.results.map(({ text }) => text)).toEqual([expect.stringContaining('interrupted')]);
    expect(provider.requests[1]?.userTexts.at(-1)).toBe('continue');
    await resumed.harness.close();
  });

  it('runs an idempotent call again by itself', async () => {
    const slow = createSlow({ idempotent: true });
    const provider = createScriptedProvider({ script: [call('slow'), { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [slow.tool] });
    void rig.session.run('go').catch(() => {});
    await waitFor(() => slow.runs.length === 1);
    const { session, place } = rig;
    const second = await createSessionRig({ provider, tools: [slow.tool] }, place);
    await (await second.harness.store()).claim(session.id, { takeOver: true }).then((log) => log.release());
    const resumed = await second.reopen({ resume: session.id });
    const outcome = resumed.session.resume();
    await waitFor(() => slow.runs.length === 2);
    slow.release();
    expect(await outcome).toMatchObject({ stop: 'completed', text: 'done' });
    await resumed.harness.close();
  });
});

describe('abort', () => {
  it('reaches the tools, answers every call and ends the run', async () => {
    const slow = createSlow();
    const provider = createScriptedProvider({
      script: [{ calls: [{ name: 'slow' }, { name: 'slow' }] }, { text: 'again' }],
    });
    rig = await createSessionRig({ provider, tools: [slow.tool] });
    const outcome = rig.session.run('go');
    await waitFor(() => slow.runs.length === 2);
    await rig.session.abort();
    expect(await outcome).toMatchObject({ stop: 'aborted', error: { code: 'E_ABORTED' } });
    expect(await rig.session.run('and now?')).toMatchObject({ stop: 'completed', text: 'again' });
    expect(provider.requests[1]?.results).toHaveLength(2);
  });

  it('during a model call keeps what was said, marked, and drops its calls', async () => {
    const provider = createScriptedProvider({
      script: [{ text: ['half a ', 'sentence'], calls: [{ name: 'x' }], stall: { after: 3 } }, { text: 'new' }],
    });
    rig = await createSessionRig({ provider });
    let text = '';
    rig.session.listen((event) => {
      if (event.type === 'text-delta') text += event.text;
    });
    const outcome = rig.session.run('go');
    await waitFor(() => text.length > 0);
    await rig.session.abort();
    expect(await outcome).toMatchObject({ stop: 'aborted' });
    const stored = rig.session.state?.messages.at(-1);
    expect(stored).toMatchObject({ role: 'assistant', incomplete: true, parts: [{ type: 'text' }] });
    expect(await rig.session.run('go on')).toMatchObject({ stop: 'completed', text: 'new' });
  });

  it('case P23: reaches a child session and its tools, and no model is asked again', async () => {
    const slow = createSlow();
    const spawn = defineTool({
      name: 'spawn',
      description: 'Delegates.',
      input: z.object({}),
      risk: 'read',
      delegate: () => ({ agent: 'general', prompt: 'the child part' }),
    });
    const provider = createScriptedProvider({
      respond: ({ userTexts }) => call(userTexts.includes('the child part') ? 'slow' : 'spawn'),
    });
    rig = await createSessionRig({ provider, tools: [slow.tool, spawn] });
    const outcome = rig.session.run('go');
    await waitFor(() => slow.runs.length === 1);
    await rig.session.abort();
    expect(await outcome).toMatchObject({ stop: 'aborted' });
    expect(provider.requests).toHaveLength(2);
  });
});

describe('steering', () => {
  it('puts a message after the results of the open calls; a next prompt is a run of its own', async () => {
    const slow = createSlow();
    const provider = createScriptedProvider({ script: [call('slow'), { text: 'first' }, { text: 'second' }] });
    rig = await createSessionRig({ provider, tools: [slow.tool] });
    const first = rig.session.run('go');
    await waitFor(() => slow.runs.length === 1);
    const next = rig.session.run('later', { mode: 'next' });
    const steered = rig.session.run('mind the step', { mode: 'steer' });
    slow.release();
    expect(await first).toMatchObject({ text: 'first' });
    expect(await steered).toMatchObject({ text: 'first' });
    expect(await next).toMatchObject({ text: 'second' });
    expect(provider.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool' },
      { role: 'user', parts: [{ text: 'mind the step' }] },
    ]);
    expect(provider.requests[2]?.userTexts.at(-1)).toBe('later');
  });

  it('a prompt sent twice under one id is taken once', async () => {
    const provider = createScriptedProvider({ script: [{ text: 'once' }] });
    rig = await createSessionRig({ provider });
    await rig.session.run('go', { id: 'p1' });
    await rig.session.run('go', { id: 'p1' });
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a failing provider', () => {
  it('security O1: is tried again with growing waits, at most three times, and says so', async () => {
    const clock = createFakeClock();
    const provider = createScriptedProvider({ respond: () => ({ status: 529 }) });
    rig = await createSessionRig({ provider, clock });
    const delays: number[] = [];
    rig.session.listen((event) => {
      if (event.type === 'retry') delays.push(event.delayMs);
    });
    const outcome = rig.session.run('go');
    for (let attempt = 1; attempt <= 3; attempt++) {
      await waitFor(() => clock.sleeping === 1 && delays.length === attempt);
      clock.advance(60_000);
    }
    expect(await outcome).toMatchObject({ stop: 'error', error: { code: 'E_PROVIDER_OVERLOADED' } });
    expect(provider.requests).toHaveLength(4);
    expect(delays).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
    expect(delays[0]).toBeLessThanOrEqual(625);
    expect(delays[2]).toBeGreaterThanOrEqual(2000);
  });

  it('security O1: can be left while it is waited for', async () => {
    const clock = createFakeClock();
    rig = await createSessionRig({ provider: createScriptedProvider({ respond: () => ({ status: 529 }) }), clock });
    const outcome = rig.session.run('go');
    await waitFor(() => clock.sleeping === 1);
    await rig.session.abort();
    expect(await outcome).toMatchObject({ stop: 'aborted' });
  });

  it.each([401, 400, 404])('security O1, case P25: %i is sent once', async (status) => {
    const provider = createScriptedProvider({ respond: () => ({ status }) });
    rig = await createSessionRig({ provider });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'error', text: '' });
    expect(provider.requests).toHaveLength(1);
  });

  it('case P11, security O2: a stream that was cut runs nothing and is tried again', async () => {
    const clock = createFakeClock();
    const slow = createSlow();
    const cut: Turn = { text: 'Hel', calls: [{ name: 'slow' }], cut: { after: 2, how: 'fin' } };
    const provider = createScriptedProvider({ script: [cut, { text: 'Hello' }] });
    rig = await createSessionRig({ provider, tools: [slow.tool], clock });
    const outcome = rig.session.run('go');
    await waitFor(() => clock.sleeping === 1);
    clock.advance(60_000);
    expect(await outcome).toMatchObject({ stop: 'completed', text: 'Hello' });
    expect(slow.runs).toEqual([]);
  });

  it('security O4: calls of an answer that reached its length limit are not run, and the model is told', async () => {
    const slow = createSlow();
    const provider = createScriptedProvider({
      script: [{ calls: [{ name: 'slow' }], stop: 'length' }, { text: 'shorter' }],
    });
    rig = await createSessionRig({ provider, tools: [slow.tool] });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'shorter' });
    expect(slow.runs).toEqual([]);
    expect(provider.requests[1]?.results[0]?.text).toContain('length limit');
  });

  it.each([
    ['a cut object', '{"command": "ls"'],
    ['a list', '["a"]'],
    ['a text', '"ls"'],
    ['null', 'null'],
  ])('case P12, security O5: arguments that are %s run nothing and poison nothing', async (_name, rawArguments) => {
    const slow = createSlow();
    const provider = createScriptedProvider({
      script: [{ calls: [{ name: 'slow', rawArguments }] }, { text: 'sorry' }],
    });
    rig = await createSessionRig({ provider, tools: [slow.tool] });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'sorry' });
    expect(slow.runs).toEqual([]);
    expect(JSON.parse(provider.requests[1]!.calls[0]!.arguments)).toEqual({});
    expect(provider.requests[1]?.results[0]?.text).toContain('not a JSON object');
  });

  it('security O6: a call id that comes back in a later turn is a call of its own', async () => {
    const runs: string[] = [];
    const tool = defineTool({
      name: 'count',
      description: 'Counts.',
      input: z.object({}),
      risk: 'read',
      execute: () => `${runs.push('x')}`,
    });
    const turn: Turn = { calls: [{ name: 'count', id: 'call_0' }] };
    const provider = createScriptedProvider({ script: [turn, turn, { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [tool] });
    await rig.session.run('go');
    expect(runs).toHaveLength(2);
    expect(new Set(provider.requests[2]?.calls.map(({ id }) => id)).size).toBe(2);
    expect(provider.requests[2]?.results.map(({ text }) => text)).toEqual(['1', '2']);
  });
});
