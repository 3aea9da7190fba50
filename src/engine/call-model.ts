/** One model call: steps before, the onion, retries and fallback, steps after. */

import { deepFreeze } from '../lib/freeze.ts';
import type { DefinedMiddleware, Middleware, ModelResponse, Step } from '../protocol/define/middleware.ts';
import type { ModelEvent } from '../protocol/define/provider.ts';
import { ReinError } from '../protocol/errors.ts';
import type { StoredBody } from '../protocol/event.ts';
import type { AssistantMessage, AssistantPart, ToolCallPart } from '../protocol/message.ts';
import { toolCalls } from '../protocol/message.ts';
import { createRequest, type ModelRequest } from '../protocol/request.ts';
import { addUsage, costOf, noUsage, promptTokens, type Usage } from '../protocol/usage.ts';
import { createAnswerLimit } from './answer-size.ts';
import { startMeter } from './budget.ts';
import { compose } from './compose.ts';
import { ensurePrompt } from './ensure-prompt.ts';
import { toLegalName } from './history/normalise.ts';
import type { ModelChoice } from './ports.ts';
import { retryDelay } from './retry.ts';
import { modelName, type Runtime } from './runtime.ts';
import { asMiddlewareError, Restart, recordStep, runSteps } from './steps.ts';

/** What cut attempts took before the answer came. */
interface Lost {
  usage: Usage;
  cost: number;
}

type Answered = ModelResponse & { readonly choice?: ModelChoice; readonly lost?: Lost };

/** Calls the model once and records the answer. Throws a ReinError when no model answered. */
export async function callModel(runtime: Runtime): Promise<void> {
  const { state, setup } = runtime;
  await ensurePrompt(runtime);
  const before = setup.middleware.filter((one) => one.beforeModel);
  await runSteps(runtime, before, (middleware, context) => middleware.beforeModel?.(context));
  state.history.close();
  // What the model is about to see must not be forgotten.
  await runtime.flush();
  runtime.emit({ type: 'turn-start', turn: (state.run?.turns ?? 0) + 1 });
  const partial: AssistantPart[] = [];
  try {
    const response = await modelOnion(runtime, setup.middleware, partial)(firstRequest(runtime));
    if (response.stop === 'content-filter' && response.message.parts.length === 0) {
      throw new ReinError('E_PROVIDER_CONTENT_FILTER', { provider: response.message.model });
    }
    recordAnswer(runtime, response);
    const after = setup.middleware.filter((one) => one.afterModel).reverse();
    await runSteps(runtime, after, (middleware, context) => middleware.afterModel?.(response, context));
  } catch (error) {
    if (error instanceof Restart) return recordStep(runtime, error.middleware, error.step);
    if (runtime.abort.signal.aborted) keepPartial(runtime, partial);
    throw error;
  }
}

/** A model call through these layers; what an answer says goes into `partial` while it comes. */
export function modelOnion(runtime: Runtime, middleware: readonly DefinedMiddleware[], partial: AssistantPart[]) {
  const layers = middleware.filter((one) => one.wrapModelCall);
  return compose<ModelRequest, Answered>(
    layers.map((one) => async (request, next) => {
      const restart = (step: Step): never => {
        throw new Restart(one.name, step);
      };
      try {
        const context = { ...runtime.contextFor(one), restart };
        return await (one as unknown as Middleware).wrapModelCall!(request, next, context);
      } catch (error) {
        throw asMiddlewareError(one.name, error);
      }
    }),
    (request) => callWithRetries(runtime, request, request.internal ? [] : partial),
  );
}

/** The request of a turn before any middleware changed it; frozen, its messages are those of the log. */
export function firstRequest(runtime: Runtime): ModelRequest {
  const { info, effort, maxOutput } = runtime.model;
  const { prompt, history } = runtime.state;
  return createRequest({
    model: info.id,
    session: runtime.log.session,
    sections: deepFreeze(prompt?.sections ?? []),
    tools: deepFreeze(prompt?.tools ?? []),
    messages: history.view,
    effort,
    maxOutput: maxOutput ?? info.maxOutput,
    outputSchema: runtime.setup.answer?.schema,
  });
}

/** Tries the models in their order, each with retries where they can help. */
async function callWithRetries(runtime: Runtime, request: ModelRequest, partial: AssistantPart[]): Promise<Answered> {
  const { setup } = runtime;
  const lost: Lost = { usage: noUsage, cost: 0 };
  let failure: ReinError | undefined;
  for (const [index, choice] of setup.models.entries()) {
    const patched = index === 0 ? request : request.with({ model: choice.info.id, effort: choice.effort });
    for (let attempt = 1; ; attempt++) {
      try {
        partial.length = 0;
        const response = await attemptCall(runtime, choice, { request: patched, partial, unfinished: undefined }, lost);
        return { ...response, choice, lost, cost: costOf(response.usage, choice.info.prices) };
      } catch (error) {
        runtime.abort.signal.throwIfAborted();
        failure = ReinError.from(error);
        const delayMs = retryDelay(failure, attempt, setup.random);
        if (delayMs === undefined) break;
        runtime.emit({ type: 'retry', attempt, delayMs, error: failure.toData() });
        await setup.clock.sleep(delayMs, runtime.abort.signal);
      }
    }
    const next = setup.models[index + 1];
    if (!next || !mayFallBack(failure)) break;
    const why = { ...failure.params, text: `errors.${failure.code}.message` };
    runtime.warn(new ReinError('E_MODEL_FALLBACK', { model: modelName(choice), next: modelName(next), why }));
  }
  throw failure;
}

