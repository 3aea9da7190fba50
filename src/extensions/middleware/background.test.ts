import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../protocol/define/tool.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../../testing/session-rig.ts';
import { waitFor } from '../../testing/time.ts';
import type { ScriptRequest, Turn } from '../../testing/turn.ts';

const rigs: SessionRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
});

async function rigOf(...args: Parameters<typeof createSessionRig>): Promise<SessionRig> {
  const rig = await createSessionRig(...args);
  rigs.push(rig);
  return rig;
}

const isChild = ({ userTexts }: ScriptRequest) => userTexts.some((text) => text.startsWith('child'));
const begin = (prompt = 'child work'): Turn => ({
  calls: [{ name: 'task', input: { agent: 'general', prompt, background: true } }],
});
const control = (input: Record<string, string>): Turn => ({ calls: [{ name: 'task_control', input }] });

/** A tool that runs until it is let go or aborted. */
function createHold() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  const tool = defineTool({
    name: 'hold',
    description: 'Waits.',
    input: z.object({}),
    risk: 'read',
    idempotent: true,
    execute: async (_input, { signal }) => {
      seen.push('began');
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      await Promise.race([promise, aborted]).catch((error) => {
        seen.push('aborted');
        throw error;
      });
      return 'held';
    },
  });
  return { tool, seen, release: resolve };
}

describe('a background task', () => {
  it('lets the run go on, is waited for, and announces its result with what it used', async () => {
    const hold = createHold();
    const provider = createScriptedProvider({
      respond: (request) => {
        if (isChild(request))
          return request.results.length === 0
            ? { calls: [{ name: 'hold' }] }
            : { text: 'the report', usage: { output: 5 } };
        if (request.calls.length === 0) return begin();
        if (request.calls.length === 1) return control({ action: 'list' });
        if (request.userTexts.some((text) => text.includes('the report'))) return { text: 'all done' };
        queueMicrotask(hold.release);
        return { text: 'waiting for it' };
      },
    });
    const rig = await rigOf({ provider, tools: [hold.tool] });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'all done' });
    const { results } = provider.requests.at(-1)!;
    expect(results[0]!.text).toMatch(/^Started as task_1\./);
    expect(results[1]!.text).toBe('task_1 general running: child work');
    const events = await Array.fromAsync(rig.session.events());
    expect(events.filter((event) => event.type === 'message' && event.origin === 'task')).toMatchObject([
      { task: `${rig.session.id}.1`, ended: 'ok', usage: { output: 15 } },
    ]);
    expect(events.filter((event) => event.type === 'run-end')).toHaveLength(1);
    const { usage } = await (await rig.harness.store()).usage(rig.session.id);
    expect(events.findLast((event) => event.type === 'run-end')).toMatchObject({ usage });
  });

  it('can be told something, looked at and cancelled', async () => {
    const hold = createHold();
    const provider = createScriptedProvider({
      respond: async (request) => {
        if (isChild(request)) {
          return request.results.length === 0 ? { text: 'looking', calls: [{ name: 'hold' }] } : { text: 'ended' };
        }
        const steps = [
          begin('child one'),
          begin('child two'),
          control({ action: 'update', id: 'task_1', message: 'hurry up' }),
          control({ action: 'check', id: 'task_2' }),
          control({ action: 'cancel', id: 'task_2' }),
          control({ action: 'check', id: 'task_9' }),
        ];
        const next = steps[request.calls.length];
        if (request.calls.length === 2) await waitFor(() => hold.seen.length === 2);
        if (next) return next;
        hold.release();
        return { text: 'that is all' };
      },
    });
    const rig = await rigOf({ provider, tools: [hold.tool] });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'that is all' });
    const last = provider.requests.findLast((request) => !isChild(request))!;
    expect(last.results.slice(2).map(({ text }) => text)).toEqual([
      'task_1 was told; it reads this before its next step.',
      'task_2 general running: child two\nlooking',
      'task_2 is being cancelled; a message says when it has ended.',
      'There is no task "task_9". The tasks are: task_1, task_2.',
    ]);
    expect(last.userTexts.join()).toMatch(/id="task_2">\nThe background task was cancelled/);
    expect(last.userTexts.join()).toMatch(/id="task_1">\nThe background task has ended\.\n\nended/);
    const told = provider.requests.findLast((request) =>
      request.userTexts.some((text) => text.startsWith('child one')),
    )!;
    expect(told.userTexts).toContain('hurry up');
  });

  it('case P23: is aborted with the run, and no model is asked again', async () => {
    const hold = createHold();
    const provider = createScriptedProvider({
      respond: (request) => {
        if (isChild(request)) return { calls: [{ name: 'hold' }] };
        return request.calls.length === 0 ? begin() : { text: 'waiting' };
      },
    });
    const rig = await rigOf({ provider, tools: [hold.tool] });
    const outcome = rig.session.run('go');
    await waitFor(() => hold.seen.length === 1 && provider.requests.length === 3);
    await rig.session.abort();
    expect(await outcome).toMatchObject({ stop: 'aborted' });
    expect(hold.seen).toEqual(['began', 'aborted']);
    expect(provider.requests).toHaveLength(3);
  });

  it('goes on where it was when its session is opened again', async () => {
    const hold = createHold();
    const provider = createScriptedProvider({
      respond: (request) => {
        if (isChild(request))
          return request.results.length === 0 ? { calls: [{ name: 'hold' }] } : { text: 'the report' };
        if (request.calls.length === 0) return begin();
        return { text: request.userTexts.some((text) => text.includes('the report')) ? 'all done' : 'waiting' };
      },
    });
    const rig = await rigOf({ provider, tools: [hold.tool] });
    void rig.session.run('go').catch(() => {});
    await waitFor(() => hold.seen.length === 1 && provider.requests.length === 3);
    const { session, place } = rig;
    // A process that is killed writes nothing more: a second harness takes the logs as they stand.
    const later = createHold();
    const second = await createSessionRig({ provider, tools: [later.tool] }, place);
    const store = await second.harness.store();
    for (const id of [session.id, `${session.id}.1`]) await (await store.claim(id, { takeOver: true })).release();
    const resumed = await second.reopen({ resume: session.id });
    later.release();
    expect(await resumed.session.resume()).toMatchObject({ stop: 'completed', text: 'all done' });
    const children = await (await resumed.harness.store()).listChildren(session.id);
    expect(children).toHaveLength(1);
    await resumed.harness.close();
  });
});
