/** Puts one session together: its log, its hooks, what each of its agents works with, and the façade over them. */
import type { ErrorData } from '../protocol/errors.ts';
import { ReinError } from '../protocol/errors.ts';
import type { Decision, Interrupt } from '../protocol/interrupt.ts';
import { addRule } from '../services/config/edit.ts';
import { userConfigFile } from '../services/config/load.ts';
import type { OpenLog } from '../services/sessions/claimed-log.ts';
import type { SessionStore } from '../services/sessions/store.ts';
import type { ProjectTrust } from '../services/trust/judge.ts';
import { Listeners } from './listeners.ts';
import type { OpenOptions } from './options.ts';
import { createGate } from './parts/approval.ts';
import { createDriver, readStructured } from './parts/drivers.ts';
import { askPromptHooks, createHooks } from './parts/hooks.ts';
import { createObserver } from './parts/observers.ts';
import { createSandboxes } from './parts/sandboxes.ts';
import { createSetup, type SetupParts } from './parts/setup.ts';
import { Runner } from './runner.ts';
import { Session } from './session.ts';

/** What the harness has that sessions share. */
export interface SharedParts
  extends Omit<SetupParts, 'driver' | 'gate' | 'listeners' | 'sandboxFor' | 'beforeCompaction'> {
  readonly cwd: string;
  readonly home: string;
  readonly store: SessionStore;
  readonly trust: ProjectTrust;
  warn(warning: ErrorData): void;
  /** Is told when a session was closed. */
  closed(session: Session): void;
}

/** Opens a new session or an existing one. Throws as `Harness.open` does; a session that does not open is not begun. */
export async function openSession(parts: SharedParts, open: OpenOptions): Promise<Session> {
  const { options, config, environment, cwd, store, clock, newId } = parts;
  for (const broken of parts.extensions.brokenHooks) throw broken;
  const { hooks, guarded } = await createHooks({ ...parts, hooks: parts.extensions.hooks });
  const driver = createDriver(open, config, parts.models[0].provider.name);
  const { id, newborn } = await chooseLog(parts, open);
  const observer = createObserver(hooks, { id, cwd });
  const listeners = new Listeners(hooks.count > 0 ? [observer.listener] : []);
  const sandboxFor = createSandboxes({ options, config, environment, guarded });
  const gate = createGate({ ...parts, hooks, sandboxFor, guarded });
  const { beforeCompaction } = observer;
  const setup = createSetup({ ...parts, sandboxFor, gate, driver, listeners, beforeCompaction });
  const opened = open.resume !== undefined;
  const claim = (newborn?: OpenLog) => Runner.open(store, setup.forAgent, { id, newborn, opened });
  const { answerSeconds } = config.limits;
  const session: Session = new Session({
    ...{ store, id, listeners, newId, interactive: options.interactive ?? false },
    runner: await claim(newborn).catch(ignoreBusy),
    claim: () => claim(),
    ...(answerSeconds !== undefined && { deadline: { seconds: answerSeconds, clock } }),
    ...(open.schema && { structure: (text) => readStructured(text, open.schema!) }),
    onDecision: (interrupt, decision) => keepForAlways(parts.home, interrupt, decision),
    beforePrompt: (prompt) => askPromptHooks(hooks, prompt, { session: id, cwd }),
    close: async () => {
      parts.closed(session);
      observer.tell('SessionEnd', { reason: 'other' });
      await observer.settled();
      await setup.close();
    },
  });
  observer.tell('SessionStart', { source: opened ? 'resume' : 'startup' });
  return session;
}

async function chooseLog(
  { store, cwd }: SharedParts,
  { resume, fork, id }: OpenOptions,
): Promise<{ id: string; newborn?: OpenLog }> {
  if (resume === undefined) {
    const newborn = await store.beginSession({ id, cwd, definition: 'main' });
    return { id: newborn.log.session, newborn };
  }
  const found = resume === 'latest' ? (await store.list({ cwd, limit: 1 }))[0] : await store.info(resume);
  if (!found) throw new ReinError('E_SESSION_MISSING', { session: resume });
  return { id: fork ? await store.fork(found.id) : found.id };
}

/** A session that another process runs is followed instead. */
function ignoreBusy(error: unknown): undefined {
  if (!(ReinError.is(error) && error.code === 'E_SESSION_BUSY')) throw error;
}

/** "Always" goes to the user's configuration. */
async function keepForAlways(home: string, { rule }: Interrupt, { decision }: Decision): Promise<void> {
  if (decision === 'approve_always' && rule !== undefined) await addRule(userConfigFile(home), 'allow', rule);
}
