/**
 * Remembers in which folders temporary files were made, so that those of a process that was killed are removed when the
 * next one starts, without walking anything. One small file a workspace, one line a folder.
 */
import { hash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../lib/is-running.ts';
import { fileProblem } from './file-errors.ts';

/** A temporary file lives for milliseconds; older than this it is left over, whoever made it. */
const maxAgeMs = 600_000;

/** Notes in which folders temporary files are made, so that the next process removes what a killed one left. */
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

  /**
   * Does work on a file while no other process that shares the directory does: for what takes microseconds, such as a
   * last look and a rename. Throws when another one does not come to an end.
   */
  inTurn<T>(path: string, work: () => T): T {
    if (this.#directory === undefined) return work();
    const lock = join(this.#directory, `turn-${hash('sha256', path, 'hex').slice(0, 24)}`);
    for (let tries = 0; !quietly(() => takeLock(lock)); tries++) {
      if (quietly(() => Date.now() - statSync(lock).mtimeMs > maxTurnMs)) quietly(() => unlinkSync(lock));
      if (tries > maxTurnMs) throw fileProblem('EBUSY', path);
      Atomics.wait(pause, 0, 0, 1);
    }
    try {
      return work();
    } finally {
      quietly(() => unlinkSync(lock));
    }
  }
}

/** Whoever holds a turn for so long was killed. */
const maxTurnMs = 2000;
const pause = new Int32Array(new SharedArrayBuffer(4));

function takeLock(lock: string): true {
  closeSync(openSync(lock, 'wx', 0o600));
  return true;
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
