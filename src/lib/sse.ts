/** Reads server-sent events out of pieces of bytes, wherever the network cut them. Knows no network itself. */

/** One event: its `event:` name (empty when absent) and its `data:` lines joined with LF. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

export interface SseReader {
  /** Takes the next bytes and calls `onEvent` for each event they complete. Throws a RangeError above `maxBytes`. */
  feed(bytes: Uint8Array, onEvent: (event: SseEvent) => void): void;
  /** The body ended: what stands there counts as an event even without the blank line that should close it. */
  end(onEvent: (event: SseEvent) => void): void;
}

const LF = 10;
const CR = 13;
const defaultMaxBytes = 64 * 1024 * 1024;

/**
 * A reader for one body. Lines may end in LF, CR or CRLF; comments and unknown fields are skipped; a byte order mark
 * at the start is dropped. `maxBytes` bounds one event. Linear in the bytes fed.
 */
export function createSseReader(maxBytes = defaultMaxBytes): SseReader {
  // Only whole lines are decoded, so a character cut between pieces waits here as bytes.
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let started = false;
  let afterCr = false;
  let event = '';
  let data: string | undefined;
  let dataLength = 0;

  function feed(bytes: Uint8Array, onEvent: (event: SseEvent) => void): void {
    if (bytes.length === 0) return;
    let piece = bytes;
    // The LF of a CRLF that was cut in two; its line was taken when the CR came.
    if (afterCr && piece[0] === LF) piece = piece.subarray(1);
    afterCr = bytes[bytes.length - 1] === CR;
    const cut = lastLineEnd(piece) + 1;
    if (cut === 0) return hold(piece);
    const lines = pending.length === 0 ? piece.subarray(0, cut) : Buffer.concat([...pending, piece.subarray(0, cut)]);
    pending = [];
    pendingBytes = 0;
    if (cut < piece.length) hold(piece.subarray(cut));
    readLines(decode(lines), onEvent);
  }

  function hold(piece: Uint8Array): void {
    if (piece.length === 0) return;
    pending.push(piece);
    pendingBytes += piece.length;
    if (pendingBytes > maxBytes) throw tooLarge(maxBytes);
  }

  function decode(bytes: Uint8Array): string {
    const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let text = buffer.toString('utf8');
    if (!started && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    started = true;
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  function readLines(text: string, onEvent: (event: SseEvent) => void): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (end === start) dispatch(onEvent);
      else readField(text, start, end);
      start = end + 1;
    }
  }

  function readField(text: string, start: number, end: number): void {
    if (text.startsWith('data', start)) {
      const value = fieldValue(text, start + 4, end);
      if (value === undefined) return;
      dataLength += value.length + 1;
      if (dataLength > maxBytes) throw tooLarge(maxBytes);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (text.startsWith('event', start)) {
      event = fieldValue(text, start + 5, end) ?? event;
    }
  }

  function dispatch(onEvent: (event: SseEvent) => void): void {
    const whole = data === undefined ? undefined : { event, data };
    event = '';
    data = undefined;
    dataLength = 0;
    if (whole) onEvent(whole);
  }

  function end(onEvent: (event: SseEvent) => void): void {
    const rest = pending.length === 0 ? '' : decode(Buffer.concat(pending));
    pending = [];
    if (rest) readField(rest, 0, rest.length);
    dispatch(onEvent);
  }

  return { feed, end };
}

/** The value behind a field's name, without one leading space; undefined when the name goes on. */
function fieldValue(text: string, colon: number, end: number): string | undefined {
  if (colon === end) return '';
  if (text.charCodeAt(colon) !== 58) return undefined;
  return text.slice(text.charCodeAt(colon + 1) === 32 && colon + 1 < end ? colon + 2 : colon + 1, end);
}

function lastLineEnd(bytes: Uint8Array): number {
  if (bytes[bytes.length - 1] === LF) return bytes.length - 1;
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR));
}

function tooLarge(maxBytes: number): RangeError {
  return new RangeError(`one event is larger than ${maxBytes} bytes`);
}
