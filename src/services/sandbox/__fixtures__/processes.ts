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

/** Seconds to sleep that no other run of these tests sleeps. */
export function own(seconds: number): string {
  return `${seconds}.${process.pid}`;
}
