/**
 * Text as terms for a full-text index: words in lower case, and for scripts without blanks (Chinese, Japanese,
 * Korean) overlapping pairs of characters, so that words of two characters are found.
 */

const word = /[\p{L}\p{M}\p{N}]+/gu;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc]+/u;
const pieces = new RegExp(`${unspaced.source}|(?:(?!${unspaced.source})[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/** What is looked for: terms that follow each other; with `prefix` the last one may be the beginning of a term. */
export interface TermPhrase {
  readonly terms: readonly string[];
  readonly prefix: boolean;
}

/** The terms to index a text by, in order. The last character of a run stands alone too, so that it is found alone. */
export function toSearchTerms(text: string): string[] {
  return runs(text).flatMap(({ text, paired }) => {
    if (!paired) return [text];
    const characters = [...text];
    return [...pairs(characters), characters.at(-1)!];
  });
}

/** What to look for, one phrase for each word or run of the text; empty when it has none. */
export function toSearchPhrases(text: string): TermPhrase[] {
  return runs(text).map(({ text, paired }) => {
    const characters = [...text];
    if (!paired) return { terms: [text], prefix: false };
    return characters.length === 1 ? { terms: characters, prefix: true } : { terms: pairs(characters), prefix: false };
  });
}

function runs(text: string): { text: string; paired: boolean }[] {
  return [...text.normalize('NFKC').toLowerCase().matchAll(word)].flatMap(([found]) =>
    [...found.matchAll(pieces)].map(([piece]) => ({ text: piece, paired: unspaced.test(piece) })),
  );
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, index) => characters[index]! + character);
}
