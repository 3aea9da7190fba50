/** What runs on this machine, for tests that nothing is left of a command. */
import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of running processes that begin with the text. */
export function running(begin: string): string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
      return line.startsWith(begin) ? [line] : [];
    } catch {
      return [];
    }
  });
}

/** Numbers of running processes, but for one, whose command lines hold the text; those that have ended are none. */
export function holding(part: string, but?: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(part) && Number(name) !== but ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Seconds to sleep that no other run of these tests sleeps. */
export function own(seconds: number): string {
  return `${seconds}.${process.pid}`;
}
