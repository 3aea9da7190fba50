/** Starts one command and keeps what it prints. It reads nothing, leads its own group and carries a mark. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { HeadTail } from '../../lib/text/head-tail.ts';
import { ReinError } from '../../protocol/errors.ts';
import { endTree, markName } from './process-tree.ts';
import { type ProgramToStart, type SandboxDriver, shellFile } from './sandbox-driver.ts';

const tooLong =
  'it is longer than the system takes (128 KB on Linux); write it into a file with write_file and run that file';
/** Output that arrives so long after the last piece belongs to what the command left running. */
const quietMs = 25;
const drainMs = 250;

/** Takes something out of text that comes in pieces, perhaps holding some of it back until more is known. */
export interface OutputFilter {
  push(piece: string): string;
  end(): string;
}

export interface StartOptions {
  readonly driver: SandboxDriver;
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: string;
  /** See `SandboxedCommand`. */
  readonly network: boolean;
  readonly outputBytes: number;
  /** What is printed goes through it before anything is kept, cut or shown. */
  readonly filter?: OutputFilter;
  onOutput?(text: string): void;
  /** Called before a program starts, which may go on when we are killed. `user` runs it, when it is not ourselves. */
  mayOutlive?(user: ProgramToStart['user']): void;
}

export interface Ending {
  readonly exit: number | null;
  readonly signal?: string;
  /** What the sandbox has to say about it. */
  readonly notes: readonly string[];
}

export interface RunningCommand {
  readonly output: HeadTail;
  /** Resolves when the command itself has ended and its output is in; what it left in the background may go on. */
  readonly ended: Promise<Ending>;
  /** Ends it with everything it started. */
  end(): Promise<void>;
}

/** Throws `E_COMMAND` when the program does not start. */
export async function startCommand(options: StartOptions): Promise<RunningCommand> {
  const { driver, command, cwd, environment, mark, network, outputBytes, filter } = options;
  if (command.includes('\0')) throw new ReinError('E_COMMAND', { detail: 'the command holds a NUL character' });
  const program = await driver.prepare({ command, cwd, environment: { ...environment, [markName]: mark }, network });
  options.mayOutlive?.(program.user);
  const child = await spawnDetached(program, cwd);
  const output = new HeadTail(outputBytes);
  const take = (text: string) => {
    if (text === '') return;
    output.push(Buffer.from(text));
    options.onOutput?.(text);
  };
  let over = false;
  let lastPiece = performance.now();
  // What is left in the background keeps its pipe: were it closed, its next line would end it.
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new TextDecoder();
    stream?.on('data', (bytes: Buffer) => {
      if (over) return;
      lastPiece = performance.now();
      const text = decoder.decode(bytes, { stream: true });
      take(filter ? filter.push(text) : text);
    });
    stream?.on('error', () => {});
  }
  const closed = new Promise((resolve) => child.once('close', resolve));
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', async (exit, signal) => {
      await Promise.race([closed, untilQuiet(() => lastPiece)]);
      over = true;
      take(filter?.end() ?? '');
      for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.unref();
      // A sandbox that was ended from outside takes a moment to be gone.
      if (signal && program.finish) await endTree(child.pid, mark);
      const notes = program.finish?.({ exit, output: output.text() }) ?? [];
      resolve({ exit, ...(signal && { signal }), notes });
    });
  });
  return { output, ended, end: () => endTree(child.pid, mark) };
}

/**
 * Closes whatever we ourselves got from whoever started us, and becomes the program. One pipe for both streams keeps
 * their order.
 */
const starter = `
for file in /proc/self/fd/*; do
  file=\${file##*/}
  case $file in *[!0-9]*) continue ;; esac
  [ "$file" -le "$0" ] || eval "exec $file>&-"
done
exec "$@" 2>&1`;

/** What we open ourselves is closed in a new program; what we got stays what it was. */
let inherits: boolean | undefined;

async function spawnDetached(program: ProgramToStart, cwd: string): Promise<ChildProcess> {
  const { file, args, environment: env, files = [], user, admit, joinsStreams = false } = program;
  const passed = [...files, ...(admit ? ['pipe' as const, 'pipe' as const] : [])];
  inherits ??= handsDownFiles();
  const isDirect = joinsStreams && !inherits;
  const [first, all] = isDirect
    ? [file, args]
    : [shellFile, ['--noprofile', '--norc', '-c', starter, String(2 + passed.length), file, ...args]];
  try {
    const stdio = ['ignore' as const, 'pipe' as const, isDirect ? ('pipe' as const) : ('ignore' as const), ...passed];
    const child = spawn(first, all, { cwd, env, detached: true, stdio, ...user });
    await once(child, 'spawn');
    if (admit) passGate(child, 3 + files.length, admit);
    return child;
  } catch (error) {
    program.finish?.({ exit: null, output: '' });
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ReinError('E_COMMAND', { detail: code === 'E2BIG' ? tooLong : message }, error);
  } finally {
    for (const each of files) closeSync(each);
  }
}

/** See `ProgramToStart.admit`. What cannot be limited does not run. Reads on to the end: the program may tell more. */
function passGate(child: ChildProcess, first: number, admit: (pid: number) => Promise<void>): void {
  const [tell, wait] = [child.stdio[first] as Readable, child.stdio[first + 1] as Writable];
  let told = '';
  let isAdmitted = false;
  tell.on('data', (bytes: Buffer) => {
    told += bytes;
    const [, pid] = /"child-pid": (\d+)/.exec(told) ?? [];
    if (pid === undefined || isAdmitted) return;
    isAdmitted = true;
    admit(Number(pid)).then(
      () => wait.end('x'),
      () => child.kill('SIGKILL'),
    );
  });
  for (const stream of [tell, wait]) stream.on('error', () => {});
  child.once('exit', () => wait.destroy());
}

/** Whether an open file of ours, beyond the first three, is one that a new program gets. */
function handsDownFiles(): boolean {
  const closesOnExec = 0o2000000;
  try {
    return readdirSync('/proc/self/fd').some((name) => {
      if (Number(name) < 3) return false;
      const [, flags] = /^flags:\s*(\d+)/m.exec(quietRead(`/proc/self/fdinfo/${name}`)) ?? [];
      return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
    });
  } catch {
    return true;
  }
}

/** The file that the list itself was read from is closed by now. */
function quietRead(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Resolves when no output came for a moment, at the latest after a short while. */
function untilQuiet(lastPiece: () => number): Promise<void> {
  const began = performance.now();
  return new Promise((resolve) => {
    const look = () => {
      const now = performance.now();
      if (now - Math.max(lastPiece(), began) >= quietMs || now - began >= drainMs) resolve();
      else setTimeout(look, quietMs / 2);
    };
    look();
  });
}
