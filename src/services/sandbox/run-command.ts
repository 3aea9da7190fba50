/** Starts one command and keeps what it prints. It reads nothing, leads its own group and carries a mark. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { HeadTail } from '../../lib/head-tail.ts';
import { ReinError } from '../../protocol/errors.ts';
import { endTree, markName } from './process-tree.ts';
import type { SandboxDriver } from './sandbox-driver.ts';

/** Output that arrives so long after the last piece belongs to what the command left running. */
const quietMs = 25;
const drainMs = 250;

export interface StartOptions {
  readonly driver: SandboxDriver;
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly outputBytes: number;
  onOutput?(text: string): void;
}

export interface Ending {
  readonly exit: number | null;
  readonly signal?: string;
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
  const { driver, command, cwd, environment, mark, outputBytes } = options;
  if (command.includes('\0')) throw new ReinError('E_COMMAND', { detail: 'the command holds a NUL character' });
  const program = await driver.prepare({ command, cwd, environment: { ...environment, [markName]: mark } });
  // One pipe for both streams keeps their order.
  const args = ['--noprofile', '--norc', '-c', 'exec "$@" 2>&1', 'bash', program.file, ...program.args];
  const child = await spawnDetached(args, cwd, program.environment);
  const output = new HeadTail(outputBytes);
  const decoder = new TextDecoder();
  let over = false;
  let lastPiece = performance.now();
  // What is left in the background keeps its pipe: were it closed, its next line would end it.
  child.stdout?.on('data', (bytes: Buffer) => {
    if (over) return;
    lastPiece = performance.now();
    output.push(bytes);
    options.onOutput?.(decoder.decode(bytes, { stream: true }));
  });
  child.stdout?.on('error', () => {});
  const closed = new Promise((resolve) => child.once('close', resolve));
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', async (exit, signal) => {
      await Promise.race([closed, untilQuiet(() => lastPiece)]);
      over = true;
      (child.stdout as Socket | null)?.unref();
      resolve({ exit, ...(signal && { signal }) });
    });
  });
  return { output, ended, end: () => endTree(child.pid, mark) };
}

async function spawnDetached(
  args: string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  try {
    const child = spawn('/bin/bash', args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw new ReinError('E_COMMAND', { detail: (error as Error).message }, error);
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
