import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineMiddleware } from '../protocol/define/middleware.ts';
import { defineTool } from '../protocol/define/tool.ts';
import type { Decision, Interrupt } from '../protocol/interrupt.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../testing/session-rig.ts';
import { waitFor } from '../testing/time.ts';

const ran: string[] = [];
const act = defineTool({
  name: 'act',
  description: 'Acts.',
  input: z.object({ what: z.string() }),
  risk: 'write',
  execute: ({ what }) => {
    ran.push(what);
    return `did ${what}`;
  },
});
const ask = defineTool({
  name: 'ask_someone',
  description: 'Asks.',
  input: z.object({ question: z.string() }),
  risk: 'read',
  ask: ({ question }) => ({ question }),
});
const spawn = defineTool({
  name: 'spawn',
  description: 'Delegates.',
  input: z.object({ prompt: z.string() }),
  risk: 'read',
  delegate: ({ prompt }) => ({ agent: 'general', prompt }),
});

/** Asks for everything that acts, unless it begins with "free". */
const gate = defineMiddleware({
  name: 'approval',
  slot: 'approval',
  wrapToolCall: (call, next) => {
    const { what } = call.input;
    const isFree = typeof what !== 'string' || what.startsWith('free') || call.approved !== undefined;
    return isFree ? next(call) : call.suspend({ kind: 'approval', warnings: [], rule: `act(${what})` });
  },
});

const acts = (...whats: string[]) => ({ calls: whats.map((what) => ({ name: 'act', input: { what } })) });

let rig: SessionRig | undefined;
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
  ran.length = 0;
});

const open = (count: number) =>
  waitFor(async () => {
    const interrupts = (await rig?.session.interrupts()) ?? [];
    return interrupts.length === count && interrupts;
  });
const approve = ({ id, digest }: Interrupt) => rig!.session.answer(id, { decision: 'approve', digest });

