/**
 * Globs over paths with `/`: `*` `?` `[a-z]` `[!a]` `{a,b}` within a name, `**` over folders. Names beginning with a dot
 * match like others. Matching never backtracks over more than one star at a time, so no pattern is slow.
 */

type Token =
  | { readonly kind: 'star' | 'any' }
  | { readonly kind: 'set'; readonly test: (character: string) => boolean };
type Segment = readonly Token[] | '**';

/** Most alternatives one pattern may spell out with braces. */
const maxAlternatives = 256;
const maxPatternLength = 5000;

/** A test for paths. Throws a RangeError for a pattern that is too long or spells out too much with braces. */
export function createGlob(pattern: string): (path: string) => boolean {
  if (pattern.length > maxPatternLength) throw new RangeError('the pattern is too long');
  const alternatives = expandBraces(pattern).map((alternative) => alternative.split('/').filter(isPart).map(toSegment));
  return (path) => {
    const parts = path
      .split('/')
      .filter(isPart)
      .map((part) => [...part]);
    return alternatives.some((segments) => matchSegments(segments, parts));
  };
}

function isPart(part: string): boolean {
  return part !== '' && part !== '.';
}

function expandBraces(pattern: string): string[] {
  const results: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    const next = open.pop()!;
    const group = innermostGroup(next);
    if (group === undefined) results.push(next);
    else {
      const choices = next.slice(group.start + 1, group.end).split(',');
      for (const choice of choices.reverse())
        open.push(next.slice(0, group.start) + choice + next.slice(group.end + 1));
    }
    if (results.length + open.length > maxAlternatives) throw new RangeError('too many alternatives in braces');
  }
  return results;
}

/** The first `{…}` with a comma and no other group in it. */
function innermostGroup(pattern: string): { start: number; end: number } | undefined {
  let start = -1;
  let comma = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '{') {
      start = at;
      comma = false;
    } else if (character === ',') comma = true;
    else if (character === '}' && start >= 0) {
      if (comma) return { start, end: at };
      start = -1;
    }
  }
  return undefined;
}

function toSegment(part: string): Segment {
  if (part === '**') return '**';
  const tokens: Token[] = [];
  const characters = [...part];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') tokens.push({ kind: 'any' });
    else if (end > 0) {
      tokens.push({ kind: 'set', test: toSet(characters.slice(at + 1, end)) });
      at = end;
    } else {
      const wanted = character === '\\' && at + 1 < characters.length ? characters[++at]! : character;
      tokens.push({ kind: 'set', test: (given) => given === wanted });
    }
  }
  return tokens;
}

function toSet(members: string[]): (character: string) => boolean {
  const negated = members[0] === '!' || members[0] === '^';
  if (negated) members = members.slice(1);
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([members[at]!, isRange ? members[at + 2]! : members[at]!]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([first, last]) => character >= first && character <= last) !== negated;
}

function matchSegments(segments: readonly Segment[], parts: readonly string[][]): boolean {
  return matchStars(
    segments,
    parts,
    (segment) => segment === '**',
    (segment, part) => {
      return matchStars(segment as readonly Token[], part, ({ kind }) => kind === 'star', matchToken);
    },
  );
}

function matchToken(token: Token, character: string): boolean {
  return token.kind === 'any' || (token.kind === 'set' && token.test(character));
}

/** Matches a list against a pattern in which some items stand for any run: back to the last such item only. */
function matchStars<Item, Given>(
  pattern: readonly Item[],
  given: readonly Given[],
  isStar: (item: Item) => boolean,
  matches: (item: Item, one: Given) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < given.length; ) {
    const item = pattern[at];
    if (at < pattern.length && isStar(item!)) {
      star = at++;
      resume = index;
    } else if (at < pattern.length && matches(item!, given[index]!)) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}
