/** Being told to stop: once ends the run in good order, twice leaves at once. What was stored stays. */
import type { Session } from '../../harness/session.ts';
import { exitCodes } from '../../protocol/errors.ts';
import type { Cli } from './cli.ts';

const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated, SIGHUP: 129 } as const;
/** How long a run may take to end itself, and how long what is left open may take to close. */
const endMs = 2000;
const closeMs = 500;

export interface SignalWatch {
  /** The exit code of a run that was aborted. */
  readonly exit: number;
}

/** Aborts the session's run on a signal, and when nobody reads the output any more; leaves where there is no run. */
export function watchSignals(cli: Cli, session: Session): SignalWatch {
  let exit: number = exitCodes.interrupted;
  let told = false;
  const now = () => leave(cli, exit);
  const abort = () => {
    told = true;
    void after(endMs).then(now);
    // What cannot be aborted is left behind.
    session.abort().catch(now);
  };
  for (const [signal, code] of Object.entries(codes)) {
    process.on(signal, () => {
      exit = code;
      if (told || !session.hasOpenRun) void now();
      else abort();
    });
  }
  cli.out.closed.addEventListener('abort', () => session.hasOpenRun && abort(), { once: true });
  return {
    get exit() {
      return exit;
    },
  };
}

/** Leaves a conversation when its terminal is gone or the process is told to end; an open run stays open. */
export function leaveOnHangup(cli: Cli): void {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave(cli, codes[signal]));
  cli.out.closed.addEventListener('abort', () => void leave(cli, exitCodes.interrupted), { once: true });
}

async function leave(cli: Cli, exit: number): Promise<never> {
  await Promise.race([cli.close(), after(closeMs)]);
  process.exit(exit);
}

/** Without holding up the end of the process. */
function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
