/** Whether a program's name means another program than the system's. */
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../paths.ts';

/**
 * A test for names of programs, for a search path and the folders whose content the model may write. A name is
 * shadowed when the shell would find it in one of those folders, or relative to where it stands, before it finds it
 * elsewhere. Costs nothing where the search path holds no such folder.
 */
export function createShadowTest(
  searchPath: string | undefined,
  folders: readonly string[],
): (program: string) => boolean {
  const entries = (searchPath ?? '').split(':').map((entry) => entry || '.');
  const isWritable = (entry: string) => {
    return !isAbsolute(entry) || folders.some((folder) => isInside(resolve(entry), folder));
  };
  const last = entries.findLastIndex(isWritable);
  if (last === -1) return () => false;
  return (program) => {
    if (program.includes('/')) return false;
    const found = entries.slice(0, last + 1).find((entry) => {
      const bases = isAbsolute(entry) ? [''] : folders;
      return bases.some((base) => isExecutable(join(base, entry, program)));
    });
    return found !== undefined && isWritable(found);
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
