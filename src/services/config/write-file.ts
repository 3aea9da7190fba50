/** Writes private files whole: a reader sees the old bytes or the new ones. */
import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ReinError } from '../../protocol/errors.ts';
import { makeFolder } from './home.ts';

/** Replaces a file's text; file 0600, new folders 0700. A link is followed and kept. Throws `E_CONFIG_WRITE`. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  try {
    makeFolder(dirname(file));
    const target = await realpath(file).catch(() => file);
    const temporary = join(dirname(target), `.${randomUUID()}.tmp`);
    try {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    throw new ReinError('E_CONFIG_WRITE', { file, detail: (error as Error).message }, error);
  }
}
