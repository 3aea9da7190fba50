/** Makes visible what hides or disguises: controls, bidi marks, zero-width and tag characters, odd spaces, lone surrogates. */

/** A name on one line in which every invisible character is written as an escape such as `\n` or `\u{202e}`. */
export function visibleName(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  // Made here, because its tables take time to load and plain text does without.
  const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return text.replace(hidden, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** Emoji are written with joiners and selectors of their own; those hide nothing. */
const emoji =
  /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)*/gu;

/** Text of many lines in which every invisible character but line breaks and tabs is written as an escape. */
export function visibleText(text: string): string {
  let shown = '';
  let end = 0;
  for (const match of text.matchAll(emoji)) {
    shown += visibleLines(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return shown + visibleLines(text.slice(end));
}

function visibleLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/(\n|\t)/)
    .map((piece) => (piece === '\n' || piece === '\t' ? piece : visibleName(piece)))
    .join('');
}
