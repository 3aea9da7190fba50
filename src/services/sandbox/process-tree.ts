/**
 * Finds and ends everything that a command started: its children, what they left behind in sessions of their own, and
 * whatever still carries the command's mark in its environment.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

const hasProc = process.platform === 'linux' && existsSync('/proc/self/stat');
const graceMs = 200;
const maxRounds = 50;

/** Name of the mark in the environment of each command. */
export const markName = 'REIN_COMMAND';

/**
 * Ends the tree: first asks (TERM), then insists (KILL) until nothing of it is left. `leader` is the process that leads
 * the command's group, if it is known; `mark` is the value of its mark, or the beginning that several share.
 */
export async function endTree(leader: number | undefined, mark: string): Promise<void> {
  // Who belongs to the tree is found before anything dies: orphans lose their parent.
  let members = findTree(leader, mark, new Set());
  for (const pid of members) send(pid, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (members.size > 0 && performance.now() < until) {
    await delay(20);
    members = findTree(leader, mark, members);
  }
  for (let round = 0; round < maxRounds && members.size > 0; round++) {
    for (const pid of members) send(pid, 'SIGKILL');
    await delay(10);
    members = findTree(leader, mark, members);
  }
}

/** Living processes of the tree. `known` are members found before, which may have children by now. */
function findTree(leader: number | undefined, mark: string, known: ReadonlySet<number>): Set<number> {
  const processes = hasProc ? fromProc() : fromPs();
  const members = new Set<number>();
  const belongs = ({ pid, group, session }: Process) =>
    known.has(pid) || pid === leader || group === leader || session === leader || isMarked(pid, mark);
  for (const one of processes) if (one.pid !== process.pid && belongs(one)) members.add(one.pid);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { pid, parent } of processes) {
      if (members.has(pid) || !members.has(parent)) continue;
      members.add(pid);
      grown = true;
    }
  }
  return members;
}

function fromProc(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // Fields after the name, which is in parentheses and may hold anything.
      const fields = quietRead(`/proc/${name}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ');
      const [state, parent, group, session] = fields;
      if (session === undefined || state === 'Z' || state === 'X') return [];
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), session: Number(session) }];
    });
}

function fromPs(): Process[] {
  return execFileSync('/bin/ps', ['-Ao', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, , , state]) => pid && !state?.startsWith('Z'))
    .map(([pid, parent, group]) => ({ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0 }));
}

function isMarked(pid: number, mark: string): boolean {
  return hasProc && `\0${quietRead(`/proc/${pid}/environ`)}`.includes(`\0${markName}=${mark}`);
}

/** Processes come and go, and some are not ours to look at. */
function quietRead(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself meanwhile.
  }
}
