/** The log of one session in the hands of its runner. */
import type { NewChild, NewEvent, SessionLog } from '../../engine/ports.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { InboxItem } from '../../protocol/session.ts';
import { type InboxReader, type InboxWatch, takeItems, waitingItems } from './inbox.ts';
import { insertEvents, insertSession, type StoreContext } from './sessions.ts';
import { titleOf } from './title.ts';

export interface AppendOptions {
  readonly children?: readonly NewChild[];
  readonly taken?: readonly string[];
  /** Claims the session for this owner in the same go. */
  readonly owner?: string;
}

/** Where a runner believes the log to be. */
export interface LogPosition {
  readonly key: number;
  readonly session: string;
  readonly epoch: number;
  /** Of the last event that is there. */
  readonly seq: number;
}

/** A log, and all that is in it. */
export interface OpenLog {
  readonly log: ClaimedLog;
  readonly events: readonly StoredEvent[];
}

export interface ClaimedLog extends SessionLog {
  /** Rises with each new runner. */
  readonly epoch: number;
  /** Of the last event of the log. */
  readonly seq: number;
  /**
   * The log of a child that an append here created, once, without looking at the database: its first append claims it,
   * and is refused when somebody else was quicker. Undefined for other children: those have to be claimed and read.
   */
  adopt(child: string): OpenLog | undefined;
  /**
   * Gives the session up: from now on this log refuses to append. With `onlyIdle` it stays claimed when something
   * waits in the inbox, so that nothing delivered at the last moment is left lying. Returns whether it was given up.
   */
  release(options?: { onlyIdle?: boolean }): Promise<boolean>;
}

/**
 * Stores events at a place, all or none. Throws `E_SESSION_FENCED` when another runner has taken over or the log goes
 * on elsewhere; nothing is changed then.
 */
export async function appendEvents(
  { sql, clock }: StoreContext,
  at: LogPosition,
  events: readonly NewEvent[],
  { children = [], taken = [], owner }: AppendOptions = {},
): Promise<{ stored: StoredEvent[]; newborn: Newborn[] }> {
  const time = clock.now();
  const first = at.seq + 1;
  const last = at.seq + events.length;
  const newborn: Newborn[] = [];
  await sql.tx(async (tx) => {
    const claim = owner === undefined ? '' : ', owner = ?, epoch = epoch + 1';
    const { changes } = await tx.run(
      `UPDATE sessions SET seq = ?, updated = ?${claim} WHERE key = ? AND epoch = ? AND seq = ?`,
      [last, time, ...(owner === undefined ? [] : [owner]), at.key, at.epoch, at.seq],
    );
    if (changes === 0) throw new ReinError('E_SESSION_FENCED', { session: at.session });
    await insertEvents(tx, { key: at.key, seq: first, time }, events);
    const used = events.flatMap((event) => ('inbox' in event && event.inbox !== undefined ? [event.inbox] : []));
    const dropped = taken.filter((id) => !used.includes(id));
    if (used.length + dropped.length > 0) await takeItems(tx, at.key, { used, dropped });
    for (const child of children) {
      const { id, cwd, definition, callId, closing } = child;
      const agent = `${events[0]?.agent ?? 'main'}/${definition}`;
      const parent = { key: at.key, seq: last };
      const before = closing ? last : 0;
      const fork = closing && { session: at.session, seq: last };
      const begin: NewEvent = {
        ...{ type: 'session-start', run: '', agent, cwd, definition },
        ...{ parent: { session: at.session, callId }, ...(fork && { fork }) },
      };
      const begun = [begin, ...(closing ?? [])];
      const key = await insertSession(tx, {
        ...{ id, cwd, definition, parent, created: time, seq: before + begun.length },
        ...(fork && { fork: { key: at.key, seq: last } }),
      });
      await insertEvents(tx, { key, seq: before + 1, time }, begun);
      if (!closing) newborn.push({ key, start: { v: 1, session: id, seq: 1, time, ...begin } });
    }
  });
  const stored = events.map((event, index) => ({
    v: 1 as const,
    session: at.session,
    seq: first + index,
    time,
    ...event,
  }));
  return { stored, newborn };
}

