/** Time in tests: a clock that stands still until it is moved, and waiting for a condition instead of sleeping. */
import { setTimeout } from 'node:timers/promises';

export interface FakeClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since the clock was made. */
  monotonic(): number;
  /** Resolves when the clock was moved so far; rejects with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** How many sleep. */
  readonly sleeping: number;
  /** Moves the clock, and wakes up who slept so long. */
  advance(milliseconds: number): void;
}

/** Makes a clock that stands at `start`. Default: 2026-01-01 00:00 UTC. */
export function createFakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let passed = 0;
  const sleepers = new Map<() => void, number>();
  return {
    now: () => start + passed,
    monotonic: () => passed,
    get sleeping() {
      return sleepers.size;
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const wake = () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const abort = () => {
          sleepers.delete(wake);
          reject(signal!.reason);
        };
        signal?.addEventListener('abort', abort, { once: true });
        sleepers.set(wake, passed + milliseconds);
      }),
    advance(milliseconds) {
      passed += milliseconds;
      for (const [wake, due] of [...sleepers].toSorted((a, b) => a[1] - b[1])) {
        if (due > passed) break;
        sleepers.delete(wake);
        wake();
      }
    },
  };
}

/**
 * Waits until the condition gives a value other than undefined, null and false, and returns it. Looks every 5 ms and
 * throws after `timeoutMs` (default 5 s), naming `what`.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what = 'the condition', timeoutMs = 5_000 }: { what?: string; timeoutMs?: number } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>;
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms for ${what}.`);
    await setTimeout(5);
  }
}
