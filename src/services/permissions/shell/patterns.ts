/** Patterns of rules for commands: `npm test`, `git log *`, `git push:*`, `dangerous:python *`. */

/** Stands between the words of a command: no word can hold it. */
const gap = '\0';

/** The pattern for exactly this command. */
export function exactPattern(command: string): string {
  return command.replace(/[\\*]/g, '\\$&');
}

/** True when a pattern stands for one command only. */
export function isExact(pattern: string): boolean {
  return !/^(?:[^\\]|\\[\s\S])*?\*/.test(pattern);
}

/** The command an exact pattern stands for. */
export function exactText(pattern: string): string {
  return pattern.trim().replace(/\\([\s\S])/g, '$1');
}

export interface CommandPattern {
  /** The user knows that it lets a program run anything. */
  readonly dangerous: boolean;
  /** Words without a star, in order, up to the first one with a star. */
  readonly fixed: readonly string[];
  /** All words without a star. */
  readonly literal: readonly string[];
  /** The words of the pattern, for a look at each. A star for "whatever follows" is no word. */
  readonly words: readonly Wildcard[];
  /** Whether the words of a command are what the pattern says. */
  matches(words: readonly string[]): boolean;
}

/** Text with gaps for anything; the pieces stand between the gaps. */
type Wildcard = readonly string[];

/** Reads a pattern. `*` is any text, over words too; ` *` or `:*` at the end may also be nothing. */
export function readPattern(pattern: string): CommandPattern {
  const [, marker, body = ''] = /^(dangerous:)?([\s\S]*)$/.exec(pattern.trim())!;
  const [, head = '', tail] = /^([\s\S]*?)((?:[ \t]+|:)\*+)?$/.exec(body)!;
  const words = head
    .split(/(?<!\\)[ \t]+/)
    .filter(Boolean)
    .map(toWildcard);
  const isLiteral = (word: Wildcard) => word.length === 1;
  const star = words.findIndex((word) => !isLiteral(word));
  const whole = words.flatMap((word, index) => (index === 0 ? [word] : [[gap], word])).reduce(joinPieces, ['']);
  return {
    dangerous: marker !== undefined,
    fixed: words.slice(0, star === -1 ? undefined : star).map(([text]) => text!),
    literal: words.filter(isLiteral).map(([text]) => text!),
    words,
    matches(given) {
      const text = given.join(gap);
      if (matchesWildcard(whole, text)) return true;
      return tail !== undefined && matchesWildcard(joinPieces(whole, [gap, '']), text);
    },
  };
}

function toWildcard(word: string): Wildcard {
  const pieces = [''];
  for (const [, escaped, stars, plain] of word.matchAll(/\\([\s\S])|(\*+)|([^\\*]+|\\$)/g)) {
    if (stars) pieces.push('');
    else pieces[pieces.length - 1] += escaped ?? plain ?? '';
  }
  return pieces;
}

function joinPieces(a: Wildcard, b: Wildcard): Wildcard {
  return [...a.slice(0, -1), a.at(-1)! + b[0]!, ...b.slice(1)];
}

/** In one pass: each piece is looked for behind the one before it. */
export function matchesWildcard(pieces: Wildcard, text: string): boolean {
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  if (pieces.length === 1) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** The same pattern for a look that letter case does not escape. */
export function folded(word: Wildcard): Wildcard {
  return word.map((piece) => piece.toLowerCase());
}

/**
 * Whether the words of a pattern stand in a text in this order, wherever a command might begin. Quotes, backslashes and
 * folders of the program are looked through; words between them are passed over.
 */
export function textTouches(text: string, pattern: CommandPattern): boolean {
  const wanted = pattern.words.map(folded);
  if (wanted.length === 0) return true;
  for (const part of text
    .toLowerCase()
    .replace(/['"\\]/g, '')
    .split(/[;|&\n\r`(){}]+/)) {
    const words = part.split(/[\s<>$=!,[\]]+/).filter(Boolean);
    let next = 0;
    for (const word of words) {
      const program = next === 0 ? word.slice(word.lastIndexOf('/') + 1) : word;
      if (matchesWildcard(wanted[next]!, word) || matchesWildcard(wanted[next]!, program)) next++;
      if (next === wanted.length) return true;
    }
  }
  return false;
}
