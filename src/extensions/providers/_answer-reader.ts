/** Reads the body of an answer: bytes become events, events become what the codec says they mean. */
import { createSseReader } from '../../lib/sse.ts';
import type { ModelEvent } from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Decoder, SseEvent } from './_codec.ts';
import { brokenStream, classifyFailure } from './_errors.ts';
import { keepSound } from './_sound-events.ts';

/** How much of a body that is no event stream is read for what went wrong. */
export const maxErrorBytes = 64 * 1024;
/** Also of what is no part of the answer, such as signs of life. */
const maxAnswerBytes = 256 * 1024 * 1024;

/** Reads one body, without waiting: what its bytes mean goes into the list that is handed along with them. */
export class AnswerReader {
  /** What went wrong; what was read before it stands in the list all the same. */
  failure: Error | undefined;
  readonly #decoder: Decoder;
  readonly #events = createSseReader();
  #count = 0;
  #bytes = 0;
  #ended = false;
  #opening = '';
  #out: ModelEvent[] = [];

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** True once the answer is whole. */
  read(pieces: readonly Uint8Array[], out: ModelEvent[]): boolean {
    this.#out = out;
    try {
      for (const piece of pieces) this.#feed(piece);
    } catch (error) {
      this.failure = error instanceof RangeError ? brokenStream(error.message) : (error as Error);
    }
    return this.#ended;
  }

  /** The body is at its end. Throws `E_PROVIDER_*` when the answer is not. */
  end(out: ModelEvent[]): void {
    this.#out = out;
    this.#events.end(this.#onEvent);
    if (this.#count === 0) throw notAStream(this.#opening);
    if (!this.#ended) this.#decode(undefined);
  }

  #feed(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > maxAnswerBytes) throw new ReinError('E_ANSWER_TOO_LARGE');
    if (this.#count === 0 && this.#opening.length < maxErrorBytes) {
      this.#opening += Buffer.from(piece).toString('latin1');
    }
    this.#events.feed(piece, this.#onEvent);
  }

  readonly #onEvent = (event: SseEvent): void => {
    this.#count += 1;
    if (this.#ended) return;
    this.#decode(event);
    this.#ended = this.#out.at(-1)?.type === 'end';
  };

  /** One event, or the end of the body. */
  #decode(event: SseEvent | undefined): void {
    const before = this.#out.length;
    try {
      if (event) this.#decoder.push(event, this.#out);
      else this.#decoder.finish(this.#out);
    } catch (error) {
      // Decoders trust the shape that the wire promises; a server that keeps another one is the server's fault.
      throw error instanceof TypeError ? brokenStream('an event of another shape than this wire has') : error;
    }
    keepSound(this.#out, before);
    joinDelta(this.#out, before);
  }
}

type Delta = Exclude<ModelEvent, { type: 'part' | 'end' }>;

/**
 * Pieces of one text that came in one go are shown in one go: a burst of a thousand words costs its readers one event.
 * Joins the delta at `index` with the one before it.
 */
function joinDelta(events: ModelEvent[], index: number): void {
  const before = events[index - 1];
  const delta = events[index];
  if (events.length !== index + 1 || !isDelta(before) || !isDelta(delta)) return;
  if (before.type !== delta.type || callOf(before) !== callOf(delta)) return;
  events[index - 1] = { ...delta, text: before.text + delta.text };
  events.length = index;
}

function isDelta(event: ModelEvent | undefined): event is Delta {
  return event !== undefined && event.type !== 'part' && event.type !== 'end';
}

function callOf(delta: Delta): string | undefined {
  return delta.type === 'tool-input-delta' ? delta.callId : undefined;
}

/** A 200 whose body is no event stream: often an error in JSON, or the page of a gateway. */
function notAStream(body: string): ReinError {
  const text = Buffer.from(body, 'latin1').toString('utf8').trim();
  if (!text) return brokenStream('the answer was empty');
  const failure = classifyFailure({ body: text });
  return failure.code === 'E_PROVIDER_STREAM'
    ? brokenStream(`the answer is not an event stream: ${failure.params.detail}`)
    : failure;
}
