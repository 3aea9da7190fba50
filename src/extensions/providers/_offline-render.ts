/** Small pieces of Markdown. */
import type { Source } from './_offline-claims.ts';

/** `path:line` in code marks; the path alone for line 0. */
export function cite({ path, line }: Source): string {
  return line > 0 ? `\`${path}:${line}\`` : `\`${path}\``;
}

/** 12345 as `12,345`. */
export function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Cut at a word, with an ellipsis. */
export function short(text: string, length: number): string {
  const chars = [...text];
  if (chars.length <= length) return text;
  return `${chars
    .slice(0, length)
    .join('')
    .replace(/\s+\S*$/, '')} …`;
}

/** One row of a table; bars in a cell do not break it. */
export function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
}

/** The two head lines of a table; columns named in `right` hold numbers. */
export function head(columns: readonly string[], right: readonly number[] = []): string[] {
  return [row(...columns), `|${columns.map((_, index) => (right.includes(index) ? '---:' : '---')).join('|')}|`];
}

/** Code marks around text that may hold a backtick. */
export function code(text: string): string {
  const clean = text.replace(/\s+/g, ' ').trim();
  return clean.includes('`') ? `\`\` ${clean} \`\`` : `\`${clean}\``;
}

/** A share for people, in whole percent; below one it says so. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const share = (part / whole) * 100;
  return share > 0 && share < 1 ? '< 1 %' : `${Math.round(share)} %`;
}
