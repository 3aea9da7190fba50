/** Which folders the user trusts. A folder is untrusted until the user says so. */
import { constants, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ReinError } from '../../protocol/errors.ts';

export interface TrustStore {
  isTrusted(folder: string): Promise<boolean>;
  /** Throws `E_CONFIG_INVALID` when the store cannot be relied on; it is not overwritten then. */
  trust(folder: string): Promise<void>;
  untrust(folder: string): Promise<void>;
}

/** Writes a file atomically, for its owner alone. */
export type WritePrivateFile = (file: string, text: string) => Promise<void>;

/** The store in `trust.json` of the home. Folders are canonical absolute paths; nothing is inherited from parents. */
export function createTrustStore(home: string, write: WritePrivateFile): TrustStore {
  const file = join(home, 'trust.json');
  const change = async (edit: (folders: Set<string>) => void) => {
    const folders = await readFolders(file);
    if (!folders)
      throw new ReinError('E_CONFIG_INVALID', { file, key: 'folders', detail: { text: 'config.trustDamaged' } });
    edit(folders);
    await write(file, `${JSON.stringify({ folders: [...folders].sort() }, null, 2)}\n`);
  };
  return {
    isTrusted: async (folder) => (await readFolders(file))?.has(folder) ?? false,
    trust: (folder) => change((folders) => folders.add(folder)),
    untrust: (folder) => change((folders) => folders.delete(folder)),
  };
}

/** Undefined when what is there cannot be relied on: then nothing is trusted. */
async function readFolders(file: string): Promise<Set<string> | undefined> {
  try {
    // A link could lead to a file that somebody else writes.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    return await parse(handle);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Set() : undefined;
  }
}

async function parse(handle: FileHandle): Promise<Set<string> | undefined> {
  const { mode, uid } = await handle.stat();
  const isOurs = process.getuid === undefined || uid === process.getuid() || uid === 0;
  if (!isOurs || (mode & 0o022) !== 0) return undefined;
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
  const { folders } = JSON.parse(text) as { folders?: unknown };
  const valid = Array.isArray(folders) && folders.every((folder) => typeof folder === 'string');
  return valid ? new Set(folders) : undefined;
}
