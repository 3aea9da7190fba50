/** Holds what commands did in the writable folders against the protected names that were there before. */
import { relative } from 'node:path';
import { moveAway } from './move-away.ts';
import { findAppeared, type ProtectedEntry, WatchedFolder } from './watched-folder.ts';

export interface NameGuard {
  /** A command is about to start. Returns the protected names that are there, to be mounted read-only. */
  begin(): readonly string[];
  /** A command has ended. Moves away what appeared and says so. */
  end(): readonly string[];
}

interface Place {
  readonly root: string;
  readonly folder: WatchedFolder;
  before: ReadonlyMap<string, ProtectedEntry>;
}

/** `aside` takes what is moved away. */
export function createNameGuard(roots: readonly string[], aside: string): NameGuard {
  const places: Place[] = roots.map((root) => ({ root, folder: new WatchedFolder(root), before: new Map() }));
  let running = 0;
  return {
    begin() {
      // While a command runs, what appears is taken for its doing and not for the user's.
      if (running === 0) for (const place of places) place.before = place.folder.look();
      running++;
      const entries = places.flatMap(({ before }) => [...before.values()]);
      return entries.filter(({ isLink }) => !isLink).map(({ path }) => path);
    },
    end() {
      running--;
      return places.flatMap((place) => {
        const now = place.folder.look();
        const appeared = findAppeared(place.before, now);
        const notes = appeared.map((entry) => removeEntry(entry, place, aside));
        // What was left, such as a new repository, counts as there from now on.
        place.before = appeared.length > 0 ? place.folder.look() : now;
        return notes;
      });
    },
  };
}

function removeEntry({ path }: ProtectedEntry, { root, before }: Place, aside: string): string {
  const name = relative(root, path);
  const old = before.get(path);
  const link = old?.isLink ? old.identity.slice('link '.length) : undefined;
  const rule = 'commands may not make what runs code or changes settings by itself; use write_file, which asks';
  try {
    const to = moveAway({ root, path, aside, ...(link !== undefined && { link }) });
    return `${name} appeared and was ${to === undefined ? 'removed' : `moved to ${to}`}: ${rule}`;
  } catch (error) {
    return `${name} appeared and could not be moved away (${(error as NodeJS.ErrnoException).code}): ${rule}`;
  }
}
