/** What others sent to this session's runner: prompts, answers, aborts. Drained between any two events. */

import { ReinError } from '../protocol/errors.ts';
import type { StoredBody } from '../protocol/event.ts';
import { fittingDecisions } from '../protocol/interrupt.ts';
import type { InboxItem } from '../protocol/session.ts';
import { wakeTasks } from './calls/tasks.ts';
import { receive } from './history/receive.ts';
import type { Runtime } from './runtime.ts';

/** Something may have arrived that nobody has looked at. */
export function hasMail({ log, inboxSeen }: Runtime): boolean {
  return log.inboxPending || inboxSeen;
}

/** Takes what can be taken now; says whether anything was. */
export async function drainInbox(runtime: Runtime): Promise<boolean> {
  runtime.inboxSeen = false;
  await runtime.flush();
  let took = false;
  for (const item of await runtime.log.inbox()) took = (await take(runtime, item)) || took;
  if (took) wakeTasks(runtime);
  return took;
}

/**
 * Watches the inbox for as long as the runner holds the session: wakes whoever waits, and aborts the run at once when
 * that is what arrived. Nothing is taken here.
 */
export async function watchInbox(runtime: Runtime, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await runtime.log.inboxArrival(signal);
    // Before the look, which clears the log's own mark: who drains meanwhile must not miss what is there.
    runtime.inboxSeen = true;
    const items = await runtime.log.inbox();
    if (runtime.state.run && items.some((item) => item.kind === 'abort'))
      runtime.abort.abort(new ReinError('E_ABORTED'));
    runtime.wakeUp();
  }
}

async function take(runtime: Runtime, item: InboxItem): Promise<boolean> {
  if (item.kind === 'abort') {
    runtime.record([], { taken: [item.id] });
    if (runtime.state.run) runtime.abort.abort(new ReinError('E_ABORTED'));
    return true;
  }
  if (item.kind === 'answer') return takeAnswer(runtime, item);
  if (item.mode === 'next') return false;
  if (!runtime.state.run) {
    // It came before the run that it steers.
    runtime.inboxSeen = true;
    return false;
  }
  const worker = runtime.state.graph?.child;
  if (worker) {
    await runtime.setup.children.deliver(worker, item);
    runtime.record([], { taken: [item.id] });
    return true;
  }
  const message = await receive(runtime, item.parts);
  runtime.record([{ type: 'message', message, origin: item.origin ?? 'steer', inbox: item.id }]);
  return true;
}

async function takeAnswer(runtime: Runtime, item: InboxItem & { kind: 'answer' }): Promise<boolean> {
  const { interruptId, decision } = item;
  const { open, graph, tasks } = runtime.state;
  const asked = graph?.asked?.interrupt.id === interruptId && !graph.asked.decision ? graph.asked : undefined;
  const interrupt = asked?.interrupt ?? open.find((call) => call.interrupt?.id === interruptId)?.interrupt;
  if (!interrupt) {
    const begun = [...open.map(({ child }) => child), ...tasks.map(({ id }) => id), graph?.child];
    const children = begun.filter((child) => child !== undefined);
    const child = children.find((id) => interruptId.startsWith(`${id}:`));
    const target = child ?? children.find((id) => interruptId.startsWith(`${id}.`));
    if (target) await runtime.setup.children.deliver(target, item);
    else runtime.warn(new ReinError('E_INTERRUPT_STALE', { interrupt: interruptId }));
    runtime.record([], { taken: [item.id] });
    return target !== undefined;
  }
  if (!fittingDecisions(interrupt).includes(decision.decision) || decision.digest !== interrupt.digest) {
    runtime.record([], { taken: [item.id] });
    runtime.warn(new ReinError('E_DECISION_INVALID', { interrupt: interruptId, decision: decision.decision }));
    return false;
  }
  const grants = decision.decision === 'approve_session' || decision.decision === 'approve_always';
  const close: StoredBody = { type: 'interrupt-close', interruptId, decision, inbox: item.id };
  runtime.record([grants && interrupt.rule !== undefined ? { ...close, rule: interrupt.rule } : close]);
  return true;
}
