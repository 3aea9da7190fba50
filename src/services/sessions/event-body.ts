/** How an event lies in the database: JSON text, deflated where that pays. */
import { deflateSync, inflateSync } from 'node:zlib';
import type { NewEvent } from '../../engine/ports.ts';
import type { StoredEvent } from '../../protocol/event.ts';

/** Bytes above which deflating pays. */
const deflateAbove = 300;
// A small window of memory: most of the time goes into setting the coder up.
const deflateOptions = { memLevel: 4 };

/** JSON escapes what text columns and wires refuse: NUL and lone surrogates. */
export function encodeJson(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return bytes.length > deflateAbove ? deflateSync(bytes, deflateOptions) : bytes;
}

/** The opposite of {@link encodeJson}. JSON begins with `{`, deflated data with 0x78. Throws on damaged bytes. */
export function decodeJson(bytes: Uint8Array): string {
  const plain = bytes[0] === 0x78 ? inflateSync(bytes) : bytes;
  return new TextDecoder('utf-8', { fatal: true }).decode(plain);
}

/** The body of an event; what the row and its session already say is left out. */
export function encodeEvent(event: NewEvent, time: number): Uint8Array {
  return encodeJson(`{"time":${time},${JSON.stringify(event).slice(1)}`);
}

/** Throws when the bytes are no event. Types that this version does not know are kept as they are. */
export function decodeEvent(bytes: Uint8Array, session: string, seq: number): StoredEvent {
  const event: unknown = JSON.parse(decodeJson(bytes));
  if (!isEventBody(event)) throw new Error('an event without a type');
  return { v: 1, session, seq, ...event } as StoredEvent;
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
