/** A harness in a temporary home with one open session: for tests of tools, middleware and agents. */
import { createHarness, type Harness } from '../harness/create-harness.ts';
import type { HarnessOptions, OpenOptions } from '../harness/options.ts';
import type { Session } from '../harness/session.ts';
import { defineMiddleware } from '../protocol/define/middleware.ts';
import { createTempHome, type TempHome } from './temp-home.ts';

export interface SessionRig {
  readonly harness: Harness;
  readonly session: Session;
  readonly place: TempHome;
  /** Closes everything and opens the session (or another) again, as a new process would. */
  reopen(open?: OpenOptions, options?: Partial<HarnessOptions>): Promise<SessionRig>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Lets every tool call pass: for tests that are not about permissions. */
export const allowAll = defineMiddleware({
  name: 'approval',
  slot: 'approval',
  wrapToolCall: (call, next) => next(call),
});

/** Makes the rig. Every call is allowed unless `options.middleware` brings a gate named `approval`. */
export async function createSessionRig(options: HarnessOptions = {}, place?: TempHome): Promise<SessionRig> {
  const folders = place ?? (await createTempHome());
  return openRig(options, folders, {});
}

async function openRig(options: HarnessOptions, place: TempHome, open: OpenOptions): Promise<SessionRig> {
  const given = options.middleware ?? [];
  const gate = given.some(({ name }) => name === 'approval') ? [] : [allowAll];
  const harness = await createHarness({
    home: place.home,
    cwd: place.workspace,
    env: { PATH: process.env.PATH },
    ...options,
    middleware: [...gate, ...given],
  });
  const session = await harness.open(open);
  return {
    harness,
    session,
    place,
    async reopen(next = { resume: session.id }, changed = {}) {
      await harness.close();
      return openRig({ ...options, ...changed }, place, next);
    },
    async [Symbol.asyncDispose]() {
      await harness.close();
      await place.remove();
    },
  };
}
