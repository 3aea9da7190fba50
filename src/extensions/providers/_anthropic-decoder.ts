/** Reads a stream of the Anthropic Messages wire. */

import type { ModelEvent, ModelStop } from '../../protocol/define/provider.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { AssistantPart } from '../../protocol/message.ts';
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

/** Reads one answer of the Anthropic Messages wire (docs.anthropic.com/en/api/messages-streaming); see `Decoder`. */
export class AnthropicDecoder implements Decoder {
  readonly #open = new Map<number, Open>();
  #begun = false;
  #reason: string | undefined;
  #calls = 0;
  #usage: Usage = noUsage;

  push({ data, event }: SseEvent, out: ModelEvent[]): void {
    const wire = readEventData<WireEvent>(data);
    switch (wire.type ?? event) {
      case 'message_start':
        return this.#start(wire.message ?? {}, out);
      case 'content_block_start':
        return this.#begin(wire.index ?? 0, wire.content_block ?? { type: '' }, out);
      case 'content_block_delta':
        return this.#extend(wire.index ?? 0, wire.delta ?? {}, out);
      case 'content_block_stop':
        return this.#close(wire.index ?? 0, out);
      case 'message_delta':
        this.#usage = countUp(this.#usage, wire.usage);
        this.#reason = wire.delta?.stop_reason ?? this.#reason;
        return;
      case 'message_stop':
        return this.finish(out);
      case 'error':
        throw classifyFailure({ body: wire });
    }
  }

  finish(out: ModelEvent[]): void {
    if (!this.#reason) throw brokenStream('the answer broke off');
    for (const index of [...this.#open.keys()]) this.#close(index, out);
    out.push({ type: 'end', stop: toStop(this.#reason, this.#calls), usage: this.#usage });
  }

  #start(message: NonNullable<WireEvent['message']>, out: ModelEvent[]): void {
    // Seen when a gateway tries again by itself: what went before cannot be taken back.
    if (this.#begun) throw brokenStream('a second message began inside the first');
    this.#begun = true;
    this.#usage = countUp(this.#usage, message.usage);
    this.#reason = message.stop_reason ?? undefined;
    for (const [index, block] of (message.content ?? []).entries()) {
      this.#begin(index, block, out);
      this.#close(index, out);
    }
  }

  #begin(index: number, wire: WireBlock, out: ModelEvent[]): void {
    const block = openBlock(wire);
    this.#open.set(index, block);
    if (block.type === 'text' && block.text) out.push({ type: 'text-delta', text: block.text });
    if (block.type === 'thinking' && block.text) out.push({ type: 'reasoning-delta', text: block.text });
  }

  #extend(index: number, delta: NonNullable<WireEvent['delta']>, out: ModelEvent[]): void {
    const block = this.#open.get(index);
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

  #close(index: number, out: ModelEvent[]): void {
    const block = this.#open.get(index);
    this.#open.delete(index);
    const part = block && toPart(block);
    if (!part) return;
    if (part.type === 'tool-call') this.#calls += 1;
    out.push({ type: 'part', part });
  }
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

/** What a finished block is to us; nothing where it says nothing. */
function toPart(block: Open): AssistantPart | undefined {
  switch (block.type) {
    case 'text':
      return block.text ? { type: 'text', text: block.text } : undefined;
    case 'thinking': {
      const { text, signature } = block;
      if (!text && !signature) return undefined;
      return { type: 'reasoning', text, ...(signature && { wire: { signature } }) };
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', wire: { redacted: block.data } };
    case 'tool_use': {
      const { id, name, json, whole } = block;
      return { type: 'tool-call', id, name, ...parseToolInput(json || whole) };
    }
    case 'ignored':
      return undefined;
  }
}

function toStop(reason: string, calls: number): ModelStop {
  if (reason === 'refusal') return 'content-filter';
  // A paused turn is unfinished; only tools of the server pause, and we never ask for them.
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded' || reason === 'pause_turn') return 'length';
  return calls > 0 ? 'tool-calls' : 'end';
}

/** Counts in later events are totals, and some servers leave them at 0. */
function countUp(usage: Usage, wire: WireUsage | undefined): Usage {
  if (!wire) return usage;
  const next = { ...usage };
  for (const [field, name] of usageFields) {
    const value = wire[name];
    if (typeof value === 'number') next[field] = Math.max(next[field], value);
  }
  return next;
}
