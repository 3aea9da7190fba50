/** The words of a shell command that could name a file. Generous: a word too many names nothing. Pure. */

const maxDepth = 4;

/** `"$DIR"/x`, `${DIR}/x`, `$(pwd)/x`: mostly the folder itself. */
const folderVariable = /(\$\{[^{}]*\}|\$\w+|\$\([^()]*\)|`[^`]*`)(?=["']*\/)/g;
/** Where output goes is written, not run. */
const outputTarget = /\d*&?>{1,2}[|&]?\s*("[^"]*"|'[^']*'|[^\s"'`;&|<>()]+)/g;
const looseWord = /[^\s"'`;&|<>(){}[\]$=,:\\]+/g;

/** Words as the shell takes them, and again the words of those that are commands themselves, as in `sh -c "./x"`. */
export function commandWords(text: string): string[] {
  return [...new Set(wordsOf(text, 0))];
}

function wordsOf(text: string, depth: number): string[] {
  const read = text.replace(outputTarget, ' ');
  const loose = read.match(looseWord) ?? [];
  const words = shellWords(read.replace(folderVariable, '.'));
  const inner = words.filter((word) => /[\s;&|<>()"'`$=:,]/.test(word) && word !== text);
  return [...words, ...loose, ...(depth < maxDepth ? inner.flatMap((word) => wordsOf(word, depth + 1)) : [])];
}

/** Splits at blanks and operators outside of quotes; the quotes are taken away. An open quote lasts to the end. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === '\\' && quote !== "'") word += text[++at] ?? '';
    else if (sign === quote) quote = '';
    else if (quote === '' && (sign === '"' || sign === "'")) quote = sign;
    else if (quote === '' && /[\s;&|<>()`]/.test(sign)) {
      words.push(word);
      word = '';
    } else word += sign;
  }
  return [...words, word].filter((each) => each !== '');
}
