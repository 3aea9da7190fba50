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

/** A decoder for one answer of the Gemini generateContent wire; see `Decoder`. */
export function createGeminiDecoder(): Decoder {
  const counts: Record<string, number> = {};
  let response: string | undefined;
  let reason: string | undefined;
  let pending: Pending | undefined;
  let streamed: StreamedCall | undefined;
  let calls = 0;

  function flush(out: ModelEvent[], signature?: string): void {
    if (pending) out.push({ type: 'part', part: { ...pending, ...signed(signature) } });
    pending = undefined;
  }

  function text(type: Pending['type'], piece: string, signature: string | undefined, out: ModelEvent[]): void {
    if (piece) out.push({ type: type === 'text' ? 'text-delta' : 'reasoning-delta', text: piece });
    if (signature !== undefined && type === 'text' && piece.trim() === '') {
      // Blank text may not stand in a history, yet its signature must go back as it came.
      flush(out);
      out.push({ type: 'part', part: { type: 'reasoning', text: '', wire: { signature, blank: piece } } });
      return;
    }
    // A signature covers its own part; text before it stays apart.
    if (pending && (pending.type !== type || signature !== undefined)) flush(out);
    if (!piece && signature === undefined) return;
    pending ??= { type, text: '' };
    pending.text += piece;
    if (signature !== undefined) flush(out, signature);
  }

  function emitCall(call: { id: string; name: string; signature?: string }, args: JsonObject, out: ModelEvent[]): void {
    const { id, name, signature } = call;
    const text = isDeeper(args, maxLevels) ? '' : JSON.stringify(args);
    out.push({ type: 'tool-input-delta', callId: id, name, text });
    out.push({ type: 'part', part: { type: 'tool-call', id, name, input: args, ...signed(signature) } });
  }

  function closeStreamed(out: ModelEvent[]): void {
    if (streamed) emitCall(streamed, streamed.args.value, out);
    streamed = undefined;
  }

  function call(part: WirePart, out: ModelEvent[]): void {
    const { id, name, args, partialArgs = [], willContinue = false } = part.functionCall ?? {};
    flush(out);
    if (name !== undefined) {
      closeStreamed(out);
      response ??= globalThis.crypto.randomUUID();
      const begun = { id: toCallId(id, response, calls), name, signature: part.thoughtSignature };
      calls += 1;
      if (!willContinue && partialArgs.length === 0) return emitCall(begun, args ?? {}, out);
      streamed = { ...begun, args: new PartialArgs(args) };
    }
    if (!streamed) return;
    for (const piece of partialArgs) {
      if (!streamed.args.add(piece)) throw brokenStream(`arguments for an impossible place (${piece.jsonPath})`);
    }
    if (!willContinue) closeStreamed(out);
  }

  function read(part: WirePart, out: ModelEvent[]): void {
    if (part.functionCall) return call(part, out);
    if (part.text === undefined && part.thoughtSignature === undefined) return;
    text(part.thought ? 'reasoning' : 'text', part.text ?? '', part.thoughtSignature, out);
  }

  return {
    push({ data }: SseEvent, out: ModelEvent[]): void {
      const chunk = readEventData<WireChunk>(data);
      if (chunk.error !== undefined) throw classifyFailure({ body: chunk });
      response ??= chunk.responseId;
      for (const [name, value] of Object.entries(chunk.usageMetadata ?? {})) {
        // Totals so far; the last chunk may lack one that an earlier chunk had.
        if (typeof value === 'number') counts[name] = Math.max(counts[name] ?? 0, value);
      }
      const candidate = chunk.candidates?.[0];
      for (const part of candidate?.content?.parts ?? []) read(part, out);
      reason = candidate?.finishReason ?? reason;
      const blocked = candidate ? undefined : chunk.promptFeedback?.blockReason;
      if (blocked) throw new ReinError('E_PROVIDER_CONTENT_FILTER', { detail: `the prompt was blocked: ${blocked}` });
    },
    finish(out: ModelEvent[]): void {
      if (!reason) throw brokenStream('the answer broke off');
      const stop = toStop(reason, calls);
      closeStreamed(out);
      flush(out);
      out.push({ type: 'end', stop, usage: toUsage(counts) });
    },
  };
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
