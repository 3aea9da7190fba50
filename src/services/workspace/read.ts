/** What is read of a file or folder that is open. */
import { type BigIntStats, lstatSync, read, readdirSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import type { DirectoryEntry, FileInfo } from '../../protocol/host.ts';
import type { Folder } from './folder.ts';

/** `fs.read` as a promise. */
export const readAt = promisify(read);

/** At most `length` bytes from `start`; fewer where the file ends. Throws what the system says. */
export async function readRange(fd: number, start: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length);
  let size = 0;
  while (size < length) {
    const { bytesRead } = await readAt(fd, bytes, size, length - size, start + size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return bytes.subarray(0, size);
}

/** What tells one state of a file from another. */
export function versionOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/** See `Workspace.info`. */
export function infoOf(stats: BigIntStats): FileInfo {
  return {
    kind: kindOf(stats),
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeMs),
    version: versionOf(stats),
    isExecutable: (stats.mode & 0o100n) !== 0n,
  };
}

function kindOf(stats: BigIntStats): FileInfo['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** See `Workspace.list`. */
export function entriesOf(folder: Folder): DirectoryEntry[] {
  return readdirSync(`${folder.door}/`)
    .sort()
    .map((name) => {
      const address = `${folder.door}/${name}`;
      const stats = lstatSync(address, { bigint: true, throwIfNoEntry: false });
      const kind = stats ? kindOf(stats) : 'other';
      const target = kind === 'link' ? readlinkSync(address) : undefined;
      return { name, kind, size: Number(stats?.size ?? 0), ...(target !== undefined && { target }) };
    });
}
