/** Reads a stream of the Responses wire. Items are told apart by their index; some servers give each event a new id. */

import type { ModelEvent, ModelStop } from '../../protocol/define/provider.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { AssistantPart } from '../../protocol/message.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { Decoder, SseEvent } from './_codec.ts';
import { brokenStream, classifyFailure } from './_errors.ts';
import { readEventData } from './_event-data.ts';
import { toUsage } from './_openai-family.ts';
import { parseToolInput } from './_tool-input.ts';

interface Item {
  readonly type: string;
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly refusal?: string }[] | null;
  readonly summary?: readonly { readonly text?: string }[];
  readonly encrypted_content?: string | null;
  readonly phase?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly input?: string;
}

interface Response {
  readonly status?: string;
  readonly output?: readonly Item[];
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly usage?: {
    readonly input_tokens?: number;
    readonly input_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null;
    readonly output_tokens?: number;
  } | null;
}

interface WireEvent {
  readonly type?: string;
  readonly output_index?: number;
  readonly summary_index?: number;
  readonly item?: Item;
  readonly delta?: string;
  readonly response?: Response;
}

/** Reads one answer of the Responses wire (platform.openai.com/docs/api-reference/responses-streaming); see `Decoder`. */
export class ResponsesDecoder implements Decoder {
  readonly #open = new Map<number, { callId: string; name: string }>();
  #items = 0;
  #calls = 0;
  #isRefused = false;

  push({ data, event }: SseEvent, out: ModelEvent[]): void {
    // Some gateways close this wire as the other one is closed.
    if (data === '[DONE]') return;
    const wire = readEventData<WireEvent>(data);
    switch (wire.type ?? event) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return say('text-delta', wire.delta, out);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return say('reasoning-delta', wire.delta, out);
      case 'response.reasoning_summary_part.added':
        return say('reasoning-delta', wire.summary_index ? '\n\n' : '', out);
      case 'response.output_item.added':
        return this.#begin(wire);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#extend(wire, out);
      case 'response.output_item.done':
        return this.#close(wire.item, out);
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(wire.response ?? {}, out);
      case 'response.failed':
      case 'error':
        throw classifyFailure({ body: wire });
    }
  }

  finish(): void {
    throw brokenStream('the answer ended before it was complete');
  }

  #begin({ output_index: index = 0, item }: WireEvent): void {
    if (item?.call_id) this.#open.set(index, { callId: item.call_id, name: item.name ?? '' });
  }

  #extend({ output_index: index = 0, delta }: WireEvent, out: ModelEvent[]): void {
    const call = this.#open.get(index);
    if (call && delta) out.push({ type: 'tool-input-delta', ...call, text: delta });
  }

  #close(item: Item | undefined, out: ModelEvent[]): void {
    if (!item) return;
    this.#items += 1;
    if (item.content?.some((content) => content.type === 'refusal')) this.#isRefused = true;
    const part = toPart(item);
    if (!part) return;
    if (part.type === 'tool-call') this.#calls += 1;
    out.push({ type: 'part', part });
  }

  #end(response: Response, out: ModelEvent[]): void {
    // A server that announced no items one by one still lists them at the end.
    if (this.#items === 0) for (const item of response.output ?? []) this.#close(item, out);
    const stop = this.#isRefused ? 'content-filter' : toStop(response, this.#calls);
    out.push({ type: 'end', stop, usage: readUsage(response) });
  }
}

function say(type: 'text-delta' | 'reasoning-delta', text: string | undefined, out: ModelEvent[]): void {
  if (text) out.push({ type, text });
}

/** What an item is to us; what only its server understands goes along as reasoning without text. */
function toPart(item: Item): AssistantPart | undefined {
  const wire = item as unknown as JsonObject;
  switch (item.type) {
    case 'message': {
      const text = (item.content ?? []).map((content) => content.text ?? content.refusal ?? '').join('');
      return text ? { type: 'text', text, ...(item.phase && { wire: { phase: item.phase } }) } : undefined;
    }
    case 'function_call':
      return {
        type: 'tool-call',
        id: item.call_id ?? '',
        name: item.name ?? '',
        ...parseToolInput(item.arguments ?? ''),
      };
    case 'custom_tool_call':
      // Never asked for: the model is told that its input is no JSON.
      return { type: 'tool-call', id: item.call_id ?? '', name: item.name ?? '', input: {}, invalid: item.input ?? '' };
    case 'reasoning':
      return { type: 'reasoning', text: reasoningText(item), ...(canReturn(item) && { wire }) };
    default:
      return { type: 'reasoning', text: '', wire };
  }
}

/** Without its content an item could only be looked up at the server, which keeps nothing. */
function canReturn({ encrypted_content: encrypted, content }: Item): boolean {
  return Boolean(encrypted) || (content?.length ?? 0) > 0;
}

function reasoningText({ summary, content }: Item): string {
  const texts = summary?.length ? summary : (content ?? []);
  return texts.map(({ text }) => text ?? '').join('\n\n');
}

function toStop({ status, incomplete_details: details }: Response, calls: number): ModelStop {
  if (details?.reason === 'content_filter') return 'content-filter';
  if (status === 'incomplete' || details?.reason) return 'length';
  return calls > 0 ? 'tool-calls' : 'end';
}

function readUsage({ usage }: Response): Usage {
  return toUsage({
    prompt: usage?.input_tokens,
    cached: usage?.input_tokens_details?.cached_tokens,
    written: usage?.input_tokens_details?.cache_write_tokens,
    completion: usage?.output_tokens,
  });
}
