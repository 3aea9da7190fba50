/**
 * Replaces a piece of text that was quoted from memory: exactly as quoted, else with other line endings, else with
 * other blanks at line ends, else with other indentation. Nothing outside the match changes, and inside it lines that
 * stay the same keep their bytes. Blanks are ASCII only, so the text may be bytes read as latin1.
 */

type MatchLevel = 'exact' | 'line-endings' | 'trailing-blanks' | 'indentation';

export type Replacement =
  /** `lines`: where each match begins, from 1. */
  | { readonly ok: true; readonly text: string; readonly level: MatchLevel; readonly lines: readonly number[] }
  | { readonly ok: false; readonly reason: 'ambiguous'; readonly level: MatchLevel; readonly lines: readonly number[] }
  /** `near`: a line that looks like the first line of what was searched. */
  | { readonly ok: false; readonly reason: 'missing'; readonly near?: number };

interface Match {
  readonly start: number;
  readonly end: number;
  /** How a new line is written here. */
  readonly indent?: (line: string) => string;
}

type Level = readonly [MatchLevel, (text: string, wanted: string) => Match[]];

const levels: readonly Level[] = [
  ['exact', findExact],
  ['line-endings', findWithAnyEndings],
  ['trailing-blanks', (text, wanted) => findLines(text, wanted, trimEnd, () => (line) => line)],
  ['indentation', (text, wanted) => findLines(text, wanted, trim, toIndent)],
];

/** Replaces `wanted`, which must not be empty and, unless `all` is set, must match once at the first level that matches. */
export function replaceText(text: string, wanted: string, by: string, all: boolean): Replacement {
  for (const [level, find] of levels) {
    const matches = find(text, wanted);
    if (matches.length === 0) continue;
    const lines = matches.map(({ start }) => lineAt(text, start));
    if (matches.length > 1 && !all) return { ok: false, reason: 'ambiguous', level, lines };
    const pieces: string[] = [];
    let done = 0;
    for (const match of matches) {
      pieces.push(text.slice(done, match.start), rewrite(text, match, wanted, by));
      done = match.end;
    }
    pieces.push(text.slice(done));
    return { ok: true, text: pieces.join(''), level, lines };
  }
  const first = toLines(wanted).map(trim).find(Boolean);
  const near = text.split('\n').findIndex((line) => trim(line) === first);
  return { ok: false, reason: 'missing', ...(near >= 0 && { near: near + 1 }) };
}

function findExact(text: string, wanted: string): Match[] {
  const matches: Match[] = [];
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + wanted.length)) {
    matches.push({ start, end: start + wanted.length });
  }
  return matches;
}

function findWithAnyEndings(text: string, wanted: string): Match[] {
  const plain = toLines(text).join('\n');
  // Where in the plain text a line ends that has a carriage return in the real one.
  const returns: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) returns.push(at - returns.length);
  let passed = 0;
  const toReal = (at: number) => {
    while (passed < returns.length && returns[passed]! < at) passed++;
    return at + passed;
  };
  return findExact(plain, toLines(wanted).join('\n')).map(({ start, end }) => ({
    start: toReal(start),
    end: toReal(end),
  }));
}

/** Whole lines that are equal once simplified. */
function findLines(
  text: string,
  wanted: string,
  simplify: (line: string) => string,
  relate: (wanted: readonly string[], found: readonly string[]) => ((line: string) => string) | undefined,
): Match[] {
  const sought = toLines(wanted);
  const withEnd = sought.length > 1 && sought.at(-1) === '';
  if (withEnd) sought.pop();
  const simple = sought.map(simplify);
  if (!simple.some((line) => trim(line) !== '')) return [];
  const lines = text.split('\n');
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  const simplified = lines.map(simplify);
  const last = lines.length - sought.length - (withEnd ? 1 : 0);
  const matches: Match[] = [];
  for (let at = 0; at <= last; at++) {
    if (!simple.every((line, index) => simplified[at + index] === line)) continue;
    const found = lines.slice(at, at + sought.length).map(dropReturn);
    const indent = relate(sought, found);
    if (!indent) continue;
    const next = at + sought.length;
    const end = withEnd ? starts[next]! : starts[next - 1]! + found.at(-1)!.length;
    matches.push({ start: starts[at]!, end, indent });
    at = next - 1;
  }
  return matches;
}

/** Maps the indentation that was quoted to the one that is there; undefined when one quoted form means two real ones. */
function toIndent(wanted: readonly string[], found: readonly string[]): ((line: string) => string) | undefined {
  const real = new Map<string, string>();
  for (const [index, line] of wanted.entries()) {
    if (trim(line) === '') continue;
    const quoted = indentOf(line);
    const there = indentOf(found[index]!);
    if (real.has(quoted) && real.get(quoted) !== there) return undefined;
    real.set(quoted, there);
  }
  const longestFirst = [...real].sort(([a], [b]) => b.length - a.length);
  return (line) => {
    if (trim(line) === '') return line;
    const quoted = indentOf(line);
    const [from, to] = longestFirst.find(([prefix]) => quoted.startsWith(prefix)) ?? ['', ''];
    return to + line.slice(from.length);
  };
}

/** The new text of a match. Lines at both ends that do not change keep their bytes, line ending included. */
function rewrite(text: string, { start, end, indent }: Match, wanted: string, by: string): string {
  const before = toLines(wanted);
  const after = toLines(by);
  // To change nothing but line endings is meant literally.
  if (before.join('\n') === after.join('\n')) return by;
  const there = text.slice(start, end).split(/(?<=\n)/);
  if (there.at(-1)?.endsWith('\n') || there.length === 0) there.push('');
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const ending = endingAt(text, start);
  const lines = after.map((line, index) => {
    const fromEnd = after.length - 1 - index;
    const kept = index < head ? there[index] : fromEnd < tail ? there.at(-1 - fromEnd) : undefined;
    const body = kept === undefined ? (indent ? indent(line) : line) : dropEnding(kept);
    if (fromEnd === 0) return body;
    return body + (kept?.endsWith('\n') ? kept.slice(body.length) : ending);
  });
  return lines.join('');
}

/** The ending of the line at a position, else of the line before it. */
function endingAt(text: string, at: number): string {
  const next = text.indexOf('\n', at);
  const end = next >= 0 ? next : text.lastIndexOf('\n', at);
  return end > 0 && text[end - 1] === '\r' ? '\r\n' : '\n';
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line++;
  return line;
}

function toLines(text: string): string[] {
  return text.split(/\r?\n/);
}

function trimEnd(line: string): string {
  return line.replace(/[ \t\r\f\v]+$/, '');
}

function trim(line: string): string {
  return trimEnd(line).replace(/^[ \t\f\v]+/, '');
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

function dropReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function dropEnding(line: string): string {
  return line.replace(/\r?\n$/, '');
}
