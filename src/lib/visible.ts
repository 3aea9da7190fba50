/** Characters that hide or disguise: controls, bidi marks, zero-width and tag characters, odd spaces, lone surrogates. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A name on one line in which every invisible character is written as an escape such as `\n` or `\u{202e}`. */
export function visibleName(text: string): string {
  return text.replace(hidden, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
