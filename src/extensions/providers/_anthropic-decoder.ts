/** Reads a stream of the Anthropic Messages wire. */

import type { ModelEvent, ModelStop } from '../../protocol/define/provider.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import type { Decoder, SseEvent } from './_codec.ts';
import { brokenStream, classifyFailure } from './_errors.ts';
import { readEventData } from './_event-data.ts';
import { parseToolInput } from './_tool-input.ts';

/** A content block that has begun. Blocks of the server's own tools are `ignored`: we never ask for them. */
type Open =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; whole: string; json: string }
  | { type: 'ignored' };

interface WireBlock {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  data?: string;
  id?: string;
  name?: string;
  input?: JsonObject;
}

interface WireEvent {
  type: string;
  index?: number;
  message?: { content?: WireBlock[]; stop_reason?: string | null; usage?: WireUsage };
  content_block?: WireBlock;
  delta?: {
    type?: string;
    text?: string;
    thinking?: string;
    signature?: string;
    partial_json?: string;
    stop_reason?: string | null;
  };
  usage?: WireUsage;
}

type WireUsage = Readonly<Record<string, Json>>;

const usageFields = [
  ['input', 'input_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
  ['output', 'output_tokens'],
] as const;

/** A decoder for one answer of the Anthropic Messages wire; see `Decoder`. */
export function createAnthropicDecoder(): Decoder {
  const open = new Map<number, Open>();
  let begun = false;
  let reason: string | undefined;
  let calls = 0;
  let usage: Usage = noUsage;

  /** Counts in later events are totals, and some servers leave them at 0. */
  function count(wire: WireUsage | undefined): void {
    if (!wire) return;
    const next = { ...usage };
    for (const [field, name] of usageFields) {
      const value = wire[name];
      if (typeof value === 'number') next[field] = Math.max(next[field], value);
    }
    usage = next;
  }

  function begin(index: number, block: WireBlock, out: ModelEvent[]): void {
    const opened = openBlock(block);
    open.set(index, opened);
    if (opened.type === 'text' && opened.text) out.push({ type: 'text-delta', text: opened.text });
    if (opened.type === 'thinking' && opened.text) out.push({ type: 'reasoning-delta', text: opened.text });
  }

  function extend(index: number, delta: NonNullable<WireEvent['delta']>, out: ModelEvent[]): void {
    const block = open.get(index);
    if (!block) throw brokenStream(`content for block ${index}, which has not begun`);
    if (delta.type === 'text_delta' && block.type === 'text') {
      block.text += delta.text ?? '';
      if (delta.text) out.push({ type: 'text-delta', text: delta.text });
    } else if (delta.type === 'thinking_delta' && block.type === 'thinking') {
      block.text += delta.thinking ?? '';
      if (delta.thinking) out.push({ type: 'reasoning-delta', text: delta.thinking });
    } else if (delta.type === 'signature_delta' && block.type === 'thinking') {
      block.signature += delta.signature ?? '';
    } else if (delta.type === 'input_json_delta' && block.type === 'tool_use') {
      const text = delta.partial_json ?? '';
      block.json += text;
      if (text) out.push({ type: 'tool-input-delta', callId: block.id, name: block.name, text });
    }
  }

  function close(index: number, out: ModelEvent[]): void {
    const block = open.get(index);
    open.delete(index);
    if (!block || block.type === 'ignored') return;
    if (block.type === 'text') {
      if (block.text) out.push({ type: 'part', part: { type: 'text', text: block.text } });
    } else if (block.type === 'thinking') {
      const wire = block.signature ? { wire: { signature: block.signature } } : {};
      if (block.text || block.signature)
        out.push({ type: 'part', part: { type: 'reasoning', text: block.text, ...wire } });
    } else if (block.type === 'redacted_thinking') {
      out.push({ type: 'part', part: { type: 'reasoning', text: '', wire: { redacted: block.data } } });
    } else {
      calls += 1;
      const { id, name } = block;
      out.push({ type: 'part', part: { type: 'tool-call', id, name, ...parseToolInput(block.json || block.whole) } });
    }
  }

  function closeAll(out: ModelEvent[]): void {
    for (const index of [...open.keys()]) close(index, out);
  }

  function start(message: NonNullable<WireEvent['message']>, out: ModelEvent[]): void {
    // Seen when a gateway tries again by itself: what went before cannot be taken back.
    if (begun) throw brokenStream('a second message began inside the first');
    begun = true;
    count(message.usage);
    reason = message.stop_reason ?? undefined;
    for (const [index, block] of (message.content ?? []).entries()) {
      begin(index, block, out);
      close(index, out);
    }
  }

  function end(out: ModelEvent[]): void {
    if (!reason) throw brokenStream('the answer broke off');
    closeAll(out);
    out.push({ type: 'end', stop: toStop(reason, calls), usage });
  }

  return {
    push({ data, event }: SseEvent, out: ModelEvent[]): void {
      const wire = readEventData<WireEvent>(data);
      switch (wire.type ?? event) {
        case 'message_start':
          return start(wire.message ?? {}, out);
        case 'content_block_start':
          return begin(wire.index ?? 0, wire.content_block ?? { type: '' }, out);
        case 'content_block_delta':
          return extend(wire.index ?? 0, wire.delta ?? {}, out);
        case 'content_block_stop':
          return close(wire.index ?? 0, out);
        case 'message_delta':
          count(wire.usage);
          reason = wire.delta?.stop_reason ?? reason;
          return;
        case 'message_stop':
          return end(out);
        case 'error':
          throw classifyFailure({ body: wire });
        default:
          return;
      }
    },
    finish: end,
  };
}

function openBlock(block: WireBlock): Open {
  if (block.type === 'text') return { type: 'text', text: block.text ?? '' };
  if (block.type === 'thinking')
    return { type: 'thinking', text: block.thinking ?? '', signature: block.signature ?? '' };
  if (block.type === 'redacted_thinking') return { type: 'redacted_thinking', data: block.data ?? '' };
  if (block.type !== 'tool_use') return { type: 'ignored' };
  return {
    type: 'tool_use',
    id: block.id ?? '',
    name: block.name ?? '',
    whole: JSON.stringify(block.input ?? {}),
    json: '',
  };
}

function toStop(reason: string, calls: number): ModelStop {
  if (reason === 'refusal') return 'content-filter';
  // A paused turn is unfinished; only tools of the server pause, and we never ask for them.
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded' || reason === 'pause_turn') return 'length';
  return calls > 0 ? 'tool-calls' : 'end';
}
