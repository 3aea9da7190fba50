/**
 * The calls of one turn: all judged, all interrupts opened together, allowed calls started at once, asked ones when
 * they are answered, results in call order once all are closed.
 */
import type { CallResult, Middleware, ToolCall } from '../../protocol/define/middleware.ts';
import type { Tool } from '../../protocol/define/tool.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { StoredBody } from '../../protocol/event.ts';
import { compose, once } from '../compose.ts';
import { drainInbox, hasMail } from '../inbox.ts';
import type { Runtime } from '../runtime.ts';
import type { OpenCall } from '../session-state.ts';
import { createGate, type GateTicket } from './gate.ts';
import { holdCall } from './held-call.ts';
import { ChildWaiting, errorResult, runEffect, Suspended } from './run-effect.ts';
import { endWithoutResult, resultWithoutOnion } from './without-effect.ts';

/** Works on the open calls until all are closed (`again`) or what is left waits for a person (`waiting`). */
export async function callTools(runtime: Runtime): Promise<'again' | 'waiting'> {
  const { state, running } = runtime;
  const waiting = new Set<string>();
  for (;;) {
    // Before the look: what comes meanwhile must not be missed.
    const wake = runtime.wake.promise;
    if (hasMail(runtime) && (await drainInbox(runtime))) waiting.clear();
    if (runtime.abort.signal.aborted) return cancelOpen(runtime, 'aborted by the user');
    if (state.run?.rejected) return cancelOpen(runtime, 'cancelled, because the user rejected a call of this turn');
    startCalls(runtime, waiting);
    if (state.open.length === 0) return 'again';
    if (running.size > 0) await wake;
    else {
      await runtime.flush();
      // Nobody waits for a wake-up yet: what came meanwhile is seen here or never.
      if (!hasMail(runtime) && !runtime.abort.signal.aborted) return 'waiting';
    }
  }
}

/** Starts the onion of every open call that can move on. */
function startCalls(runtime: Runtime, waiting: Set<string>): void {
  const ready = runtime.state.open.filter(
    (call) => !call.result && !call.interrupt && !runtime.running.has(call.part.id) && !waiting.has(call.part.id),
  );
  if (ready.length === 0) return;
  const enter = createGate(ready.length, () => runtime.flush());
  for (const call of ready) {
    const gate = enter();
    const work = passThrough(runtime, call, gate, waiting)
      .catch((error: unknown) => runtime.abort.abort(error))
      .then(() => {
        gate.leave();
        runtime.running.delete(call.part.id);
        runtime.wakeUp();
      });
    runtime.running.set(call.part.id, work);
  }
}

/** One call's way through the onion, to its result or to its interrupt. */
async function passThrough(runtime: Runtime, open: OpenCall, gate: GateTicket, waiting: Set<string>): Promise<void> {
  const id = open.part.id;
  try {
    const result = resultWithoutOnion(runtime, open) ?? (await throughOnion(runtime, open, gate));
    const { updates = [], ...end } = result;
    if (!open.result) runtime.record([...updates, { type: 'tool-call-end', callId: id, ...end }]);
  } catch (error) {
    if (error instanceof Suspended) {
      runtime.record([{ type: 'interrupt-open', interrupt: error.interrupt }]);
    } else if (error instanceof ChildWaiting) {
      waiting.add(id);
    } else throw error;
  }
}

async function throughOnion(runtime: Runtime, open: OpenCall, gate: GateTicket): Promise<CallResult> {
  const { setup } = runtime;
  const { name } = open.part;
  const parsed = (setup.tools.get(name) as Tool).parse(open.input);
  if (!parsed.ok) return errorResult(parsed.error);
  const pass = toolOnion(runtime, open, gate);
  try {
    const held = { open, sandbox: await setup.sandboxOf(name) };
    return await pass(holdCall(runtime, held, parsed.input));
  } catch (error) {
    return failedResult(runtime, name, error);
  }
}

/** A tool call through the layers, the effect innermost. */
function toolOnion(runtime: Runtime, open: OpenCall, gate: GateTicket) {
  const twice = { name: open.part.name, detail: 'next() was called twice for one tool call' };
  return compose<ToolCall, CallResult>(
    runtime.setup.middleware
      .filter((one) => one.wrapToolCall)
      .map((one) => (call, next) => (one as unknown as Middleware).wrapToolCall!(call, next, runtime.contextFor(one))),
    once(
      (call) => runEffect(runtime, open, call, gate),
      () => new ReinError('E_MIDDLEWARE', twice),
    ),
  );
}

/** What goes wrong in the onion is a result, but for what ends the pass or the run. */
function failedResult({ abort }: Runtime, name: string, error: unknown): CallResult {
  if (error instanceof Suspended || error instanceof ChildWaiting) throw error;
  if (abort.signal.aborted) throw abort.signal.reason;
  // Nothing may run where the user wants a sandbox and none holds: the run ends instead of going on without.
  if (ReinError.is(error) && /^E_SANDBOX_(UNAVAILABLE|DOMAINS)$/.test(error.code)) throw error;
  return errorResult(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** Ends every call that has no result. Running ones were told to stop and are waited for. */
export async function cancelOpen(runtime: Runtime, why: string): Promise<'again'> {
  await Promise.allSettled(runtime.running.values());
  runtime.throwStoreFailure();
  const events = runtime.state.open.flatMap((call): StoredBody[] => {
    if (call.result) return [];
    const end: StoredBody = { type: 'tool-call-end', callId: call.part.id, ...endWithoutResult(call, why) };
    if (!call.interrupt) return [end];
    return [{ type: 'interrupt-close', interruptId: call.interrupt.id, decision: { decision: 'cancelled' } }, end];
  });
  runtime.record(events);
  return 'again';
}
