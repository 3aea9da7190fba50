/** Where a path leads when every link on its way is followed; nothing of it has to be there. */
import { lstatSync, readlinkSync } from 'node:fs';
import { posix } from 'node:path';

const maxLinks = 40;
/** Twice what Linux takes; nobody can open what is longer. */
const maxLength = 8192;

/** `path` is absolute. One with too many links, or too long, is given back as it is: whoever opens it is refused anyway. */
export function realPath(path: string): string {
  if (path.length > maxLength) return path;
  let left = maxLinks;
  let at = '/';
  let names = path.split('/').filter(Boolean);
  while (names.length > 0) {
    const [name, ...rest] = names as [string, ...string[]];
    const next = posix.join(at, name);
    const target = targetOf(next);
    if (target === undefined) {
      at = next;
      names = rest;
      continue;
    }
    if (left-- === 0) return path;
    const from = posix.resolve(at, target);
    at = '/';
    names = [...from.split('/').filter(Boolean), ...rest];
  }
  return at;
}

/** What a link says; undefined for everything else, and for what is not there. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
