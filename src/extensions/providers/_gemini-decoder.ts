/** Reads a stream of the Gemini generateContent wire. */

import { isDeeper } from '../../lib/is-deeper.ts';
import type { ModelEvent, ModelStop } from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { Decoder, SseEvent } from './_codec.ts';
import { brokenStream, classifyFailure } from './_errors.ts';
import { readEventData } from './_event-data.ts';
import { type PartialArg, PartialArgs } from './_gemini-args.ts';
import { toCallId } from './_gemini-ids.ts';
import { maxLevels } from './_sound-events.ts';

interface WirePart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: {
    id?: string;
    name?: string;
    args?: JsonObject;
    partialArgs?: PartialArg[];
    willContinue?: boolean;
  };
}

interface WireChunk {
  responseId?: string;
  candidates?: { content?: { parts?: WirePart[] }; finishReason?: string }[];
  promptFeedback?: { blockReason?: string };
  usageMetadata?: Readonly<Record<string, Json>>;
  error?: Json;
}

/** Text or thought that is not complete yet. */
interface Pending {
  readonly type: 'text' | 'reasoning';
  text: string;
}

interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly args: PartialArgs;
  readonly signature: string | undefined;
}

const filtered = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'LANGUAGE',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** Reads one answer of the Gemini generateContent wire (ai.google.dev/api/generate-content); see `Decoder`. */
export class GeminiDecoder implements Decoder {
  readonly #counts: Record<string, number> = {};
  #response: string | undefined;
  #reason: string | undefined;
  #pending: Pending | undefined;
  #streamed: StreamedCall | undefined;
  #calls = 0;

  push({ data }: SseEvent, out: ModelEvent[]): void {
    const chunk = readEventData<WireChunk>(data);
    if (chunk.error !== undefined) throw classifyFailure({ body: chunk });
    this.#response ??= chunk.responseId;
    countUp(this.#counts, chunk.usageMetadata);
    const candidate = chunk.candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) this.#read(part, out);
    this.#reason = candidate?.finishReason ?? this.#reason;
    const blocked = candidate ? undefined : chunk.promptFeedback?.blockReason;
    if (blocked) throw new ReinError('E_PROVIDER_CONTENT_FILTER', { detail: `the prompt was blocked: ${blocked}` });
  }

  finish(out: ModelEvent[]): void {
    if (!this.#reason) throw brokenStream('the answer broke off');
    const stop = toStop(this.#reason, this.#calls);
    this.#closeCall(out);
    this.#closeText(out);
    out.push({ type: 'end', stop, usage: toUsage(this.#counts) });
  }

  #read(part: WirePart, out: ModelEvent[]): void {
    if (part.functionCall) return this.#call(part, out);
    const { thought, text = '', thoughtSignature: signature } = part;
    if (part.text === undefined && signature === undefined) return;
    const type = thought ? 'reasoning' : 'text';
    if (text) out.push({ type: thought ? 'reasoning-delta' : 'text-delta', text });
    if (signature !== undefined && !thought && text.trim() === '') return this.#keepBlank(text, signature, out);
    this.#extend(type, text, signature, out);
  }

  /** Blank text may not stand in a history, yet its signature must go back as it came. */
  #keepBlank(blank: string, signature: string, out: ModelEvent[]): void {
    this.#closeText(out);
    out.push({ type: 'part', part: { type: 'reasoning', text: '', wire: { signature, blank } } });
  }

  #extend(type: Pending['type'], text: string, signature: string | undefined, out: ModelEvent[]): void {
    // A signature covers its own part; text before it stays apart.
    if (this.#pending && (this.#pending.type !== type || signature !== undefined)) this.#closeText(out);
    if (!text && signature === undefined) return;
    this.#pending ??= { type, text: '' };
    this.#pending.text += text;
    if (signature !== undefined) this.#closeText(out, signature);
  }

  #closeText(out: ModelEvent[], signature?: string): void {
    if (this.#pending) out.push({ type: 'part', part: { ...this.#pending, ...signed(signature) } });
    this.#pending = undefined;
  }

  #call(part: WirePart, out: ModelEvent[]): void {
    const { id, name, args, partialArgs = [], willContinue = false } = part.functionCall ?? {};
    this.#closeText(out);
    if (name !== undefined) {
      this.#closeCall(out);
      this.#response ??= globalThis.crypto.randomUUID();
      const begun = { id: toCallId(id, this.#response, this.#calls), name, signature: part.thoughtSignature };
      this.#calls += 1;
      if (!willContinue && partialArgs.length === 0) return emitCall(begun, args ?? {}, out);
      this.#streamed = { ...begun, args: new PartialArgs(args) };
    }
    if (!this.#streamed) return;
    for (const piece of partialArgs) {
      if (!this.#streamed.args.add(piece)) {
        throw brokenStream(`arguments for an impossible place (${piece.jsonPath})`);
      }
    }
    if (!willContinue) this.#closeCall(out);
  }

  #closeCall(out: ModelEvent[]): void {
    if (this.#streamed) emitCall(this.#streamed, this.#streamed.args.value, out);
    this.#streamed = undefined;
  }
}

function emitCall(call: { id: string; name: string; signature?: string }, args: JsonObject, out: ModelEvent[]): void {
  const { id, name, signature } = call;
  const text = isDeeper(args, maxLevels) ? '' : JSON.stringify(args);
  out.push({ type: 'tool-input-delta', callId: id, name, text });
  out.push({ type: 'part', part: { type: 'tool-call', id, name, input: args, ...signed(signature) } });
}

function signed(signature: string | undefined): { wire?: Json } {
  return signature === undefined ? {} : { wire: { signature } };
}

/** Reasons that mean the model or the server stumbled are errors: the same request may well succeed. */
function toStop(reason: string, calls: number): ModelStop {
  if (reason === 'MAX_TOKENS') return 'length';
  if (filtered.has(reason)) return 'content-filter';
  if (reason !== 'STOP') throw brokenStream(`the model stopped with ${reason}`);
  return calls > 0 ? 'tool-calls' : 'end';
}

/** Totals so far; the last chunk may lack one that an earlier chunk had. */
function countUp(counts: Record<string, number>, wire: WireChunk['usageMetadata'] = {}): void {
  for (const [name, value] of Object.entries(wire)) {
    if (typeof value === 'number') counts[name] = Math.max(counts[name] ?? 0, value);
  }
}

/** The prompt count includes cached tokens; thinking and the use of server tools are counted apart. */
function toUsage(counts: Readonly<Record<string, number>>): Usage {
  const count = (name: string) => counts[name] ?? 0;
  const cacheRead = count('cachedContentTokenCount');
  return {
    input: Math.max(0, count('promptTokenCount') + count('toolUsePromptTokenCount') - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
  };
}
