/** Titles of sessions: what the user first said, in one line. */
import type { NewEvent } from '../../engine/ports.ts';
import { graphemes } from '../../lib/text/graphemes.ts';
import { textWidth } from '../../lib/text/text-width.ts';

const maxColumns = 80;

/** One line without control characters, at most 80 columns, cut between what people see as characters. */
export function toTitle(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
    .trim();
  // What knows all scripts takes milliseconds to load.
  if (/^[\x20-\x7e]*$/.test(line)) {
    return line.length <= maxColumns ? line : `${line.slice(0, maxColumns - 1).trimEnd()}…`;
  }
  let columns = 0;
  let end = 0;
  for (const { segment, index } of graphemes(line)) {
    const width = textWidth(segment);
    if (columns + width > maxColumns) return `${line.slice(0, end).trimEnd()}…`;
    columns += width;
    // The last column stays free for the sign that says there is more.
    if (columns < maxColumns) end = index + segment.length;
  }
  return line;
}

/** The title that an event suggests: text that a user wrote; empty for all else. */
export function titleOf(event: NewEvent): string {
  if (event.type !== 'message' || event.message.role !== 'user' || !isFromUser(event.origin)) return '';
  const text = event.message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
  return toTitle(text.slice(0, 2000));
}

/** Messages without an origin, or with one of these, are a person's. */
export function isFromUser(origin: string | undefined): boolean {
  return origin === undefined || origin === 'user' || origin === 'steer';
}
