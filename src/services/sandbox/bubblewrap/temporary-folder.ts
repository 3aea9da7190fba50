/**
 * The folder that stands in for the system's temporary ones in a session's sandboxes. Its name says whose it is, so that
 * the one of a killed process is removed by the next that makes one.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeProcessGroup } from '../process-group.ts';
import type { User } from './access.ts';

const prefix = 'rein-temp-';
const pattern = /^rein-temp-(\d+)-(\d+)-(\d+)-\w{6}$/;

/** Makes one for the commands of `user`, ours when `undefined`; removes what dead processes of ours left. */
export function makeTemporaryFolder(user: User | undefined): string {
  sweep();
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${world()}-${process.pid}-${startOf(process.pid)}-`));
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** What cannot be removed is left. As its owner when we are root: somebody who can change it could lead us elsewhere meanwhile. */
export function removeTemporaryFolder(folder: string): void {
  quietly(() => remove(folder));
}

function remove(folder: string): void {
  const { uid, gid } = lstatSync(folder);
  if (process.getuid?.() === 0 && uid !== 0) {
    const script = 'rm -rf -- * .[!.]* ..?*';
    spawnSync('/bin/sh', ['-c', script], { cwd: folder, uid, gid, env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' });
    rmdirSync(folder);
  } else rmSync(folder, { recursive: true, force: true });
}

let isSwept = false;

/** Once a process. What another made is left alone, also in a container that shares the folder. */
function sweep(): void {
  if (isSwept) return;
  isSwept = true;
  for (const name of quietly(() => readdirSync(tmpdir())) ?? []) {
    const [, space, pid, start] = pattern.exec(name) ?? [];
    if (space !== world() || start === startOf(Number(pid))) continue;
    quietly(() => {
      removeProcessGroup(name);
      const folder = join(tmpdir(), name);
      const stats = lstatSync(folder);
      const isOurs = process.getuid?.() === 0 || stats.uid === process.getuid?.();
      if (stats.isDirectory() && isOurs) removeTemporaryFolder(folder);
    });
  }
}

/** Process numbers mean something within one namespace only. */
function world(): string {
  return /\d+/.exec(quietly(() => readlinkSync('/proc/self/ns/pid')) ?? '')?.[0] ?? '0';
}

/** When a process started, in the system's own unit; `undefined` when there is none. */
function startOf(pid: number): string | undefined {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat?.slice(stat.lastIndexOf(') ') + 2).split(' ')[19];
}

/** Others clean up too, and some things are not ours to look at. */
function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
