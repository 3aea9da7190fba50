/** Cutting text so that no character a person sees is torn apart. Sizes are bytes of UTF-8. */

import { graphemes } from './graphemes.ts';

/** How far back a character that a cut would tear is looked for; longer ones are cut between code points. */
const window = 64;

export interface Cut {
  readonly text: string;
  /** Bytes left out. */
  readonly dropped: number;
}

/** The beginning of a text, at most `maxBytes` long. */
export function keepStart(text: string, maxBytes: number): Cut {
  if (fits(text, maxBytes)) return { text, dropped: 0 };
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.codePointAt(index)!;
    const size = bytesOf(code);
    if (bytes + size > maxBytes) break;
    bytes += size;
    index += code > 0xffff ? 2 : 1;
  }
  const kept = text.slice(0, borderBefore(text, index));
  return { text: kept, dropped: Buffer.byteLength(text) - Buffer.byteLength(kept) };
}

/** The end of a text, at most `maxBytes` long. */
export function keepEnd(text: string, maxBytes: number): Cut {
  if (fits(text, maxBytes)) return { text, dropped: 0 };
  let bytes = 0;
  let index = text.length;
  while (index > 0) {
    const low = text.charCodeAt(index - 1);
    const pair = index > 1 && low >= 0xdc00 && low <= 0xdfff && text.codePointAt(index - 2)! > 0xffff;
    const size = pair ? 4 : bytesOf(low);
    if (bytes + size > maxBytes) break;
    bytes += size;
    index -= pair ? 2 : 1;
  }
  const kept = text.slice(borderAfter(text, index));
  return { text: kept, dropped: Buffer.byteLength(text) - Buffer.byteLength(kept) };
}

/**
 * Beginning and end of a text, at most `maxBytes` long together; `mark` writes what stands between them, given the
 * bytes left out, and is not counted.
 */
export function keepEnds(text: string, maxBytes: number, mark: (dropped: number) => string): string {
  if (fits(text, maxBytes)) return text;
  const start = keepStart(text, Math.ceil(maxBytes / 2)).text;
  const end = keepEnd(text, Math.floor(maxBytes / 2)).text;
  return start + mark(Buffer.byteLength(text) - Buffer.byteLength(start) - Buffer.byteLength(end)) + end;
}

/** The beginning of a text, at most `maxBytes` long with `…` at its end when something is left out. */
export function shorten(text: string, maxBytes: number): string {
  if (fits(text, maxBytes)) return text;
  return `${keepStart(text, Math.max(0, maxBytes - 3)).text}…`;
}

function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}

/** The last border between characters at or before `index`. */
function borderBefore(text: string, index: number): number {
  if (isBorder(text, index)) return index;
  const { from, segments } = around(text, index);
  const segment = segments.containing(index - from);
  return segment === undefined || (segment.index === 0 && from > 0) ? index : from + segment.index;
}

/** The first border between characters at or after `index`. */
function borderAfter(text: string, index: number): number {
  if (isBorder(text, index)) return index;
  const { from, segments } = around(text, index);
  const segment = segments.containing(index - from);
  if (segment === undefined || segment.index === index - from) return index;
  return from + segment.index + segment.segment.length;
}

/** Between two plain characters; no need to know more of the text. */
function isBorder(text: string, index: number): boolean {
  return /^[\x20-\x7e]{2}$/.test(text.slice(Math.max(0, index - 1), index + 1));
}

function around(text: string, index: number) {
  let from = Math.max(0, index - window);
  if (isLowSurrogate(text, from)) from -= 1;
  return { from, segments: graphemes(text.slice(from, index + window)) };
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return index > 0 && code >= 0xdc00 && code <= 0xdfff;
}
