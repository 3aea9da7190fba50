/** Starts one command and keeps what it prints. It reads nothing, leads its own group and carries a mark. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { HeadTail } from '../../lib/text/head-tail.ts';
import { ReinError } from '../../protocol/errors.ts';
import { endTree, markName } from './process-tree.ts';
import { type ProgramToStart, type SandboxDriver, shellFile } from './sandbox-driver.ts';

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
  const child = await spawnDetached(program, cwd);
  const output = new HeadTail(outputBytes);
  const decoder = new TextDecoder();
  const take = (text: string) => {
    if (text === '') return;
    output.push(Buffer.from(text));
    options.onOutput?.(text);
  };
  let over = false;
  let lastPiece = performance.now();
  // What is left in the background keeps its pipe: were it closed, its next line would end it.
  child.stdout?.on('data', (bytes: Buffer) => {
    if (over) return;
    lastPiece = performance.now();
    const text = decoder.decode(bytes, { stream: true });
    take(filter ? filter.push(text) : text);
  });
  child.stdout?.on('error', () => {});
  const closed = new Promise((resolve) => child.once('close', resolve));
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', async (exit, signal) => {
      await Promise.race([closed, untilQuiet(() => lastPiece)]);
      over = true;
      take(filter?.end() ?? '');
      (child.stdout as Socket | null)?.unref();
      // A sandbox that was ended from outside takes a moment to be gone.
      if (signal && program.finish) await endTree(child.pid, mark);
      const notes = program.finish?.({ exit, output: output.text() }) ?? [];
      resolve({ exit, ...(signal && { signal }), notes });
    });
  });
  return { output, ended, end: () => endTree(child.pid, mark) };
}

/**
 * Joins the group, closes whatever we ourselves got from whoever started us, and becomes the program. One pipe for both
 * streams keeps their order.
 */
const starter = `
[ -z "$1" ] || echo $$ >"$1" || exit 126
shift
for file in /proc/self/fd/*; do
  file=\${file##*/}
  case $file in *[!0-9]*) continue ;; esac
  [ "$file" -le "$0" ] || eval "exec $file>&-"
done
exec "$@" 2>&1`;

async function spawnDetached(program: ProgramToStart, cwd: string): Promise<ChildProcess> {
  const { file, args, environment: env, files = [], user, group = '' } = program;
  const all = ['--noprofile', '--norc', '-c', starter, String(2 + files.length), group, file, ...args];
  try {
    const stdio = ['ignore' as const, 'pipe' as const, 'ignore' as const, ...files];
    const child = spawn(shellFile, all, { cwd, env, detached: true, stdio, ...user });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    program.finish?.({ exit: null, output: '' });
    throw new ReinError('E_COMMAND', { detail: (error as Error).message }, error);
  } finally {
    for (const each of files) closeSync(each);
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