/** A row that nobody has claimed yet, and its one event. */
interface Newborn {
  readonly key: number;
  readonly start: StoredEvent;
}

/** A log whose row names this runner, or will with the first append. */
export class ClaimedSessionLog implements ClaimedLog, InboxReader {
  readonly session: string;
  readonly key: number;
  readonly epoch: number;
  readonly #context: StoreContext;
  readonly #watch: InboxWatch;
  /** Children that nobody has begun yet; what is sent to one of them is noticed from its first moment on. */
  readonly #newborn = new Map<string, OpenLog & { readonly log: ClaimedSessionLog }>();
  #seq: number;
  #titled: boolean;
  #claimed: boolean;
  #released = false;
  #pending: boolean;
  #arrival = Promise.withResolvers<void>();
  /** Appends happen one after the other, in the order of their calls. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    context: StoreContext,
    watch: InboxWatch,
    at: LogPosition & { readonly titled: boolean; readonly claimed: boolean },
  ) {
    this.#context = context;
    this.#watch = watch;
    this.session = at.session;
    this.key = at.key;
    this.epoch = at.epoch;
    this.#seq = at.seq;
    this.#titled = at.titled;
    this.#claimed = at.claimed;
    // Nobody has sent anything to a session that did not exist before.
    this.#pending = at.claimed;
    watch.add(this);
  }

  get seq(): number {
    return this.#seq;
  }

  append(events: readonly NewEvent[], options?: AppendOptions): Promise<StoredEvent[]> {
    const result = this.#append(this.#tail, events, options);
    this.#tail = result.catch(() => {});
    return result;
  }

  async #append(
    before: Promise<unknown>,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<StoredEvent[]> {
    await before;
    if (this.#released) throw new ReinError('E_SESSION_FENCED', { session: this.session });
    const { key, session, epoch, seq } = this;
    const { stored, newborn } = this.#claimed
      ? await appendEvents(this.#context, { key, session, epoch, seq }, events, options)
      : await appendEvents(this.#context, { key, session, epoch: epoch - 1, seq }, events, {
          ...options,
          owner: this.#context.owner.id,
        });
    this.#claimed = true;
    this.#seq += events.length;
    for (const { key, start } of newborn) {
      const at = { key, session: start.session, epoch: 1, seq: 1, titled: false, claimed: false };
      const log = new ClaimedSessionLog(this.#context, this.#watch, at);
      this.#newborn.set(start.session, { log, events: [start] });
    }
    if (!this.#titled) await this.#suggestTitle(events);
    return stored;
  }

  adopt(child: string): OpenLog | undefined {
    const found = this.#newborn.get(child);
    this.#newborn.delete(child);
    return found;
  }

  async inbox(): Promise<readonly InboxItem[]> {
    this.#pending = false;
    return waitingItems(this.#context, this.key, this.session);
  }

  get inboxPending(): boolean {
    return this.#pending;
  }

  async inboxArrival(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#pending) return;
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#arrival.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  notice(): void {
    this.#pending = true;
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
  }

  async release({ onlyIdle = false }: { onlyIdle?: boolean } = {}): Promise<boolean> {
    const idle = 'AND NOT EXISTS (SELECT 1 FROM inbox WHERE session = sessions.key AND body IS NOT NULL)';
    const { changes } = await this.#context.sql.run(
      `UPDATE sessions SET owner = NULL WHERE key = ? AND epoch = ? ${onlyIdle ? idle : ''}`,
      [this.key, this.epoch],
    );
    if (changes === 0 && onlyIdle) {
      this.notice();
      return false;
    }
    this.#released = true;
    this.#watch.remove(this);
    for (const { log } of this.#newborn.values()) this.#watch.remove(log);
    return true;
  }

  async #suggestTitle(events: readonly NewEvent[]): Promise<void> {
    const title = events.map(titleOf).find((text) => text !== '');
    if (title === undefined) return;
    this.#titled = true;
    await this.#context.sql.run(`UPDATE sessions SET title = ? WHERE key = ? AND title = ''`, [title, this.key]);
  }
}
