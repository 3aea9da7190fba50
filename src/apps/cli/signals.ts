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

/** Aborts the session's run on a signal, and when nobody reads the output any more. */
export function watchSignals(cli: Cli, session: Session): SignalWatch {
  let exit: number = exitCodes.interrupted;
  let told = false;
  const leave = async () => {
    await Promise.race([cli.close().catch(() => {}), after(closeMs)]);
    process.exit(exit);
  };
  const abort = () => {
    if (told) return void leave();
    told = true;
    void after(endMs).then(leave);
    // What cannot be aborted is left behind.
    session.abort().catch(leave);
  };
  for (const [signal, code] of Object.entries(codes)) {
    process.on(signal, () => {
      exit = code;
      abort();
    });
  }
  cli.out.closed.addEventListener('abort', abort, { once: true });
  return {
    get exit() {
      return exit;
    },
  };
}

/** Without holding up the end of the process. */
function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
