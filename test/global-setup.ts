// Runs once around all tests: everything they put into the folder for temporary files goes with it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** Gives the tests a folder for temporary files of their own. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'rein-tests-'));
  // As the system's: tests also act as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
}

/** Removes it with all that is left in it. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
