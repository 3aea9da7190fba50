/** What a text hides from the eye: colours and characters without a width, which may stand within a secret. */

const escapes = String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])`;
const widthless = String.raw`[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]`;
const hidden = new RegExp(`${escapes}|${widthless}`, 'g');
const wide = new RegExp(widthless.replace(String.raw`\u00ad`, ''));
const marker = /(\[redacted: [^\]\n]{0,200}\])/;

/**
 * `clean` for texts that hide something too: what is a secret when the hidden is left out is replaced, and all that was
 * hidden stays where it was. Linear in the text, and nearly free where nothing is hidden.
 */
export function seeThrough(clean: (text: string) => string): (text: string) => string {
  return (text) => {
    const first = clean(text);
    if (!first.includes('\u001b') && !first.includes('\u00ad') && !wide.test(first)) return first;
    const seen = first.replace(hidden, '');
    const cleaned = clean(seen);
    return cleaned === seen ? first : putBack(first, seen, cleaned);
  };
}

/** The cleaned text with what was hidden in `text` put back: within a secret, behind its marker. */
function putBack(text: string, seen: string, cleaned: string): string {
  const found = [...text.matchAll(hidden)];
  let next = 0;
  let removed = 0;
  const take = (until: number) => {
    let taken = '';
    for (; next < found.length && found[next]!.index - removed <= until; next++) {
      taken += found[next]![0];
      removed += found[next]![0].length;
    }
    return taken;
  };
  const pieces = cleaned.split(marker);
  let result = '';
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 1) {
      result += piece;
      continue;
    }
    const start = index === pieces.length - 1 ? seen.length - piece.length : seen.indexOf(piece, at);
    if (start < at) return cleaned;
    // What stood in the secret before this piece; at the very beginning there is no secret yet.
    if (index > 0) result += take(start - 1);
    let done = start;
    while (next < found.length && found[next]!.index - removed <= start + piece.length) {
      const place = found[next]!.index - removed;
      result += seen.slice(done, place) + take(place);
      done = place;
    }
    result += seen.slice(done, start + piece.length);
    at = start + piece.length;
  }
  return result;
}
