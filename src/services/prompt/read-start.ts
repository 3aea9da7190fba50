/** Reads the start of a file that a stranger may have put there. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

export interface FileStart {
  readonly text: string;
  /** The file is longer. */
  readonly cut: boolean;
}

/** The first bytes of a regular file; undefined for anything else. Never waits on a pipe. */
export async function readStart(path: string, maxBytes: number): Promise<FileStart | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return undefined;
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return { text: buffer.toString('utf8', 0, Math.min(bytesRead, maxBytes)), cut: bytesRead > maxBytes };
  } catch {
    return undefined;
  }
}
