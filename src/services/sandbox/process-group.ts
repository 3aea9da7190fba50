/** A control group that limits how many processes root's commands may be: the kernel's own limit does not count root. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ProcessGroup {
  /** Puts a process into the group, with what it starts from now on. The kernel takes milliseconds for it. */
  admit(pid: number): Promise<void>;
  remove(): void;
}

/** `undefined` where the system offers none. */
export function createProcessGroup(name: string, maxProcesses: number): ProcessGroup | undefined {
  for (const parent of parents()) {
    const folder = join(parent, name);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    const remove = () => {
      try {
        rmdirSync(folder);
      } catch {
        // Something in it has not ended yet; an empty group costs nothing.
      }
    };
    if (existsSync(join(folder, 'pids.max'))) {
      writeFileSync(join(folder, 'pids.max'), String(maxProcesses));
      return { admit: (pid) => writeFile(join(folder, 'cgroup.procs'), String(pid)), remove };
    }
    remove();
  }
  return undefined;
}

/** Removes one that a process before us left. */
export function removeProcessGroup(name: string): void {
  for (const parent of parents()) {
    try {
      rmdirSync(join(parent, name));
    } catch {
      // It was not there.
    }
  }
}

/** Our own group under the older and the newer layout. */
function parents(): string[] {
  if (!existsSync('/proc/self/cgroup')) return [];
  return readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (controllers.split(',').includes('pids')) return [join('/sys/fs/cgroup/pids', path)];
      return controllers === '' && path ? [join('/sys/fs/cgroup', path), join('/sys/fs/cgroup/unified', path)] : [];
    });
}
