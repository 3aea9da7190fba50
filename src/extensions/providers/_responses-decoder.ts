/** Reads a stream of the Responses wire. Items are told apart by their index; some servers give each event a new id. */

import type { ModelEvent, ModelStop } from '../../protocol/define/provider.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { AssistantPart } from '../../protocol/message.ts';
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

/** A decoder for one answer of the Responses wire; see `Decoder`. */
export function createResponsesDecoder(): Decoder {
  const calls = new Map<number, { callId: string; name: string }>();
  let items = 0;
  let callCount = 0;
  let isRefused = false;

  function close(item: Item, out: ModelEvent[]): void {
    items += 1;
    if (item.content?.some((content) => content.type === 'refusal')) isRefused = true;
    const part = toPart(item);
    if (!part) return;
    if (part.type === 'tool-call') callCount += 1;
    out.push({ type: 'part', part });
  }

  function end(response: Response, out: ModelEvent[]): void {
    // A server that announced no items one by one still lists them at the end.
    if (items === 0) for (const item of response.output ?? []) close(item, out);
    out.push({ type: 'end', stop: stopOf(response), usage: readUsage(response) });
  }

  function stopOf({ status, incomplete_details: details }: Response): ModelStop {
    if (isRefused || details?.reason === 'content_filter') return 'content-filter';
    if (status === 'incomplete' || details?.reason) return 'length';
    return callCount > 0 ? 'tool-calls' : 'end';
  }

  function showInput({ output_index: index = 0, delta = '' }: WireEvent, out: ModelEvent[]): void {
    const call = calls.get(index);
    if (call && delta) out.push({ type: 'tool-input-delta', ...call, text: delta });
  }

  return {
    push({ data, event }: SseEvent, out: ModelEvent[]): void {
      // Some gateways close this wire as the other one is closed.
      if (data === '[DONE]') return;
      const wire = readEventData<WireEvent>(data);
      const { delta, item, output_index: index = 0 } = wire;
      switch (wire.type ?? event) {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          if (delta) out.push({ type: 'text-delta', text: delta });
          return;
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          if (delta) out.push({ type: 'reasoning-delta', text: delta });
          return;
        case 'response.reasoning_summary_part.added':
          if (wire.summary_index) out.push({ type: 'reasoning-delta', text: '\n\n' });
          return;
        case 'response.output_item.added':
          if (item?.call_id) calls.set(index, { callId: item.call_id, name: item.name ?? '' });
          return;
        case 'response.function_call_arguments.delta':
        case 'response.custom_tool_call_input.delta':
          return showInput(wire, out);
        case 'response.output_item.done':
          if (item) close(item, out);
          return;
        case 'response.completed':
        case 'response.incomplete':
          return end(wire.response ?? {}, out);
        case 'response.failed':
        case 'error':
          throw classifyFailure({ body: wire });
        default:
          return;
      }
    },
    finish(): void {
      throw brokenStream('the answer ended before it was complete');
    },
  };
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

function readUsage({ usage }: Response): ReturnType<typeof toUsage> {
  return toUsage({
    prompt: usage?.input_tokens,
    cached: usage?.input_tokens_details?.cached_tokens,
    written: usage?.input_tokens_details?.cache_write_tokens,
    completion: usage?.output_tokens,
  });
}
