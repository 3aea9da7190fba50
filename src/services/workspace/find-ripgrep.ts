/** Finds ripgrep: the system's own, else the one that was installed along. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { below } from './place.ts';

/**
 * `path` is the PATH of whoever started us. A program inside one of the `roots` is never taken: a project must not
 * choose what searches it. Undefined when there is none.
 */
export function findRipgrep(path = ''): (roots: readonly string[]) => Promise<string | undefined> {
  return async (roots) => {
    // Open files cannot be given to a program there.
    if (process.platform === 'win32') return undefined;
    const candidates = path
      .split(delimiter)
      .filter(isAbsolute)
      .map((folder) => join(folder, 'rg'));
    const own = candidates.find((candidate) => isProgramOutside(candidate, roots));
    return own ?? installedRipgrep();
  };
}

function isProgramOutside(path: string, roots: readonly string[]): boolean {
  try {
    accessSync(path, constants.X_OK);
    const real = realpathSync(path);
    return statSync(real).isFile() && !roots.some((root) => root !== '/' && below(root, real) !== undefined);
  } catch {
    return false;
  }
}

async function installedRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    accessSync(rgPath, constants.X_OK);
    return rgPath;
  } catch {
    // An optional dependency: not every machine has it.
    return undefined;
  }
}
