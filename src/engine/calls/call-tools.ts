/**
 * The calls of one turn: all judged, all interrupts opened together, allowed calls started at once, asked ones when
 * they are answered, results in call order once all are closed.
 */
import { digest } from '../../lib/digest.ts';
import type { CallResult, Middleware, ToolCall } from '../../protocol/define/middleware.ts';
import type { Tool } from '../../protocol/define/tool.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Refusal, StoredBody } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { compose, once } from '../compose.ts';
import type { OpenCall } from '../fold.ts';
import { drainInbox, hasMail } from '../inbox.ts';
import type { Runtime } from '../runtime.ts';
import { createGate, type GateTicket } from './gate.ts';
import { ChildWaiting, errorResult, runEffect, Suspended } from './run-effect.ts';

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

/** What needs no judging: calls that cannot run, were answered, or were cut off by a crash. */
function resultWithoutOnion(runtime: Runtime, open: OpenCall): CallResult | undefined {
  const { part, decision, started, child } = open;
  const tool = runtime.setup.tools.get(part.name);
  if (part.invalid !== undefined) {
    return errorResult(
      `The arguments of ${part.name} are not a JSON object: ${excerpt(part.invalid)}. Send the call again.`,
    );
  }
  if (!tool) {
    const names = [...runtime.setup.tools.keys()].sort().join(', ');
    return errorResult(`There is no tool named ${part.name}. The tools are: ${names || 'none'}.`);
  }
  if (decision?.decision === 'reject') {
    return rejectedResult(decision.reason, runtime.setup.interactive ? 'person' : 'nobody');
  }
  if (decision?.decision === 'answer')
    return { status: 'ok', content: [{ type: 'text', text: decision.answer ?? '' }] };
  if (!started || child) return undefined;
  return tool.idempotent ? undefined : errorResult(interruptedText(part.name), 'interrupted');
}

function rejectedResult(reason: string | undefined, refusal: Refusal): CallResult {
  const text = reason ? `The user rejected this call: ${reason}` : 'The user rejected this call.';
  return { ...errorResult(text, 'denied'), refusal };
}

function interruptedText(name: string): string {
  return `${name} was interrupted; whether it took effect is not known. Check before you repeat it.`;
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()} ...` : text;
}

async function throughOnion(runtime: Runtime, open: OpenCall, gate: GateTicket): Promise<CallResult> {
  const tool = runtime.setup.tools.get(open.part.name) as Tool;
  const parsed = tool.parse(open.input);
  if (!parsed.ok) return errorResult(parsed.error);
  const layers = runtime.setup.middleware.filter((middleware) => middleware.wrapToolCall);
  const core = once(
    (call: ToolCall) => runEffect(runtime, open, call, gate),
    () => {
      return new ReinError('E_MIDDLEWARE', {
        name: open.part.name,
        detail: 'next() was called twice for one tool call',
      });
    },
  );
  const pass = compose<ToolCall, CallResult>(
    layers.map(
      (one) => (call, next) => (one as unknown as Middleware).wrapToolCall!(call, next, runtime.contextFor(one)),
    ),
    core,
  );
  try {
    const held = { open, sandbox: await runtime.setup.sandboxOf(open.part.name) };
    return await pass(createCall(runtime, held, parsed.input, approvedDigest(runtime, held)));
  } catch (error) {
    if (error instanceof Suspended || error instanceof ChildWaiting) throw error;
    if (runtime.abort.signal.aborted) throw runtime.abort.signal.reason;
    // Nothing may run where the user wants a sandbox and none holds: the run ends instead of going on without.
    if (ReinError.is(error) && /^E_SANDBOX_(UNAVAILABLE|DOMAINS)$/.test(error.code)) throw error;
    return errorResult(`${open.part.name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface HeldCall {
  readonly open: OpenCall;
  /** What holds it, as `AgentSetup.sandboxOf` says. */
  readonly sandbox: string;
}

/** What a person said yes to: the call as it was shown, or as they edited it. */
function approvedDigest(runtime: Runtime, held: HeldCall): string | undefined {
  const { decision, approved, shown, input } = held.open;
  if (!decision || shown === undefined) return decision && approved;
  // Whoever edits says yes to what they wrote, where it was to run.
  return approved === digestOfHeld(runtime, held, shown) ? digestOfHeld(runtime, held, input) : undefined;
}

function createCall(runtime: Runtime, held: HeldCall, input: JsonObject, approved?: string): ToolCall {
  const { open } = held;
  return Object.freeze({
    id: open.part.id,
    tool: runtime.setup.tools.get(open.part.name) as Tool,
    input,
    approved: approved !== undefined && approved === digestOfHeld(runtime, held, input) ? approved : undefined,
    with: (changed: JsonObject) => createCall(runtime, held, changed, approved),
    suspend(interrupt: Parameters<ToolCall['suspend']>[0]): never {
      throw new Suspended({
        ...interrupt,
        id: `${runtime.log.session}:${open.part.id}:${runtime.state.seq}`,
        agent: runtime.setup.agent,
        call: { id: open.part.id, tool: open.part.name, input },
        digest: digestOfHeld(runtime, held, input),
        openedAt: runtime.setup.clock.now(),
      });
    },
  });
}

function digestOfHeld(runtime: Runtime, { open, sandbox }: HeldCall, input: JsonObject): string {
  return digestOf(runtime, open.part.name, input, sandbox);
}

/** Hash of exactly what would run, and where: `sandbox` as `AgentSetup.sandboxOf` says of the tool. */
export function digestOf({ setup }: Runtime, tool: string, input: unknown, sandbox: string): string {
  return digest({ tool, input, cwd: setup.cwd, sandbox });
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

function endWithoutResult({ part, decision, started }: OpenCall, why: string): CallResult {
  if (decision?.decision === 'reject') return rejectedResult(decision.reason, 'person');
  if (started) return errorResult(`${part.name} was interrupted: ${why}.`, 'interrupted');
  return errorResult(`${part.name} was not run: ${why}.`, 'cancelled');
}
