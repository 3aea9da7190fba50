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
  const spans = jsonSpans(text).sort((a, b) => b.end - b.start - (a.end - a.start));
  for (const { start, end } of spans.slice(0, maxCandidates)) {
    const value = parse(text.slice(start, end));
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

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where objects and lists stand that are in no other. Reads each place a few times at most, whatever the text. */
export function jsonSpans(text: string): Span[] {
  const scanner = new Scanner(text);
  for (let at = 0; at < text.length; ) at = scanner.step(at);
  return scanner.spans;
}

/**
 * Reads a text once: what breaks the rules of JSON ends all that is open, and what was whole inside of it stays. Only
 * the string before the break is read again, because its quotes may be those of prose.
 */
class Scanner {
  readonly spans: Span[] = [];
  readonly #text: string;
  readonly #open: { start: number; isList: boolean }[] = [];
  /** What may come next in what is open; `first` may also be its end. */
  #next: 'first' | 'item' | 'colon' | 'value' | 'after' = 'first';
  /** The string before this place. */
  #string: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads what stands at a place, and returns the next one. */
  step(at: number): number {
    const character = this.#text[at]!;
    const top = this.#open.at(-1);
    if (!top) {
      this.#string = undefined;
      return this.#begin(at, character) ?? at + 1;
    }
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t') return at + 1;
    const isKey = !top.isList && (this.#next === 'first' || this.#next === 'item');
    const isValue = this.#next === 'value' || (top.isList && (this.#next === 'first' || this.#next === 'item'));
    return (
      this.#punctuation(at, character, top) ??
      (isValue ? this.#begin(at, character) : undefined) ??
      (isValue || isKey ? this.#scalar(at, isKey) : undefined) ??
      this.#break(at, character)
    );
  }

  #begin(at: number, character: string): number | undefined {
    if (character !== '{' && character !== '[') return undefined;
    this.#open.push({ start: at, isList: character === '[' });
    this.#next = 'first';
    return at + 1;
  }

  #punctuation(at: number, character: string, { start, isList }: { start: number; isList: boolean }) {
    const end = at + 1;
    if (character === (isList ? ']' : '}') && (this.#next === 'first' || this.#next === 'after')) {
      this.#open.pop();
      while ((this.spans.at(-1)?.start ?? -1) >= start) this.spans.pop();
      this.spans.push({ start, end });
      this.#next = 'after';
    } else if (character === ',' && this.#next === 'after') this.#next = 'item';
    else if (character === ':' && this.#next === 'colon') this.#next = 'value';
    else return undefined;
    return end;
  }

  #scalar(at: number, isKey: boolean): number | undefined {
    const end = endOfScalar(this.#text, at, isKey);
    if (end === undefined) return undefined;
    if (this.#text[at] === '"') this.#string = at;
    this.#next = isKey ? 'colon' : 'after';
    return end;
  }

  #break(at: number, character: string): number {
    this.#open.length = 0;
    if (this.#string !== undefined) return this.#string + 1;
    return character === '{' || character === '[' ? at : at + 1;
  }
}

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Where a string, number or word ends; undefined where there is none. */
function endOfScalar(text: string, start: number, isKey: boolean): number | undefined {
  if (text[start] === '"') return endOfString(text, start);
  scalar.lastIndex = start;
  return !isKey && scalar.test(text) ? scalar.lastIndex : undefined;
}

function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') return at + 1;
    if (character < ' ') return undefined;
    if (character === '\\') at++;
  }
  return undefined;
}
