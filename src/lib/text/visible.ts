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

/** Flags of regions are spelled with tag characters. */
const hiddenRun =
  /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|[\u{e0000}-\u{e007f}]+|[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]{2,}/gu;

/**
 * Text in which letters that nobody sees and every model reads, such as tag characters, stand decoded in a marker:
 * `[hidden text: "…"]`. All else stays as it is.
 */
export function revealHidden(text: string): string {
  // Both blocks begin with this surrogate; long runs of the small block alone carry bytes.
  if (!text.includes('\udb40') && !/[\ufe00-\ufe0f]{2}/.test(text)) return text;
  return text.replace(hiddenRun, (run) => {
    if (run.startsWith('\u{1f3f4}')) return run;
    const letters = [...run].map((character) => String.fromCharCode(decode(character.codePointAt(0)!)));
    return `[hidden text: ${JSON.stringify(letters.join(''))}]`;
  });
}

/** Tags stand for ASCII, variation selectors for bytes. */
function decode(code: number): number {
  if (code >= 0xe0100) return code - 0xe0100 + 16;
  return code >= 0xe0000 ? code - 0xe0000 : code - 0xfe00;
}
