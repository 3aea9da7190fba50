/** A model provider in this process that answers from a script: for tests that need no HTTP. */

import type { ModelEvent, Provider } from '../protocol/define/provider.ts';
import { ReinError } from '../protocol/errors.ts';
import {
  type AssistantMessage,
  type AssistantPart,
  contentText,
  type Message,
  toolCalls,
  type UserMessage,
} from '../protocol/message.ts';
import type { ModelRequest } from '../protocol/request.ts';
import {
  type AnswerTurn,
  completeAnswer,
  createCallIds,
  createPlayer,
  isRawTurn,
  isStatusTurn,
  type Script,
  type ScriptRequest,
  type StatusTurn,
} from './turn.ts';

export type ScriptedProviderOptions = Script & {
  /** Default: `scripted`. */
  readonly name?: string;
  /** Ids that `listModels` gives. Default: `scripted`. */
  readonly models?: readonly string[];
  /** Looks at each request before it is answered; what it returns refuses the request. */
  readonly check?: (request: ModelRequest, index: number) => string | undefined;
};

/** A request as it was when it arrived: its history is a copy. */
export interface ProviderRequest extends ScriptRequest {
  readonly request: ModelRequest;
  readonly messages: readonly Message[];
}

export interface ScriptedProvider extends Provider {
  readonly requests: readonly ProviderRequest[];
  /** Throws when a request was refused or turns of the list were not asked for. */
  assertComplete(): void;
}

/** Makes a provider that plays the script. Raw turns belong to a wire; one of them makes the call fail. */
export function createScriptedProvider(options: ScriptedProviderOptions): ScriptedProvider {
  const { name = 'scripted', models = ['scripted'] } = options;
  const requests: ProviderRequest[] = [];
  const problems: string[] = [];
  const player = createPlayer(options);
  const callIds = createCallIds();

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const recorded: ProviderRequest = { ...view(request), request, messages: [...request.messages] };
    requests.push(recorded);
    try {
      const problem = options.check?.(request, requests.length - 1);
      if (problem !== undefined) throw new Error(problem);
      callIds.seen(recorded.calls.map((call) => call.id));
      const turn = await player.next(recorded);
      if (isRawTurn(turn)) throw new Error('A raw turn needs the model server: it is written for one wire.');
      if (isStatusTurn(turn)) throw statusError(turn, name);
      yield* play(turn, JSON.stringify(request.messages).length, signal);
    } catch (error) {
      if (ReinError.is(error) || signal.aborted) throw error;
      const detail = error instanceof Error ? error.message : String(error);
      problems.push(detail);
      throw new ReinError('E_PROVIDER_INVALID_REQUEST', { provider: name, detail }, error);
    }
  }

  async function* play(turn: AnswerTurn, characters: number, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const events = answerEvents(turn, characters, callIds.next);
    const last = turn.cut?.after ?? turn.stall?.after ?? events.length;
    for (const event of events.slice(0, last)) {
      signal.throwIfAborted();
      yield event;
    }
    if (turn.stall) await aborted(signal);
    if (turn.cut) throw new ReinError('E_PROVIDER_STREAM', { provider: name });
  }

  return {
    name,
    requests,
    stream,
    listModels: async () => models.map((id) => ({ id })),
    testConnection: async () => ({ ok: true, detail: 'OK' }),
    assertComplete() {
      if (problems[0] !== undefined) throw new Error(`The scripted provider refused a request: ${problems[0]}`);
      if (player.left() > 0) throw new Error(`${player.left()} turns of the script were not asked for.`);
    },
  };
}

function answerEvents(turn: AnswerTurn, characters: number, newId: () => string): ModelEvent[] {
  const answer = completeAnswer(turn, characters, newId);
  const events: ModelEvent[] = [];
  if (answer.reasoning !== '') {
    events.push({ type: 'reasoning-delta', text: answer.reasoning });
    events.push({ type: 'part', part: { type: 'reasoning', text: answer.reasoning } });
  }
  for (const text of answer.text) events.push({ type: 'text-delta', text });
  if (answer.text.length > 0) events.push({ type: 'part', part: { type: 'text', text: answer.text.join('') } });
  for (const call of answer.calls) {
    events.push({ type: 'tool-input-delta', callId: call.id, name: call.name, text: call.arguments });
    events.push({ type: 'part', part: toCallPart(call) });
  }
  return [...events, { type: 'end', stop: answer.stop, usage: answer.usage }];
}

function toCallPart({ id, name, arguments: text }: { id: string; name: string; arguments: string }): AssistantPart {
  try {
    const input: unknown = text === '' ? {} : JSON.parse(text);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
      return { type: 'tool-call', id, name, input: input as Record<string, never> };
    }
  } catch {
    // Falls through: what is no JSON is as invalid as what is no object.
  }
  return { type: 'tool-call', id, name, input: {}, invalid: text };
}

function statusError({ status, headers }: StatusTurn, provider: string): ReinError {
  const seconds = Number(new Headers(headers).get('retry-after') ?? Number.NaN);
  const retry: Record<string, number> = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {};
  if (status === 401 || status === 403) return new ReinError('E_PROVIDER_AUTH', { provider, status });
  if (status === 429) return new ReinError('E_PROVIDER_RATE_LIMIT', { provider, status, ...retry });
  if (status >= 500) return new ReinError('E_PROVIDER_OVERLOADED', { provider, status, ...retry });
  return new ReinError('E_PROVIDER_INVALID_REQUEST', { provider, status });
}

/** Rejects with the signal's reason, once it aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function view(request: ModelRequest): ScriptRequest {
  const messages = [...request.messages, ...(request.extra ?? [])];
  const users = messages.filter((message): message is UserMessage => message.role === 'user');
  const answers = messages.filter((message): message is AssistantMessage => message.role === 'assistant');
  return {
    model: request.model,
    system: request.sections.map((section) => section.text).join('\n\n'),
    tools: request.tools.map((tool) => tool.name),
    userTexts: users.map((message) => message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')),
    calls: answers.flatMap(toolCalls).map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
    results: messages.flatMap((message) =>
      message.role === 'tool'
        ? message.results.map((result) => ({ id: result.callId, text: contentText(result.content) }))
        : [],
    ),
  };
}
