/**
 * Remembers in which folders temporary files were made, so that those of a process that was killed are removed when the
 * next one starts, without walking anything. One small file a workspace, one line a folder.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../lib/is-running.ts';

/** A temporary file lives for milliseconds; older than this it is left over, whoever made it. */
const maxAgeMs = 600_000;

export class TempJournal {
  readonly #token = randomBytes(12).toString('hex');
  readonly #folders = new Set<string>();
  readonly #directory: string | undefined;

  /** Without a directory nothing is remembered. */
  constructor(directory: string | undefined) {
    this.#directory = directory;
    if (directory === undefined) return;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    sweep(directory);
  }

  /** A name that nobody can guess for a file in that folder; the folder is on record before the name is used. */
  nameIn(folder: string): string {
    if (this.#directory !== undefined && !this.#folders.has(folder)) {
      this.#folders.add(folder);
      appendFileSync(join(this.#directory, `${process.pid}-${this.#token}`), `${JSON.stringify(folder)}\n`, {
        mode: 0o600,
      });
    }
    return `.rein-${this.#token}-${randomBytes(6).toString('hex')}.tmp`;
  }
}

function sweep(directory: string): void {
  for (const record of readdirSync(directory)) {
    const [, pid, token] = /^(\d+)-([0-9a-f]{24})$/.exec(record) ?? [];
    if (pid === undefined) continue;
    const running = isRunning(Number(pid));
    for (const line of readFileSync(join(directory, record), 'utf8').split('\n').filter(Boolean)) {
      removeLeftovers(toFolder(line), `.rein-${token}-`, running);
    }
    if (!running) quietly(() => unlinkSync(join(directory, record)));
  }
}

/** A line cut off by a kill names no folder. */
function toFolder(line: string): string {
  return quietly(() => JSON.parse(line) as string) ?? '';
}

function removeLeftovers(folder: string, prefix: string, running: boolean): void {
  const names = quietly(() => readdirSync(folder)) ?? [];
  for (const name of names.filter((one) => one.startsWith(prefix) && one.endsWith('.tmp'))) {
    const path = join(folder, name);
    quietly(() => {
      if (!running || Date.now() - statSync(path).mtimeMs > maxAgeMs) unlinkSync(path);
    });
  }
}

/** Cleaning up is no reason to fail: another process may be faster. */
function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
