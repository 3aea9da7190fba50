/** Takes a file or folder out of a workspace without following links that a command may have put in its way. */
import { closeSync, constants, cpSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

const folder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export interface MoveAway {
  /** Canonical. */
  readonly root: string;
  /** Below `root`. */
  readonly path: string;
  /** Where it goes, under a name of its own. */
  readonly aside: string;
  /** What the link that was there before led to. */
  readonly link?: string;
}

/** Returns where it is now; `undefined` when it could only be removed. Throws what the system says. */
export function moveAway({ root, path, aside, link }: MoveAway): string | undefined {
  const parts = relative(root, path).split('/');
  const name = parts.pop() as string;
  let parent = openSync(root, folder);
  try {
    for (const part of parts) {
      const next = openSync(`/proc/self/fd/${parent}/${part}`, folder);
      closeSync(parent);
      parent = next;
    }
    const from = `/proc/self/fd/${parent}/${name}`;
    const to = take(from, aside, name);
    if (link !== undefined) symlinkSync(link, from);
    return to;
  } finally {
    closeSync(parent);
  }
}

function take(from: string, aside: string, name: string): string | undefined {
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  const to = join(aside, `${Date.now()}-${process.hrtime.bigint() % 1_000_000n}-${name.replace(/^\.+/, '')}`);
  try {
    renameSync(from, to);
    return to;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
  }
  let isKept = true;
  try {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  } catch {
    // Pipes and sockets cannot be copied; that nothing stays is what counts.
    isKept = false;
  }
  rmSync(from, { recursive: true, force: true });
  return isKept ? to : undefined;
}
