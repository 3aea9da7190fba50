/** Follows a session that another process runs: its events as they are stored, and the takeover when it is gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fold } from '../engine/fold.ts';
import { emptyState } from '../engine/session-state.ts';
import { ReinError } from '../protocol/errors.ts';
import type { ReinEvent } from '../protocol/event.ts';
import type { Interrupt } from '../protocol/interrupt.ts';
import type { SessionStore } from '../services/sessions/store.ts';

const lookMs = 100;
const looksBetweenClaims = 10;

/** Follows a session that another process runs, and takes it over when that process is gone. */
export class LogFollower<Runner> {
  readonly #store: SessionStore;
  readonly #id: string;
  readonly #emit: (event: ReinEvent) => void;
  readonly #claim: () => Promise<Runner>;
  #seq: number | undefined;
  #looks = 0;

  constructor(store: SessionStore, id: string, emit: (event: ReinEvent) => void, claim: () => Promise<Runner>) {
    this.#store = store;
    this.#id = id;
    this.#emit = emit;
    this.#claim = claim;
  }

  /** Begins after the last event there is. */
  async start(): Promise<void> {
    this.#seq ??= (await this.#store.info(this.#id))?.seq ?? 0;
  }

  /** Shows what is new. Returns a runner once the other process is gone. */
  async next(): Promise<Runner | undefined> {
    let found = false;
    for await (const event of this.#store.read(this.#id, { after: this.#seq })) {
      this.#seq = event.seq;
      found = true;
      this.#emit(event);
    }
    if (found) return undefined;
    await sleep(lookMs);
    if (++this.#looks % looksBetweenClaims !== 0) return undefined;
    try {
      return await this.#claim();
    } catch (error) {
      if (ReinError.is(error) && error.code === 'E_SESSION_BUSY') return undefined;
      throw error;
    }
  }
}

/** Open interrupts of a session and its children, as their logs say. */
export async function readInterrupts(store: SessionStore, id: string): Promise<Interrupt[]> {
  const state = emptyState();
  for await (const event of store.read(id)) fold(state, event);
  const found: Interrupt[] = [];
  const { asked, child } = state.graph ?? {};
  if (asked && !asked.decision && state.run) found.push(asked.interrupt);
  if (child !== undefined) found.push(...(await readInterrupts(store, child)));
  for (const call of state.open) {
    if (call.interrupt) found.push(call.interrupt);
    else if (call.child && !call.result) found.push(...(await readInterrupts(store, call.child)));
  }
  return found;
}