/** Another model can help when this one cannot be reached or will not serve us, not when the request is at fault. */
function mayFallBack(failure: ReinError): boolean {
  return failure.retryable || failure.code === 'E_PROVIDER_AUTH' || failure.code === 'E_MODEL_UNKNOWN';
}

interface Attempt {
  readonly request: ModelRequest;
  readonly partial: AssistantPart[];
  /** What came of a part that is no text and not whole; undefined before anything came. */
  unfinished: string | undefined;
}

/** Calls a model once, and counts what that took for the tree: also what a stream brought that was cut. */
async function attemptCall(
  runtime: Runtime,
  choice: ModelChoice,
  attempt: Attempt,
  lost: Lost,
): Promise<ModelResponse> {
  const { request, partial } = attempt;
  const started = startMeter(runtime, choice, request);
  const meter = started instanceof Promise ? await started : started;
  let usage = noUsage;
  try {
    const response = await consume(runtime, choice, attempt);
    usage = meter.complete(response.usage, partial);
    if (usage !== response.usage) {
      runtime.warnOnce(new ReinError('E_USAGE_ESTIMATED', { provider: choice.provider.name }));
    }
    return { ...response, usage };
  } catch (error) {
    if (attempt.unfinished !== undefined) {
      usage = meter.complete(noUsage, [...partial, { type: 'text', text: attempt.unfinished }]);
      lost.usage = addUsage(lost.usage, usage);
      lost.cost += costOf(usage, choice.info.prices);
    }
    throw error;
  } finally {
    meter.end(usage);
  }
}

async function consume(runtime: Runtime, choice: ModelChoice, attempt: Attempt): Promise<ModelResponse> {
  const { request, partial } = attempt;
  const shown = runtime.setup.listening() && !request.internal;
  const limit = createAnswerLimit(choice.provider.name);
  let end: (ModelEvent & { type: 'end' }) | undefined;
  let cut = '';
  try {
    for await (const event of choice.provider.stream(request, runtime.abort.signal)) {
      limit(event);
      attempt.unfinished ??= '';
      if (event.type === 'part') {
        partial.push(event.part);
        cut = '';
        attempt.unfinished = '';
      } else if (event.type === 'end') end = event;
      else {
        if (event.type === 'text-delta') cut += event.text;
        else attempt.unfinished += event.text;
        if (shown) runtime.emit(event);
      }
    }
    if (!end) {
      const detail = 'the stream ended without an end';
      throw new ReinError('E_PROVIDER_STREAM', { provider: choice.provider.name, detail });
    }
  } catch (error) {
    if (cut) partial.push({ type: 'text', text: cut });
    throw error;
  }
  const message: AssistantMessage = { role: 'assistant', parts: uniqueIds(runtime, partial), model: modelName(choice) };
  return { message, stop: end.stop, usage: end.usage };
}

/** Call ids that are legal on every wire and new in this session. */
function uniqueIds(runtime: Runtime, parts: readonly AssistantPart[]): AssistantPart[] {
  const taken = new Set<string>();
  return parts.map((part) => {
    if (part.type !== 'tool-call') return part;
    const isFree = part.id === toLegalName(part.id) && !runtime.state.callIds.has(part.id) && !taken.has(part.id);
    const id = isFree ? part.id : `call_${runtime.setup.newId()}`;
    taken.add(id);
    return isFree ? part : { ...part, id };
  });
}

function recordAnswer(runtime: Runtime, { message, stop, lost, ...response }: Answered): void {
  const { choice = runtime.model } = response;
  const { window, prices } = choice.info;
  const context = { used: promptTokens(response.usage) + response.usage.output, window };
  const usage = lost ? addUsage(response.usage, lost.usage) : response.usage;
  const cost = costOf(response.usage, prices) + (lost?.cost ?? 0);
  const unsafe = stop === 'length' || stop === 'content-filter';
  runtime.record([
    { type: 'message', message },
    { type: 'turn-end', model: modelName(choice), usage, cost, context },
    ...(unsafe ? toolCalls(message).map((call) => cutCall(call, stop)) : []),
  ]);
  if (unsafe && toolCalls(message).length === 0) runtime.warn(new ReinError('E_ANSWER_CUT', { stop }));
}

/** A call in an answer that was cut is not run, even where its text happens to parse. */
function cutCall(call: ToolCallPart, stop: string): StoredBody {
  const why =
    stop === 'length' ? 'your answer reached its length limit' : 'your answer was stopped by a content filter';
  const text = `Not run: ${why}, so this call may be incomplete. Send it again, shorter or in smaller steps.`;
  return { type: 'tool-call-end', callId: call.id, status: 'error', content: [{ type: 'text', text }] };
}

/** Text that was cut off by an abort is kept, marked; its calls are dropped. */
function keepPartial(runtime: Runtime, partial: readonly AssistantPart[]): void {
  const parts = partial.filter((part) => part.type === 'text' && part.text.trim() !== '');
  if (parts.length === 0) return;
  const message: AssistantMessage = { role: 'assistant', parts, model: modelName(runtime.model), incomplete: true };
  runtime.record([{ type: 'message', message }]);
}
