/** Reads a stream of the Chat Completions wire, in the many ways servers write it. */

import type { ModelEvent, ModelStop } from '../../protocol/define/provider.ts';
import type { Json } from '../../protocol/json.ts';
import type { AssistantPart } from '../../protocol/message.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { type CallPiece, ChatCalls } from './_chat-calls.ts';
import type { Decoder, SseEvent } from './_codec.ts';
import { brokenStream, classifyFailure } from './_errors.ts';
import { readEventData } from './_event-data.ts';
import { toUsage } from './_openai-family.ts';

interface Chunk {
  readonly object?: string;
  readonly error?: unknown;
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[];
  readonly usage?: ChatUsage | null;
  readonly x_groq?: { readonly usage?: ChatUsage };
}

interface Delta {
  readonly content?: string | readonly ContentItem[] | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly Detail[] | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly CallPiece[] | null;
}

interface ContentItem {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: readonly { readonly text?: string }[];
}

type Detail = Readonly<Record<string, Json>>;

interface ChatUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  readonly prompt_cache_hit_tokens?: number;
  readonly cached_tokens?: number;
}

const stops: Readonly<Record<string, ModelStop>> = {
  length: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
};
/** Reasons that say the answer failed. */
const failures = /^(error|network_error|insufficient_system_resource|malformed_function_call)$/;

/** Reads one answer of the Chat Completions wire (platform.openai.com/docs/api-reference/chat); see `Decoder`. */
export class ChatDecoder implements Decoder {
  readonly #calls = new ChatCalls();
  readonly #details: Record<string, Json>[] = [];
  #text = '';
  #reasoning = '';
  #reasoningField: string | undefined;
  #isRefused = false;
  #reason: string | undefined;
  #usage: Usage = noUsage;

  push({ data, event }: SseEvent, out: ModelEvent[]): void {
    if (data === '[DONE]') return this.finish(out);
    const chunk = readEventData<Chunk>(data);
    if (chunk.error || event === 'error' || chunk.object === 'error') throw classifyFailure({ body: chunk });
    const counted = chunk.usage ?? chunk.x_groq?.usage;
    if (counted) this.#usage = readUsage(counted);
    const choice = chunk.choices?.[0];
    if (choice?.delta) this.#read(choice.delta, out);
    if (!choice?.finish_reason) return;
    this.#reason = choice.finish_reason;
    if (failures.test(this.#reason)) {
      throw classifyFailure({ body: { error: { message: `the model stopped: ${this.#reason}` } } });
    }
  }

  finish(out: ModelEvent[]): void {
    if (this.#reason === undefined) throw brokenStream('the answer ended without a finish reason');
    const reasoning = this.#reasoningPart();
    if (reasoning) out.push({ type: 'part', part: reasoning });
    if (this.#text) out.push({ type: 'part', part: { type: 'text', text: this.#text } });
    const calls = this.#calls.parts();
    for (const part of calls) out.push({ type: 'part', part });
    const stop = this.#isRefused ? 'content-filter' : toStop(this.#reason, calls.length);
    out.push({ type: 'end', stop, usage: this.#usage });
  }

  #read(delta: Delta, out: ModelEvent[]): void {
    const { content } = delta;
    // Some servers send the same piece under both names.
    if (delta.reasoning_content) this.#think(delta.reasoning_content, 'reasoning_content', out);
    else this.#think(delta.reasoning, 'reasoning', out);
    for (const detail of delta.reasoning_details ?? []) addDetail(this.#details, detail);
    if (typeof content === 'string') this.#say(content, out);
    else for (const item of content ?? []) this.#readItem(item, out);
    if (delta.refusal) {
      this.#isRefused = true;
      this.#say(delta.refusal, out);
    }
    for (const piece of delta.tool_calls ?? []) {
      const event = this.#calls.add(piece);
      if (event) out.push(event);
    }
  }

  #readItem(item: ContentItem, out: ModelEvent[]): void {
    if (item.type === 'text') this.#say(item.text, out);
    if (item.type === 'thinking') for (const { text } of item.thinking ?? []) this.#think(text, 'content', out);
  }

  #say(text: string | undefined | null, out: ModelEvent[]): void {
    if (!text) return;
    this.#text += text;
    out.push({ type: 'text-delta', text });
  }

  #think(text: string | undefined | null, field: string, out: ModelEvent[]): void {
    if (!text) return;
    this.#reasoning += text;
    this.#reasoningField ??= field;
    out.push({ type: 'reasoning-delta', text });
  }

  #reasoningPart(): AssistantPart | undefined {
    const field = this.#reasoningField;
    const details = this.#details;
    if (!this.#reasoning && details.length === 0) return undefined;
    const wire = { ...(field && { field }), ...(details.length > 0 && { details }) };
    return { type: 'reasoning', text: this.#reasoning, wire };
  }
}

function toStop(reason: string, calls: number): ModelStop {
  return stops[reason] ?? (calls > 0 ? 'tool-calls' : 'end');
}

function readUsage(usage: ChatUsage): Usage {
  return toUsage({
    prompt: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    written: usage.prompt_tokens_details?.cache_write_tokens,
    completion: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
    total: usage.total_tokens,
  });
}

/** Joins the pieces of one detail: text grows, all else is set. They go back whole. */
function addDetail(details: Record<string, Json>[], piece: Detail): void {
  const last = details.at(-1);
  if (!last || last.type !== piece.type || last.index !== piece.index || isWhole(piece)) {
    details.push({ ...piece });
    return;
  }
  for (const [key, value] of Object.entries(piece)) {
    const grows = (key === 'text' || key === 'summary') && typeof value === 'string' && typeof last[key] === 'string';
    if (grows) last[key] = `${last[key]}${value}`;
    else if (value !== null) last[key] = value;
  }
}

function isWhole(detail: Detail): boolean {
  return detail.type === 'reasoning.encrypted';
}
