/** Runs the command of a hook: JSON on its standard input, its two outputs kept, its whole tree ended when time is up. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const maxOutput = 1_000_000;
/** What arrives so long after the command itself ended is from what it left in the background. */
const drainMs = 100;

export interface HookCommand {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
  readonly signal: AbortSignal;
}

export interface HookCommandResult {
  /** `null` when a signal ended it. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Ends a process with all that it started. */
export type EndProcess = (leader: number) => Promise<void>;

/** Throws when the shell does not start, when it prints too much, and the signal's reason when it aborts. */
export async function runHookCommand(request: HookCommand, end: EndProcess): Promise<HookCommandResult> {
  const { command, cwd, environment, input, signal } = request;
  signal.throwIfAborted();
  const child = spawn('/bin/bash', ['--noprofile', '--norc', '-c', command], {
    ...{ cwd, env: environment, detached: true, stdio: 'pipe' },
  });
  await once(child, 'spawn');
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const [stdout, stderr] = [collect(child.stdout, reject), collect(child.stderr, reject)];
  // A hook may leave its input unread.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  try {
    const exit = await Promise.race([ended(child), stopped]);
    return { exit, stdout: stdout(), stderr: stderr() };
  } catch (error) {
    await end(child.pid!);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

/** The exit code, when the output is in; what the command left in the background may hold its pipes for longer. */
async function ended(child: ChildProcess): Promise<number | null> {
  const closed = once(child, 'close');
  const [exit] = (await once(child, 'exit')) as [number | null];
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, drainMs);
  await Promise.race([closed, timer.promise]);
  clearTimeout(timeout);
  return exit;
}

function collect(stream: NodeJS.ReadableStream | null, giveUp: (error: Error) => void): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  stream?.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > maxOutput) giveUp(new Error('it printed too much'));
    else pieces.push(bytes);
  });
  return () => Buffer.concat(pieces).toString('utf8');
}
