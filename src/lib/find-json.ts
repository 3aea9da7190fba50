/** JSON inside of text that a model wrote: alone, in a fenced block, or somewhere in its prose. */

const maxCandidates = 20;

/** The JSON values found, likeliest first: the whole text, fenced blocks (last first), objects and lists (longest first). */
export function* findJson(text: string): Generator<unknown> {
  const whole = parse(text.trim());
  if (whole !== undefined) return yield whole;
  const blocks = [...text.matchAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm)].map(
    ([, , body]) => body!,
  );
  for (const block of blocks.reverse().slice(0, maxCandidates)) {
    const value = parse(block.trim());
    if (value !== undefined) yield value;
  }
  const spans = balanced(text).sort((a, b) => b.length - a.length);
  for (const span of spans.slice(0, maxCandidates)) {
    const value = parse(span);
    if (value !== undefined) yield value;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Outermost stretches between brackets that match, brackets in strings not counted. A bracket of prose is passed over. */
function balanced(text: string): string[] {
  const spans: string[] = [];
  const open: string[] = [];
  let start = 0;
  let inString = false;
  let left = maxCandidates;
  for (let at = 0; at <= text.length; at++) {
    if (at === text.length) {
      if (open.length === 0 || left-- === 0) break;
      at = start + 1;
      open.length = 0;
      inString = false;
    }
    const character = text[at]!;
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = open.length > 0;
    else if (character === '{' || character === '[') {
      if (open.length === 0) start = at;
      open.push(character === '{' ? '}' : ']');
    } else if (character === '}' || character === ']') {
      // What closes nothing ends the stretch: it was prose.
      if (open.pop() !== character) open.length = 0;
      else if (open.length === 0) spans.push(text.slice(start, at + 1));
    }
  }
  return spans;
}
