/** Reads a part of an open file. */
import { read } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);

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
