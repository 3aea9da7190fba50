/**
 * `advance` does the next thing the log calls for: answer open calls, else call the model, else close the run. Any
 * runner is a loop over it; nothing here knows where that loop stands.
 */

import { frame } from '../lib/text/frame.ts';
import { ReinError } from '../protocol/errors.ts';
import type { StoredBody } from '../protocol/event.ts';
import { userText } from '../protocol/message.ts';
import { callModel } from './call-model.ts';
import { callTools, cancelOpen } from './calls/call-tools.ts';
import { announceTasks, endTasks, hasOpenTasks, startTasks, waitForTasks } from './calls/tasks.ts';
import { receive } from './history/receive.ts';
import { drainInbox, hasMail } from './inbox.ts';
import { driveGraph, isGraphRun } from './plan/drive-graph.ts';
import { finish } from './plan/finish.ts';
import { modelName, type Runtime } from './runtime.ts';
import { runSteps } from './steps.ts';
import { findLoop, type Stop, stopFor, usedUp } from './stop.ts';

export type Advance = 'again' | 'waiting' | 'done';

/**
 * One step of one session. `again`: call it again. `waiting`: the run waits for a person; call it again after an
 * answer. `done`: no run is open and no prompt waits. Throws only what makes the session unusable for this runner
 * (`E_SESSION_FENCED`, `E_STORE_*`); everything else becomes an event.
 */
export async function advance(runtime: Runtime): Promise<Advance> {
  if (hasMail(runtime)) await drainInbox(runtime);
  const { state } = runtime;
  if (!state.run) return startNextRun(runtime);
  runtime.budget.enter();
  try {
    return await step(runtime);
  } catch (error) {
    const failure = runtime.abort.signal.aborted ? runtime.abort.signal.reason : error;
    if (isStoreFailure(failure)) throw failure;
    return endRun(runtime, stopFor(ReinError.from(failure)));
  } finally {
    runtime.budget.leave();
  }
}

async function step(runtime: Runtime): Promise<Advance> {
  const { state, setup, budget } = runtime;
  startTasks(runtime);
  if (state.open.length > 0) return withDeadline(runtime, () => callTools(runtime));
  if (runtime.abort.signal.aborted) return endRun(runtime, stopFor(ReinError.from(runtime.abort.signal.reason)));
  if (state.run?.rejected) return endRun(runtime, { stop: 'rejected' });
  if (isGraphRun(runtime)) {
    const next = await withDeadline(runtime, () => driveGraph(runtime));
    return typeof next === 'string' ? next : endRun(runtime, next);
  }
  if (runtime.tasks.size > 0) await announceTasks(runtime);
  if (state.answered && hasOpenTasks(runtime)) {
    return hasMail(runtime) ? 'again' : withDeadline(runtime, () => waitForTasks(runtime));
  }
  if (state.answered) {
    const end = await withDeadline(runtime, () => finish(runtime));
    return end ? endRun(runtime, end) : 'again';
  }
  const last = state.history.messages.at(-1);
  if (last?.role === 'assistant' && last.incomplete) return endRun(runtime, stopFor(new ReinError('E_ABORTED')));
  const stop = usedUp(state, setup.limits, budget);
  if (stop) return endRun(runtime, stop);
  const loop = findLoop(state.recentCalls);
  if (loop !== undefined) correctLoop(runtime, loop);
  await withDeadline(runtime, () => callModel(runtime));
  return 'again';
}

/** Tells the model once; a model that goes on in circles ends the run. */
function correctLoop(runtime: Runtime, calls: string): void {
  if (runtime.state.run?.corrections) throw new ReinError('E_LOOP', { calls });
  const text = `You have called ${calls} three times with the same input and got the same result each time. Do not repeat it: try another way, or say what is in the way.`;
  runtime.record([{ type: 'message', message: userText(frame('harness', {}, text)), origin: 'loop' }]);
}

/** Aborts the run when the time of its tree is up while it works. */
function withDeadline<T>(runtime: Runtime, work: () => Promise<T>): Promise<T> {
  const limit = runtime.setup.limits.timeoutSeconds;
  if (limit === undefined) return work();
  const left = limit * 1000 - runtime.budget.elapsedMs();
  const timer = setTimeout(() => runtime.abort.abort(new ReinError('E_TIMEOUT', { limit })), left);
  return work().finally(() => clearTimeout(timer));
}

async function startNextRun(runtime: Runtime): Promise<Advance> {
  const { handed } = runtime;
  const prompt = handed ?? (await runtime.log.inbox()).find((item) => item.kind === 'prompt');
  if (!prompt) return 'done';
  runtime.handed = undefined;
  const { setup, state } = runtime;
  runtime.abort = new AbortController();
  const isFirst = state.history.messages.length === 0;
  if (runtime.abortNext !== undefined) runtime.abort.abort(runtime.abortNext);
  runtime.abortNext = undefined;
  runtime.startRun(prompt.id, { type: 'run-start', driver: setup.driver, model: modelName(runtime.model) });
  const opening = isFirst ? await setup.opening() : '';
  const events: StoredBody[] = opening ? [{ type: 'message', message: userText(opening), origin: 'opening' }] : [];
  const { parts, origin = 'user', id } = prompt;
  const instruction = setup.answer?.instruction;
  const told = instruction === undefined ? parts : [...parts, { type: 'text', text: instruction } as const];
  const message = await receive(runtime, told);
  runtime.record([...events, { type: 'message', message, origin, ...(!handed && { inbox: id }) }]);
  try {
    await runSteps(runtime, setup.middleware, (middleware, context) => middleware.beforeAgent?.(context));
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    return endRun(runtime, stopFor(ReinError.from(error)));
  }
  return 'again';
}

async function endRun(runtime: Runtime, end: Stop): Promise<Advance> {
  const { setup, state } = runtime;
  let stop = end;
  if (state.open.length > 0) await cancelOpen(runtime, 'the run ended');
  await endTasks(runtime);
  const asked = state.graph?.asked;
  if (asked && !asked.decision) {
    const { id } = asked.interrupt;
    runtime.record([{ type: 'interrupt-close', interruptId: id, decision: { decision: 'cancelled' } }]);
  }
  try {
    await runSteps(runtime, [...setup.middleware].reverse(), (middleware, context) => middleware.afterAgent?.(context));
  } catch (error) {
    stop = end.error ? end : stopFor(ReinError.from(error));
  }
  if (!state.run) return 'again';
  const { usage, cost } = state.run;
  runtime.record([
    {
      type: 'run-end',
      stop: stop.stop,
      usage,
      cost,
      ...(stop.verification && { verification: stop.verification }),
      ...(stop.error && { error: stop.error.toData() }),
    },
  ]);
  await runtime.flush();
  return 'again';
}

function isStoreFailure(error: unknown): boolean {
  return ReinError.is(error) && (error.code === 'E_SESSION_FENCED' || error.code.startsWith('E_STORE_'));
}
