/** Which session the flags mean. */
import type { Harness } from '../../harness/create-harness.ts';
import type { Session } from '../../harness/session.ts';
import type { Cli } from './cli.ts';

/** Opens it: a new one, the newest of the folder, the named one, or a copy. Throws `E_SESSION_*`, `E_PROVIDER_*`. */
export function openSession(cli: Cli, harness: Harness): Promise<Session> {
  const { continue: latest, resume, forkSession, sessionId } = cli.options;
  return harness.open({ resume: latest ? 'latest' : resume, fork: forkSession, id: sessionId });
}
