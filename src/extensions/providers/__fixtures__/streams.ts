/** Plays streams into a decoder: invented ones from this folder, recorded ones where they are at hand. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSseReader } from '../../../lib/sse.ts';
import { ReinError } from '../../../protocol/errors.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { AssistantPart } from '../../../protocol/message.ts';
import type { ModelEvent } from '../../../protocol/define/provider.ts';
import type { Decoder, SseEvent } from '../_codec.ts';

/** Recordings are not part of the package; beside a checkout, or where the variable says. */
const recordings = process.env.REIN_RECORDINGS ?? resolve(import.meta.dirname, '../../../../../shared/fixtures/streams');

export function fixtureChunks(name: string): JsonObject[] {
  const text = readFileSync(`${import.meta.dirname}/${name}.chunks.txt`, 'utf8');
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as JsonObject);
}

export function toEvents(chunks: readonly Json[]): SseEvent[] {
  return chunks.map((chunk) => ({ event: '', data: JSON.stringify(chunk) }));
}

/** All that a decoder makes of events whose body then ends; `error` is what it threw. */
export function play(decoder: Decoder, events: readonly SseEvent[]): { out: ModelEvent[]; error?: ReinError } {
  const out: ModelEvent[] = [];
  try {
    for (const event of events) {
      decoder.push(event, out);
      if (out.at(-1)?.type === 'end') return { out };
    }
    decoder.finish(out);
    return { out };
  } catch (error) {
    if (!ReinError.is(error)) throw error;
    return { out, error };
  }
}

export function partsOf(out: readonly ModelEvent[]): AssistantPart[] {
  return out.flatMap((event) => (event.type === 'part' ? [event.part] : []));
}

/** What can be told of a decoded stream in one object: long strings by length and hash. */
export function digest({ out, error }: { out: readonly ModelEvent[]; error?: ReinError }): JsonObject {
  const parts = partsOf(out);
  const join = (type: 'text' | 'reasoning') => parts.map((part) => (part.type === type ? part.text : '')).join('');
  const calls = parts.filter((part) => part.type === 'tool-call');
  const end = out.at(-1);
  return {
    text: brief(join('text')),
    reasoning: brief(join('reasoning')),
    calls: calls.map(({ name, input }) => `${name} ${brief(JSON.stringify(input))}`),
    wire: parts.flatMap(({ wire }) => (wire === undefined ? [] : [brief(JSON.stringify(wire))])),
    end: end?.type === 'end' ? `${end.stop} ${Object.values(end.usage).join(' ')}` : (error?.code ?? ''),
  };
}

function brief(text: string): string {
  return text.length <= 60 ? text : `${text.length} ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}

/** Names of the recordings of a wire; none where the folder is absent. */
export function recordedNames(wire: string): string[] {
  const folder = `${recordings}/${wire}`;
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.includes('request.json')) : [];
}

/** The responses in a recording as events each; a whole response is one chunk, made by `wrap`. */
export function recorded(wire: string, name: string, wrap = (body: Json): Json => body): SseEvent[][] {
  const text = readFileSync(`${recordings}/${wire}/${name}`, 'utf8');
  if (name.endsWith('.json')) return [toEvents([wrap(JSON.parse(text) as Json)])];
  const events: SseEvent[] = [];
  if (name.endsWith('.sse')) {
    const reader = createSseReader();
    reader.feed(Buffer.from(text), (event) => events.push(event));
    reader.end((event) => events.push(event));
    return [events];
  }
  for (const line of text.split('\n').filter(Boolean)) events.push({ event: '', data: line });
  const starts = events.flatMap(({ data }, index) => (data.includes('"type":"message_start"') ? [index] : []));
  // A second message inside the first is a broken stream, not a second response.
  if (starts.length < 2 || name.includes('spliced')) return [events];
  return starts.map((start, index) => events.slice(start, starts[index + 1]));
}

export function recordedRequest(wire: string, name: string): JsonObject {
  return JSON.parse(readFileSync(`${recordings}/${wire}/${name}`, 'utf8')) as JsonObject;
}
