/** Holds the files that commands in force name to what they were when the user agreed, or when the session began. */
import { join } from 'node:path';
import type { TrustItem } from './items.ts';
import { findNamedFiles, type NamedFile } from './named-files.ts';

export interface FileGuard {
  /** Absolute, as the commands reach them and where links lead; also of files that are not there yet. */
  readonly paths: readonly string[];
  /** The name of a file that the command names and that is not as it was; undefined when it may run. */
  findChanged(command: string, cwd: string): Promise<string | undefined>;
}

/**
 * `items` are the pieces of the folder that are in force. `commands` are all that run, the user's own too: their files
 * count as they are now where nobody agreed to them.
 */
export async function createFileGuard(
  folder: string,
  items: readonly TrustItem[],
  commands: readonly string[],
): Promise<FileGuard> {
  const agreed = items.flatMap(({ files }) => files ?? []);
  const known = new Map(agreed.map(({ name, hash }) => [name, hash]));
  const atStart = new Map<string, readonly NamedFile[]>();
  for (const command of commands) {
    const files = await findNamedFiles(folder, [command]);
    atStart.set(
      command,
      files.map((file) => (known.has(file.name) ? { ...file, hash: known.get(file.name) } : file)),
    );
  }
  const files = [...agreed, ...[...atStart.values()].flat()];
  return {
    paths: [...new Set(files.flatMap(({ name, path }) => [join(folder, name), path]))],
    async findChanged(command, cwd) {
      const before = new Map(atStart.get(command)?.map(({ name, hash }) => [name, hash]));
      const now = new Map((await findNamedFiles(cwd, [command])).map(({ name, hash }) => [name, hash]));
      return [...before.keys(), ...now.keys()].find((name) => before.get(name) !== now.get(name));
    },
  };
}
