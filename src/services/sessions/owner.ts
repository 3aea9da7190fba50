/** Who runs a session: a process, named so that a later process with the same number is not taken for it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning } from '../../lib/is-running.ts';

export interface Owner {
  /** Names this process for as long as the machine runs; its first word is for people. */
  readonly id: string;
  /** True when the process that `id` names is certainly gone. */
  isGone(id: string): boolean;
}

/** This process. */
export function processOwner(): Owner {
  const here = { host: hostname(), boot: bootId(), space: pidSpace() };
  const started = startOf(process.pid) ?? 'unknown';
  return {
    id: `${process.pid}@${here.host} ${started} ${here.boot} ${here.space}`,
    isGone(id) {
      const [name = '', start, boot, space] = id.split(' ');
      const [pid, host] = name.split(/@(.*)/);
      if (boot !== here.boot) return host === here.host;
      if (space !== here.space) return false;
      return startOf(Number(pid)) !== start;
    },
  };
}

/** When a process started, in whatever unit the system has; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'win32') return isRunning(pid) ? 'unknown' : undefined;
  if (process.platform !== 'linux') {
    const output = tryTo(() => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }));
    return output?.trim().replaceAll(/\s+/g, '_') || undefined;
  }
  // The name in brackets may hold blanks and brackets itself.
  const stat = tryTo(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = fields?.[0] === 'Z' || fields?.[0] === 'X';
  return ended ? undefined : fields?.[19];
}

function bootId(): string {
  return tryTo(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? 'unknown';
}

/** Containers on one machine number their processes each for themselves. */
function pidSpace(): string {
  return tryTo(() => readlinkSync('/proc/self/ns/pid')) ?? 'unknown';
}

function tryTo<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
