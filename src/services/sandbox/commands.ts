/** Commands of one session, in the foreground and in the background; see `Commands` in protocol/host.ts. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BackgroundCommand, CommandLimits, CommandRequest, CommandResult, Commands } from '../../protocol/host.ts';
import { type OrphanWatch, watchOrphans } from './orphan-watch.ts';
import { endTree } from './process-tree.ts';
import { type Ending, type OutputFilter, type RunningCommand, startCommand } from './run-command.ts';
import { type ProgramToStart, plainDriver, type SandboxDriver } from './sandbox-driver.ts';

const lastWaitMs = 1500;

export interface CommandsOptions {
  /** Canonical folder that commands run in. */
  readonly cwd: string;
  /** All that commands see; see `commandEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: CommandLimits;
  /** Makes what a command's output goes through. */
  filter?(): OutputFilter;
  /** Without one commands run unconfined. */
  readonly driver?: SandboxDriver;
}

interface Background {
  readonly id: string;
  readonly command: string;
  readonly running: RunningCommand;
  ending?: Ending;
}

type Start = (command: string, network?: boolean, onOutput?: (text: string) => void) => Promise<RunningCommand>;

/** The commands of one session: each in the sandbox of its driver, all of them ended by `close`. Throws as the driver. */
export function createCommands({ cwd, environment, limits, filter, driver = plainDriver }: CommandsOptions): Commands {
  /** All commands of this session share the beginning of their marks. */
  const family = randomBytes(9).toString('hex');
  const alive = new Set<RunningCommand>();
  let count = 0;
  let watch: OrphanWatch | undefined;
  const mayOutlive = (user: ProgramToStart['user']) => {
    watch ??= watchOrphans(family, user);
  };

  const start: Start = async (command, network = false, onOutput) => {
    const mark = `${family}.${++count}.`;
    const { outputBytes } = limits;
    const about = { driver, command, cwd, environment, mark, network, outputBytes, onOutput, filter: filter?.() };
    const running = await startCommand({ ...about, mayOutlive });
    alive.add(running);
    void running.ended.then(() => alive.delete(running));
    return running;
  };

  return {
    limits,
    run: (request) => runToItsEnd(start, limits, request),
    ...backgroundCommands(start),
    async close() {
      // One that has just started does not show its mark yet.
      await Promise.all([...alive].map((running) => running.end()));
      if (count > 0) await endTree(undefined, family);
      watch?.stop();
      driver.close?.();
    },
  };
}

function backgroundCommands(start: Start): Pick<Commands, 'start' | 'output' | 'kill' | 'list'> {
  const known = new Map<string, Background>();
  return {
    async start(command, { network } = {}) {
      const running = await start(command, network);
      const id = String(known.size + 1);
      const one: Background = { id, command, running };
      known.set(id, one);
      void running.ended.then((ending) => {
        one.ending = ending;
      });
      return describe(one, '');
    },
    output(id) {
      const one = known.get(id);
      return one && describe(one, take(one));
    },
    async kill(id) {
      const one = known.get(id);
      if (!one) return undefined;
      if (!one.ending) await endAtLast(one.running);
      return describe(one, take(one));
    },
    list: () => [...known.values()].map((one) => describe(one, '')),
  };
}

async function runToItsEnd(
  start: Start,
  limits: Commands['limits'],
  { command, network, timeoutSeconds, signal, onOutput }: CommandRequest,
): Promise<CommandResult> {
  const seconds = Math.min(timeoutSeconds ?? limits.timeoutSeconds, limits.maxTimeoutSeconds);
  signal.throwIfAborted();
  const running = await start(command, network, onOutput);
  const stop = Promise.withResolvers<'timeout' | 'abort'>();
  const timer = setTimeout(() => stop.resolve('timeout'), seconds * 1000);
  const abort = () => stop.resolve('abort');
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const first = await Promise.race([running.ended, stop.promise]);
    const { exit, signal: endedBy, notes } = typeof first === 'string' ? await endAtLast(running) : first;
    return {
      exit,
      ...(endedBy && { signal: endedBy }),
      timedOut: first === 'timeout',
      timeoutSeconds: seconds,
      aborted: first === 'abort',
      output: running.output.text(),
      notes,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Ends a command; a process that the system itself cannot end holds nobody up. */
async function endAtLast(running: RunningCommand): Promise<Ending> {
  await running.end();
  return Promise.race([running.ended, delay(lastWaitMs, { exit: null, notes: [] }, { ref: false })]);
}

function describe({ id, command, ending }: Background, output: string): BackgroundCommand {
  const { exit = null, notes = [] } = ending ?? {};
  return { id, command, running: ending === undefined, exit, output, notes };
}

function take({ running }: Background): string {
  const text = running.output.text();
  running.output.clear();
  return text;
}
