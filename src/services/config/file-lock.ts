/** One process at a time changes a file: whoever makes the lock file may, and removes it. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from '../../lib/is-running.ts';
import { ReinError } from '../../protocol/errors.ts';
import { makeFolder } from './home.ts';

/** A change takes milliseconds; an older lock was left behind, whatever process has its number now. */
const staleMs = 5_000;
const waitMs = 15_000;

/** Runs `work` while no other process changes the file. Throws `E_CONFIG_WRITE` when it cannot be locked. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const own = join(dirname(file), `.${randomUUID()}.tmp`);
  try {
    makeFolder(dirname(file));
    // Made whole before it takes its name, so that nobody ever reads a lock without its owner.
    await writeFile(own, String(process.pid), { flag: 'wx', mode: 0o600 });
    await take(own, lock);
  } catch (error) {
    await rm(own, { force: true }).catch(() => {});
    throw ReinError.is(error)
      ? error
      : new ReinError('E_CONFIG_WRITE', { file, detail: (error as Error).message }, error);
  }
  try {
    return await work();
  } finally {
    await rm(own, { force: true });
    await rm(lock, { force: true });
  }
}

async function take(own: string, lock: string): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let tries = 1; ; tries++) {
    try {
      // Its age counts from here.
      await utimes(own, new Date(), new Date());
      return await link(own, lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await isLeftBehind(lock)) await rm(lock, { force: true });
    else if (performance.now() > deadline) throw new Error('another process holds its lock');
    // Many who wait look less often, so that whoever has it gets on.
    else await delay(2 + Math.random() * Math.min(10 * tries, 60));
  }
}

async function isLeftBehind(lock: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(lock), readFile(lock, 'utf8')]);
    return Date.now() - mtimeMs > staleMs || !isRunning(Number(text));
  } catch {
    // It was given up meanwhile.
    return false;
  }
}
