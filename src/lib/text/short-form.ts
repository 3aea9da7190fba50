/** Long text in a few lines: the beginning and the end, with what is left out counted, and long gaps counted too. */

export interface ShortForm {
  readonly text: string;
  /** How much is left out. Both 0 when all of it is there. */
  readonly lines: number;
  readonly characters: number;
}

const maxCharacters = 120;
const maxLines = 5;
/** How much of a cut text is its beginning; the rest is its end. */
const headShare = 0.6;

/**
 * Text over 120 characters in a line or over 5 lines, cut to its first and last ones. `mark` says what was left out, in
 * words of the reader.
 */
export function shortForm(
  text: string,
  mark: (left: { readonly lines: number; readonly characters: number }) => string,
): ShortForm {
  const lines = text.split('\n');
  const cut = lines.length > maxLines;
  const head = cut ? lines.slice(0, Math.ceil((maxLines - 1) * headShare)) : lines;
  const tail = cut ? lines.slice(-Math.floor((maxLines - 1) * (1 - headShare)) || -1) : [];
  const left = lines.slice(head.length, lines.length - tail.length);
  let characters = left.join('\n').length;
  const shorten = (line: string) => {
    const all = [...line];
    if (all.length <= maxCharacters) return line;
    const start = Math.floor(maxCharacters * headShare);
    const end = maxCharacters - start;
    const dropped = all.length - start - end;
    characters += dropped;
    return `${all.slice(0, start).join('')}${mark({ lines: 0, characters: dropped })}${all.slice(-end).join('')}`;
  };
  const shown = [
    ...head.map(shorten),
    ...(left.length > 0 ? [mark({ lines: left.length, characters: left.join('\n').length })] : []),
    ...tail.map(shorten),
  ];
  return { text: shown.join('\n'), lines: left.length, characters };
}

const longGap = /[ \t]{8,}(?=\S)|\n(?:[ \t]*\n){2,}/g;

/** Gaps that may push what follows out of sight, written as their length: `⟨300 blanks⟩`, `⟨12 empty lines⟩`. */
export function countGaps(text: string, name: { blanks(count: number): string; lines(count: number): string }): string {
  return text.replace(longGap, (gap, at: number) => {
    if (gap.startsWith('\n')) return `\n${name.lines(gap.split('\n').length - 2)}\n`;
    // Indentation is no gap.
    const isIndent = at === 0 || text[at - 1] === '\n';
    return isIndent && gap.length < 40 ? gap : name.blanks(gap.length);
  });
}
