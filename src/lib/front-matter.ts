/**
 * The head of a Markdown file between two lines `---`: the part of YAML that people write there, and nothing of what
 * makes YAML dangerous. A colon, a bracket or a dash inside a plain value is text.
 */

export type FrontMatterValue = string | readonly string[];

export interface FrontMatter {
  readonly fields: Readonly<Record<string, FrontMatterValue>>;
  /** The text after the head. */
  readonly body: string;
  /** What cannot be read, with its line (the first is 1). Such a line is left out. */
  readonly problems: readonly HeadProblem[];
}

/** A line that is no `key: value`, with its beginning; or a head without an end. */
type HeadProblem =
  | { readonly line: number; readonly kind: 'no-key'; readonly value: string }
  | { readonly line: number; readonly kind: 'unclosed' };

const key = /^([A-Za-z_][\w.-]*)\s*:(?:\s+(.*))?$/;

/** Reads a file's text. A file without a head has no fields and is all body. */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trim() !== '---') return { fields: {}, body: text.trim(), problems: [] };
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end < 0) {
    return { fields: {}, body: '', problems: [{ line: 1, kind: 'unclosed' }] };
  }
  const fields: Record<string, FrontMatterValue> = {};
  const problems: HeadProblem[] = [];
  for (let at = 1; at < end; ) {
    const line = lines[at]!;
    const below = blockBelow(lines, at + 1, end);
    const match = key.exec(line);
    if (match) fields[match[1]!] = readValue(match[2]?.trim() ?? '', below);
    else if (line.trim() !== '' && !line.trimStart().startsWith('#')) {
      problems.push({ line: at + 1, kind: 'no-key', value: line.trim().slice(0, 60).toWellFormed() });
    }
    at += match ? 1 + below.length : 1;
  }
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return { fields, body, problems };
}

/** The lines that belong to a key: indented ones, list items, and blank ones between them. */
function blockBelow(lines: readonly string[], from: number, end: number): string[] {
  let last = from;
  for (let at = from; at < end; at++) {
    const line = lines[at]!;
    if (/^\s+\S/.test(line) || /^-\s/.test(line)) last = at + 1;
    else if (line.trim() !== '') break;
  }
  return lines.slice(from, last);
}

function readValue(text: string, below: readonly string[]): FrontMatterValue {
  const block = /^([>|])[+-]?\d?\s*(?:#.*)?$/.exec(text);
  const inner = below.map((line) => line.trim());
  if (block) return inner.join(block[1] === '>' ? ' ' : '\n').trim();
  const items = inner.filter((line) => line !== '' && !line.startsWith('#'));
  if (text === '' && items.length > 0 && items.every((line) => /^-(\s|$)/.test(line))) {
    return items.map((line) => plain(line.slice(1).trim()));
  }
  const list = /^\[([^[\]]*)\]$/.exec(text);
  if (list && below.length === 0) return splitList(list[1]!);
  return plain([text, ...items].join(' ').trim());
}

function splitList(text: string): string[] {
  const items = text.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+/g) ?? [];
  return items.map((item) => plain(item.trim())).filter((item) => item !== '');
}

function plain(text: string): string {
  if (/^"(?:[^"\\]|\\.)*"$/.test(text)) {
    try {
      return String(JSON.parse(text));
    } catch {
      return text.slice(1, -1);
    }
  }
  if (/^'(?:[^']|'')*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return text.replace(/\s+#.*$/, '');
}
