/**
 * How events lie in the database: those of one append in one row, as a JSON array, deflated where that pays. Together
 * they deflate to half of what they take one by one, at half the cost.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import type { NewEvent } from '../../engine/ports.ts';
import type { StoredEvent } from '../../protocol/event.ts';

/** Bytes above which deflating pays: it takes 30 µs for whatever there is. */
const deflateAbove = 800;
// Small memory and the quickest search: for small bodies most of the time goes into setting the coder up.
const deflateOptions = { level: 1, memLevel: 5, chunkSize: 1024 };

// A row is a kilobyte or two: pieces of 16 KB for each are what a long session's reading collects garbage for.
const inflateOptions = { chunkSize: 2048 };
const strict = new TextDecoder('utf-8', { fatal: true });

/** JSON as bytes. It escapes what text columns and wires refuse: NUL and lone surrogates. */
export function encodeJson(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return bytes.length > deflateAbove ? deflateSync(bytes, deflateOptions) : bytes;
}

/** The opposite of {@link encodeJson}. Deflated data begins with 0x78, `x`, and no JSON does. Throws on damage. */
export function decodeJson(bytes: Uint8Array): string {
  return strict.decode(bytes[0] === 0x78 ? inflateSync(bytes, inflateOptions) : bytes);
}

/** Events that follow each other, and each one's time. What the row and its session already say is left out. */
export function encodeEvents(events: readonly NewEvent[], timeOf: (index: number) => number): Uint8Array {
  const texts = events.map((event, index) => `{"time":${timeOf(index)},${JSON.stringify(event).slice(1)}`);
  return encodeJson(`[${texts.join(',')}]`);
}

/**
 * The events of a row, the first of which has the sequence number of the row. Types that this version does not know
 * are kept as they are. Throws when the bytes are no events.
 */
export function decodeEvents(bytes: Uint8Array, session: string, first: number): StoredEvent[] {
  const events: unknown = JSON.parse(decodeJson(bytes));
  if (!Array.isArray(events) || !events.every(isEventBody)) throw new Error('not a list of events');
  return events.map((event, index) => ({ v: 1, session, seq: first + index, ...event }) as StoredEvent);
}

/** True for what can be an event, of a known type or not. */
export function isEventBody(value: unknown): value is NewEvent & { time: number } {
  const body = value as Partial<Record<string, unknown>> | null;
  return (
    typeof body === 'object' &&
    body !== null &&
    typeof body.type === 'string' &&
    typeof body.run === 'string' &&
    typeof body.agent === 'string' &&
    typeof body.time === 'number'
  );
}

/** A row with its first events only; undefined where there are no more, or where it cannot be read. */
export function cutEvents(bytes: Uint8Array, count: number): Uint8Array | undefined {
  try {
    const events: unknown = JSON.parse(decodeJson(bytes));
    const isLonger = Array.isArray(events) && events.length > count;
    return isLonger ? encodeJson(JSON.stringify(events.slice(0, count))) : undefined;
  } catch {
    return undefined;
  }
}
