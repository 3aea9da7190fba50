/** What a turn costs, in what can be counted: times depend on the machine. */
import { createHook } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { defineMiddleware } from '../protocol/define/middleware.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig } from '../testing/session-rig.ts';
import { echo } from './__fixtures__/echo.ts';

const everyStep = defineMiddleware({
  name: 'every-step',
  beforeModel() {},
  wrapModelCall: (request, next) => next(request),
  wrapToolCall: (call, next) => next(call),
  afterModel() {},
});

/** Promises made in each turn of a run of so many. */
async function promisesOf(turns: number): Promise<number[]> {
  const respond = ({ results }: { results: readonly unknown[] }) =>
    results.length < turns - 1
      ? { calls: [{ name: 'echo', input: { text: `n${results.length}` } }] }
      : { text: 'done' };
  const provider = createScriptedProvider({ respond });
  await using rig = await createSessionRig({ provider, tools: [echo], middleware: [everyStep] });
  let count = 0;
  const ends: number[] = [];
  rig.session.listen(({ type }) => type === 'turn-end' && ends.push(count));
  const hook = createHook({ init: (_id, type) => void (type === 'PROMISE' && count++) }).enable();
  try {
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', turns });
  } finally {
    hook.disable();
  }
  return ends.slice(1).map((end, index) => end - ends[index]!);
}

/** Of most turns: what a timer does meanwhile counts for one or two of them. */
function median(counts: readonly number[]): number {
  return counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]!;
}

it('a turn waits a bounded number of times, whatever came before it', async () => {
  const turns = await promisesOf(45);
  const [early, late] = [median(turns.slice(4, 24)), median(turns.slice(-20))];
  expect(late - early).toBeLessThan(1);
  expect(late).toBeLessThan(150);
});
