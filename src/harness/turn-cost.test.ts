/** What a turn costs, in what can be counted: times depend on the machine. */
import { createHook } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineMiddleware } from '../protocol/define/middleware.ts';
import { defineTool } from '../protocol/define/tool.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig } from '../testing/session-rig.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  risk: 'read',
  execute: ({ text }) => `said ${text}`,
});

const everyStep = defineMiddleware({
  name: 'every-step',
  beforeModel() {},
  wrapModelCall: (request, next) => next(request),
  wrapToolCall: (call, next) => next(call),
  afterModel() {},
});

/** Promises made by a run of so many turns. */
async function promisesOf(turns: number): Promise<number> {
  const respond = ({ results }: { results: readonly unknown[] }) =>
    results.length < turns - 1
      ? { calls: [{ name: 'echo', input: { text: `n${results.length}` } }] }
      : { text: 'done' };
  const provider = createScriptedProvider({ respond });
  await using rig = await createSessionRig({ provider, tools: [echo], middleware: [everyStep] });
  let count = 0;
  const hook = createHook({ init: (_id, type) => void (type === 'PROMISE' && count++) }).enable();
  try {
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', turns });
  } finally {
    hook.disable();
  }
  return count;
}

it('a turn waits a bounded number of times, whatever came before it', async () => {
  await promisesOf(2);
  const [short, middle, long] = [await promisesOf(5), await promisesOf(15), await promisesOf(25)];
  const early = (middle - short) / 10;
  const late = (long - middle) / 10;
  expect(late - early).toBeLessThan(1);
  expect(late).toBeLessThan(150);
});
