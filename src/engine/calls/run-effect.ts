/** The innermost part of a tool call: validate again, write ahead, act, clean the result. */
import { isSameJson } from '../../lib/same-json.ts';
import { revealHidden } from '../../lib/text/visible.ts';
import type { CallResult, ToolCall } from '../../protocol/define/middleware.ts';
import type { ToolOutput } from '../../protocol/define/tool.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Interrupt } from '../../protocol/interrupt.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { ContentPart, ResultStatus } from '../../protocol/message.ts';
import { noUsage } from '../../protocol/usage.ts';
import type { NewEvent } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import type { OpenCall } from '../session-state.ts';
import type { GateTicket } from './gate.ts';
import { childAgent, startedText, startTasks, tasksOf } from './tasks.ts';

/** Ends a pass through the onion: the call waits for a person. */
export class Suspended extends Error {
  readonly interrupt: Interrupt;
  constructor(interrupt: Interrupt) {
    super('the call waits for an answer');
    this.interrupt = interrupt;
  }
}

/** Ends a pass through the onion: the call's child session waits for a person. */
export class ChildWaiting extends Error {}

/** A result that tells the model what went wrong. */
export function errorResult(text: string, status: ResultStatus = 'error'): CallResult {
  return { status, content: [{ type: 'text', text }] };
}

/** Runs the call. Its start is stored before its effect begins. */
export async function runEffect(
  runtime: Runtime,
  open: OpenCall,
  call: ToolCall,
  gate: GateTicket,
): Promise<CallResult> {
  const parsed = call.tool.parse(call.input);
  if (!parsed.ok) return errorResult(parsed.error);
  if (call.tool.ask) return ask(runtime, call);
  const key = call.tool.queueKey?.(parsed.input);
  const isFirst = !key || !runtime.queues.has(key);
  const work = async () => {
    if (isFirst) await gate.arrive(() => recordStart(runtime, open, call));
    else {
      recordStart(runtime, open, call);
      await runtime.flush();
    }
    runtime.abort.signal.throwIfAborted();
    return call.tool.delegate ? delegate(runtime, open, call) : execute(runtime, call, parsed.input);
  };
  if (!key) return work();
  // A queued call does not hold up the others of its turn.
  if (!isFirst) gate.leave();
  return runtime.enqueue(key, work);
}

function ask(runtime: Runtime, call: ToolCall): CallResult {
  if (runtime.setup.interactive)
    return call.suspend({ kind: 'question', warnings: [], ...call.tool.ask?.(call.input) });
  const text = 'Nobody is here to answer. Decide by yourself, or end with what is missing.';
  return { ...errorResult(text), refusal: 'nobody' };
}

function recordStart(runtime: Runtime, open: OpenCall, call: ToolCall): void {
  if (open.started) return;
  const input = isSameJson(call.input, open.part.input) ? undefined : call.input;
  const start = { type: 'tool-call-start', callId: open.part.id } as const;
  if (!call.tool.delegate) return runtime.record([{ ...start, ...(input && { input }) }]);
  const child = `${runtime.log.session}.${runtime.state.children + 1}`;
  const { agent, background, fork } = call.tool.delegate(call.input);
  const definition = fork ? runtime.setup.definition : agent;
  const about = { id: child, cwd: runtime.setup.cwd, definition, callId: open.part.id };
  runtime.record([{ ...start, ...(input && { input }), child, ...(background && { background }) }], {
    children: [fork ? { ...about, closing: closingEvents(runtime, `${runtime.setup.agent}/${definition}`) } : about],
  });
}

/** What ends the open turn in the copy of this history that a child begins with. */
function closingEvents({ state, run }: Runtime, agent: string): NewEvent[] {
  const text = 'Left to the conversation that yours was forked from.';
  const ends = state.open
    .filter(({ result }) => !result)
    .map(({ part }) => ({ callId: part.id, status: 'cancelled' as const, content: [{ type: 'text' as const, text }] }));
  return [
    ...ends.map((end) => ({ type: 'tool-call-end' as const, run, agent, ...end })),
    { type: 'run-end', run, agent, stop: 'completed', usage: noUsage, cost: 0 },
  ];
}

async function delegate(runtime: Runtime, open: OpenCall, call: ToolCall): Promise<CallResult> {
  const { setup, budget, abort } = runtime;
  const delegation = call.tool.delegate?.(call.input);
  const child = runtime.state.open.find((one) => one.part.id === open.part.id)?.child;
  if (!delegation || !child) throw new ReinError('E_INTERNAL', { detail: 'a delegating call has no child' });
  if (delegation.background) {
    startTasks(runtime);
    return { status: 'ok', content: [{ type: 'text', text: startedText(child) }] };
  }
  const agent = childAgent(setup.agent, delegation.agent, child);
  const tools = [...setup.tools.keys()];
  const outcome = await setup.children.run({ id: child, agent, delegation, budget, tools }, abort.signal);
  if (outcome.status === 'waiting') throw new ChildWaiting();
  const { status, text, usage, cost } = outcome;
  return { status, content: clean(runtime, text), usage, cost };
}

async function execute(runtime: Runtime, call: ToolCall, input: JsonObject): Promise<CallResult> {
  const { setup, abort } = runtime;
  const { tool, id } = call;
  const limit = tool.timeoutSeconds ? AbortSignal.timeout(tool.timeoutSeconds * 1000) : undefined;
  const signal = limit ? AbortSignal.any([limit, abort.signal]) : abort.signal;
  try {
    const output = await orGiveUp(
      signal,
      tool.execute?.(input, {
        signal,
        context: setup.context as Readonly<Record<string, Json>>,
        callId: id,
        session: runtime.log.session,
        workspace: setup.host.workspace,
        commands: setup.host.commands,
        tasks: tasksOf(runtime),
        emit: (text) => runtime.emit({ type: 'tool-call-progress', callId: id, text: setup.redact(text) }),
      }),
    );
    return toResult(runtime, output ?? '');
  } catch (error) {
    if (abort.signal.aborted) return errorResult(`${tool.schema.name} was interrupted.`, 'interrupted');
    if (limit?.aborted)
      return errorResult(`${tool.schema.name} took longer than ${tool.timeoutSeconds} s and was ended.`);
    const text = error instanceof Error ? error.message : String(error);
    return errorResult(runtime.setup.redact(`${tool.schema.name} failed: ${text}`));
  }
}

const graceMs = 2000;

/** The work's outcome, or a throw when it does not end within a grace time after the signal aborted. */
async function orGiveUp<T>(signal: AbortSignal, work: Promise<T> | undefined): Promise<T | undefined> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => reject(signal.reason), graceMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function toResult(runtime: Runtime, output: ToolOutput | string): CallResult {
  if (typeof output === 'string') return { status: 'ok', content: clean(runtime, output) };
  const { content, status = 'ok', updates } = output;
  return { status, content: clean(runtime, content), ...(updates && { updates }) };
}

/** The text as everybody will see it: model, log and screen alike. */
function clean(runtime: Runtime, content: string | readonly ContentPart[]): ContentPart[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  return parts.map((part) =>
    part.type === 'text' ? { ...part, text: runtime.setup.redact(revealHidden(part.text)).toWellFormed() } : part,
  );
}
