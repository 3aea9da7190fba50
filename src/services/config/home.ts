/** The folder that Rein keeps its things in. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ReinError } from '../../protocol/errors.ts';

/** Makes the home where it is missing (0700), and proves that something can be kept in it. Throws `E_HOME_UNUSABLE`. */
export function prepareHome(home: string): void {
  try {
    makeFolder(join(home, 'memory'));
  } catch (error) {
    throw new ReinError('E_HOME_UNUSABLE', { folder: home, detail: (error as Error).message }, error);
  }
}

/**
 * Makes a folder (0700) with those above it, one after the other: told to do that by itself, Node never comes back
 * where a file system makes no folders, such as `/proc`. Throws what the system says.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have made it just now.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
