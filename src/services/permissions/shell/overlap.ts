/** Whether a path that is not known to its end may be one that a pattern is about. */
import { any } from './expand.ts';

/** A character, or what stands for one, for a part of a name, for anything. */
type Token = string;

/** Whether some path fits both the path with marks of `any` and the glob, as `createGlob` reads it. Widely. */
export function mayFit(path: string, glob: string): boolean {
  const seen = [...path.toLowerCase()];
  return spread(glob.toLowerCase().replace(/(\/\*\*)+(?=\/|$)/g, '/**')).some((each) => mayMeet(seen, tokensOf(each)));
}

/** `a/**` and what follows, without folders and with them. */
function spread(glob: string, left = 4): string[] {
  const [, head, tail] = /^(.*?)\/\*\*((?:\/.*)?)$/s.exec(glob) ?? [];
  if (head === undefined || left === 0) return [glob];
  return spread(tail!, left - 1).flatMap((rest) => [head + rest, `${head}/${any.path}${rest}`]);
}

/** Whether the path with marks of `any` may be exactly this text. */
export function mayBe(path: string, text: string): boolean {
  return mayMeet([...path.toLowerCase()], [...text.toLowerCase()]);
}

function tokensOf(glob: string): Token[] {
  const found = glob.matchAll(/\*\*|\\([\s\S])|\*|\?|\[[^\]]+\]|\{[^}]*\}|([\s\S])/gu);
  return [...found].map(([all, escaped, plain]) => {
    if (escaped !== undefined || plain !== undefined) return escaped ?? plain!;
    if (all === '*') return any.name;
    return all === '?' || all.startsWith('[') ? any.one : any.path;
  });
}

function isRun(token: Token | undefined): boolean {
  return token === any.name || token === any.path;
}

/** Walks both at once: every pair of places that some text leads to. */
function mayMeet(a: readonly Token[], b: readonly Token[]): boolean {
  let places = new Set([0]);
  for (let i = 0; i <= a.length; i++) {
    const next = new Set<number>();
    // Sets are walked while they grow.
    for (const j of places) {
      if (isRun(a[i])) {
        next.add(j);
        if (j < b.length && meets(a[i]!, b[j]!, b[j - 1])) places.add(j + 1);
      } else if (i < a.length && j < b.length && !isRun(b[j]) && meets(a[i]!, b[j]!, b[j - 1])) next.add(j + 1);
      if (isRun(b[j])) {
        places.add(j + 1);
        if (i < a.length && (isRun(a[i]) || meets(a[i]!, b[j]!, b[j - 1]))) next.add(j);
      }
    }
    if (i === a.length) return places.has(b.length);
    places = next;
  }
  return false;
}

/** Whether one character can be what both stand for. A pattern of the shell takes no dot at the beginning of a name. */
function meets(one: Token, other: Token, before: Token | undefined): boolean {
  if (one === any.path || other === any.path) return true;
  const isOpen = one === any.one || one === any.name;
  if (isOpen && other === '.' && (before === undefined || before === '/')) return false;
  if (isOpen) return other !== '/';
  return other === any.one || other === any.name ? one !== '/' : one === other;
}