describe('approvals', () => {
  it('security I8: of three calls one runs, one is rejected with a reason, one is edited; results keep their ids', async () => {
    const provider = createScriptedProvider({ script: [acts('a', 'b', 'c'), { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [act], middleware: [gate], interactive: true });
    const outcome = rig.session.run('go');
    const [first, second, third] = await open(3);
    await approve(first!);
    await rig.session.answer(second!.id, { decision: 'reject', digest: second!.digest, reason: 'not that' });
    await rig.session.answer(third!.id, { decision: 'edit', digest: third!.digest, input: { what: 'c, but better' } });
    expect(await outcome).toMatchObject({
      stop: 'completed',
      refused: [{ tool: 'act', input: { what: 'b' }, refusal: 'person' }],
    });
    expect(ran.sort()).toEqual(['a', 'c, but better']);
    expect(provider.requests[1]?.results.map(({ text }) => text)).toEqual([
      'did a',
      'The user rejected this call: not that',
      'did c, but better',
    ]);
  });

  it('an allowed sibling runs while another call waits, and is not run again after a restart', async () => {
    const provider = createScriptedProvider({ script: [acts('free sibling', 'asked'), { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [act], middleware: [gate], interactive: true });
    void rig.session.run('go');
    await open(1);
    await waitFor(() => ran.length === 1);
    rig = await rig.reopen();
    const resumed = rig.session.resume();
    const [waiting] = await open(1);
    expect(waiting).toMatchObject({ kind: 'approval', call: { tool: 'act', input: { what: 'asked' } } });
    await approve(waiting!);
    expect(await resumed).toMatchObject({ stop: 'completed', text: 'done' });
    expect(ran).toEqual(['free sibling', 'asked']);
  });

  it('a rejection without a reason ends the run; calls that still waited are cancelled', async () => {
    const provider = createScriptedProvider({ script: [acts('a', 'b')] });
    rig = await createSessionRig({ provider, tools: [act], middleware: [gate], interactive: true });
    const outcome = rig.session.run('go');
    const [first] = await open(2);
    await rig.session.answer(first!.id, { decision: 'reject', digest: first!.digest });
    expect(await outcome).toMatchObject({ stop: 'rejected' });
    expect(ran).toEqual([]);
    expect(rig.session.state?.messages.at(-1)).toMatchObject({
      role: 'tool',
      results: [{ status: 'denied' }, { status: 'cancelled' }],
    });
  });

  it('security I1: an answer that names another digest, does not fit, or comes second changes nothing', async () => {
    const provider = createScriptedProvider({ script: [acts('a'), { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [act], middleware: [gate], interactive: true });
    const outcome = rig.session.run('go');
    const [first] = await open(1);
    const { id, digest } = first!;
    const answer = (decision: Parameters<SessionRig['session']['answer']>[1]) => rig!.session.answer(id, decision);
    await expect(answer({ decision: 'approve', digest: 'other' })).rejects.toMatchObject({
      code: 'E_DECISION_INVALID',
    });
    const unfit: unknown[] = [
      { decision: 'answer', digest, answer: 'x' },
      { decision: 'edit', digest },
      { decision: 'edit', digest, input: ['a'] },
      { decision: 'reject', digest, reason: 5 },
      { decision: 'toString', digest },
      null,
      undefined,
      'approve',
    ];
    for (const decision of unfit) {
      await expect(answer(decision as Decision)).rejects.toMatchObject({ code: 'E_DECISION_INVALID' });
    }
    expect(ran).toEqual([]);
    await answer({ decision: 'approve', digest });
    await expect(answer({ decision: 'approve', digest })).rejects.toMatchObject({ code: 'E_INTERRUPT_STALE' });
    await outcome;
    await expect(answer({ decision: 'approve', digest })).rejects.toMatchObject({ code: 'E_INTERRUPT_STALE' });
    expect(ran).toEqual(['a']);
  });

  it('where nobody can be asked, what an earlier process left open is refused and the run goes on', async () => {
    const provider = createScriptedProvider({ script: [acts('a'), { text: 'done' }] });
    rig = await createSessionRig({ provider, tools: [act], middleware: [gate], interactive: true });
    void rig.session.run('go');
    await open(1);
    rig = await rig.reopen(undefined, { interactive: false });
    expect(await rig.session.run('go on')).toMatchObject({ stop: 'completed', refused: [{ refusal: 'nobody' }] });
    expect(ran).toEqual([]);
  });
});

describe('questions', () => {
  it('are answered by a person, and the answer is the result', async () => {
    const provider = createScriptedProvider({
      script: [{ calls: [{ name: 'ask_someone', input: { question: 'Which one?' } }] }, { text: 'done' }],
    });
    rig = await createSessionRig({ provider, tools: [ask], interactive: true });
    const outcome = rig.session.run('go');
    const [question] = await open(1);
    expect(question).toMatchObject({ kind: 'question', question: 'Which one?' });
    await rig.session.answer(question!.id, { decision: 'answer', digest: question!.digest, answer: 'The left one' });
    await outcome;
    expect(provider.requests[1]?.results.map(({ text }) => text)).toEqual(['The left one']);
  });

  it('get an error result where nobody can answer, and the run goes on', async () => {
    const provider = createScriptedProvider({
      script: [{ calls: [{ name: 'ask_someone', input: { question: 'Which one?' } }] }, { text: 'done' }],
    });
    rig = await createSessionRig({ provider, tools: [ask] });
    expect(await rig.session.run('go')).toMatchObject({
      stop: 'completed',
      refused: [{ tool: 'ask_someone', refusal: 'nobody' }],
    });
  });
});

describe('child sessions', () => {
  const delegate = { calls: [{ name: 'spawn', input: { prompt: 'the child part' } }] };

  it('their interrupts are listed and answered at the root, also after a restart', async () => {
    const provider = createScriptedProvider({
      respond: ({ userTexts, results }) => {
        const isChild = userTexts.includes('the child part');
        if (isChild) return results.length === 0 ? acts('child act') : { text: 'child done' };
        return results.length === 0 ? delegate : { text: `root got: ${results[0]?.text}` };
      },
    });
    rig = await createSessionRig({ provider, tools: [act, spawn], middleware: [gate], interactive: true });
    void rig.session.run('go');
    const [before] = await open(1);
    expect(before).toMatchObject({ agent: 'main/general-1', call: { input: { what: 'child act' } } });
    rig = await rig.reopen();
    const resumed = rig.session.resume();
    const [after] = await open(1);
    expect(after).toEqual(before);
    await approve(after!);
    expect(await resumed).toMatchObject({ stop: 'completed', text: 'root got: child done' });
    expect(ran).toEqual(['child act']);
  });

  it('their usage counts for the parent once, and their events carry their own session', async () => {
    const provider = createScriptedProvider({
      respond: ({ userTexts, results }) => {
        const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
        if (userTexts.includes('the child part')) return { text: 'child done', usage };
        return results.length === 0 ? { ...delegate, usage } : { text: 'done', usage };
      },
    });
    rig = await createSessionRig({ provider, tools: [spawn] });
    const sessions = new Set<string>();
    rig.session.listen((event) => sessions.add(event.session));
    const outcome = await rig.session.run('go');
    expect(outcome.usage).toEqual({ input: 300, output: 30, cacheRead: 0, cacheWrite: 0 });
    expect([...sessions]).toEqual([rig.session.id, `${rig.session.id}.1`]);
  });

  it('a rejection without a reason ends the child alone; its parent gets an error result', async () => {
    const provider = createScriptedProvider({
      respond: ({ userTexts, results }) => {
        if (userTexts.includes('the child part')) return acts('child act');
        return results.length === 0 ? delegate : { text: `root got: ${results[0]?.text}` };
      },
    });
    rig = await createSessionRig({ provider, tools: [act, spawn], middleware: [gate], interactive: true });
    const outcome = rig.session.run('go');
    const [first] = await open(1);
    await rig.session.answer(first!.id, { decision: 'reject', digest: first!.digest });
    expect(await outcome).toMatchObject({
      stop: 'completed',
      text: expect.stringContaining('a person refused a call'),
    });
  });
});
