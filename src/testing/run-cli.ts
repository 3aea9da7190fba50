/** Runs the command line as a process of its own, as a user does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface CliOptions {
  /** `REIN_HOME`. */
  readonly home: string;
  readonly cwd: string;
  /** Added to a bare environment: of the caller's only `PATH` is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. Default: nothing. */
  readonly input?: string;
  /** Milliseconds after which the process is killed and the call fails. Default: 30 s. */
  readonly timeoutMs?: number;
}

export interface CliResult {
  /** As a shell says it: 128 and the signal's number for a process ended by a signal. */
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `rein` with arguments to its end. Needs a built package. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const { child, done } = startCli(args, options);
  child.stdin!.end(options.input ?? '');
  const { timeoutMs = 30_000 } = options;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const result = await done.finally(() => clearTimeout(timer));
  if (late)
    throw new Error(`rein ${args.join(' ')} ran longer than ${timeoutMs} ms.\n${result.stdout}\n${result.stderr}`);
  return result;
}

/** Starts `rein` and leaves it running, with pipes on all three streams. `done` resolves when it has ended. */
export function startCli(
  args: readonly string[],
  { home, cwd, env = {} }: CliOptions,
): { child: ChildProcess; done: Promise<CliResult> } {
  const child = spawn(process.execPath, [launcher(), ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, LC_ALL: 'C.UTF-8', ...env, REIN_HOME: home },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // A process that ends before it read everything closes the pipe; that is its right.
  child.stdin.on('error', () => {});
  const done = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ exit: code ?? 128 + signalNumber(signal), ...output }));
  });
  return { child, done };
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal as string] ?? 0;
}

/** `bin/rein.js` of the package this file belongs to, in sources and when built. */
function launcher(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'bin', 'rein.js'))) {
    if (folder === dirname(folder)) throw new Error('bin/rein.js was not found above the test kit.');
    folder = dirname(folder);
  }
  return join(folder, 'bin', 'rein.js');
}
