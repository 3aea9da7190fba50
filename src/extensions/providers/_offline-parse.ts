/** Reads the text that the tools return. Tolerant: a line that means nothing to it is passed over. */

export interface Entry {
  readonly name: string;
  readonly folder: boolean;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  /** With its indentation. */
  readonly text: string;
}

export interface FileText {
  /** Lines from `first` on, without their numbers. */
  readonly lines: readonly string[];
  readonly first: number;
  /** Lines of the whole file, as far as known. */
  readonly total: number;
}

/** Entries of `ls`: a heading with a colon, then one a line; folders end in `/`, a size may follow. */
export function parseListing(text: string): Entry[] {
  return pathLines(text.replace(/^.*:\n/, '')).map((line) => {
    const name = line
      .replace(/\s+->\s.*$/, '')
      .replace(/(?:\t|\s{2,}|\s+\()\s*[\d.,]+\s*(?:bytes?|[KMGT]?i?B)?\)?$|\s{2,}\([^)]*\)$/i, '');
    return { name: name.replace(/\/$/, ''), folder: name.endsWith('/') };
  });
}

/** Paths, one a line. */
export function parsePaths(text: string): string[] {
  return pathLines(text).map((line) => line.replace(/^\.\//, ''));
}

/** Lines like `path:12`. */
export function parseCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^(?:\.\/)?(\S.*?):\s*(\d+)$/.exec(line);
    if (match?.[1]) counts.set(match[1], Number(match[2]));
  }
  return counts;
}

/** Lines like `path:12:text` (or `path:12: text`). */
export function parseMatches(text: string): Match[] {
  const matches: Match[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = /^(?:\.\/)?(\S[^:]*):(\d+):([\s\S]*)$/.exec(line);
    if (match?.[1]) matches.push({ path: match[1], line: Number(match[2]), text: (match[3] ?? '').trimEnd() });
  }
  return matches;
}

/** Lines with their numbers before them: `  12\ttext`, `12→text`, `12: text` or `12|text`. */
export function parseRead(text: string): FileText {
  const lines: string[] = [];
  let first = 0;
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(\d+)(?:\t|→|\||: ?)([\s\S]*)$/.exec(line);
    if (!match || (first > 0 && Number(match[1]) !== first + lines.length)) continue;
    first ||= Number(match[1]);
    lines.push(match[2] ?? '');
  }
  const seen = first + lines.length - 1;
  const told = /\b(?:of|total:?)\s+([\d,]+)(?:\s+lines)?\b|\b([\d,]+)\s+lines\b/i.exec(text.slice(-400));
  const total = Number((told?.[1] ?? told?.[2] ?? '0').replaceAll(',', ''));
  return { lines, first, total: Math.max(total, seen, 0) };
}

/** Whether a result says, in a note in brackets at its end, that it does not hold everything. */
export function isPartial(text: string): boolean {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return /^\[.*\b(?:stopped|more|truncated|not shown|left out)\b/i.test(last);
}

/** Lines of a list; notes for the model (in brackets, or whole sentences) are none. */
function pathLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter(
      (line) =>
        line.trim() !== '' &&
        !/^[[(]/.test(line) &&
        !/^(?:No |Showing |Found |… |\.\.\. |\d+ (?:files|matches|entries)\b)/.test(line) &&
        !/[a-z]\.$/.test(line),
    );
}
