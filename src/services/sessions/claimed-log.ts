/** The log of one session in the hands of its runner. */
import type { NewChild, NewEvent, SessionLog } from '../../engine/ports.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { InboxItem } from '../../protocol/session.ts';
import { type InboxReader, type InboxWatch, takeItems, waitingItems } from './inbox.ts';
import { insertEvents, insertSession, type StoreContext } from './sessions.ts';
import type { Sql } from './sql.ts';
import { titleOf } from './title.ts';

export interface AppendOptions {
  readonly children?: readonly NewChild[];
  readonly taken?: readonly string[];
  /** Claims the session for this owner in the same go. */
  readonly owner?: string;
  /** For a session without a title. */
  readonly title?: string;
  /** Gives the session up in the same go, unless something waits in its inbox. */
  readonly release?: boolean;
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
  /** From now on the append that ends a run gives the session up, unless something waits in its inbox. */
  releaseWithRun(): void;
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
  { children = [], taken = [], owner, title, release }: AppendOptions = {},
): Promise<{ stored: StoredEvent[]; newborn: Newborn[]; released: boolean }> {
  const time = clock.now();
  const first = at.seq + 1;
  const last = at.seq + events.length;
  const newborn: Newborn[] = [];
  let released = false;
  const work = async (tx: Sql) => {
    if (release) {
      const query = 'SELECT 1 AS found FROM inbox WHERE session = ? AND body IS NOT NULL LIMIT 1';
      released = (await tx.all(query, [at.key])).length === 0;
    }
    const changed = [
      ...(owner === undefined ? [] : [{ sets: ', owner = ?, epoch = epoch + 1', value: owner }]),
      ...(title === undefined ? [] : [{ sets: ", title = CASE WHEN title = '' THEN ? ELSE title END", value: title }]),
      ...(released ? [{ sets: ', owner = ?', value: null }] : []),
    ];
    const { changes } = await tx.run(
      `UPDATE sessions SET seq = ?, updated = ?${changed.map(({ sets }) => sets).join('')}
        WHERE key = ? AND epoch = ? AND seq = ?`,
      [last, time, ...changed.map(({ value }) => value), at.key, at.epoch, at.seq],
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
  };
  // Many sessions of one process append side by side.
  await sql.tx(work, { shared: true });
  const stored = events.map((event, index) => ({
    v: 1 as const,
    session: at.session,
    seq: first + index,
    time,
    ...event,
  }));
  return { stored, newborn, released };
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
  #endsWithRun = false;
  /** What the last look at the inbox found; what was taken since is left out. */
  #items: Promise<readonly InboxItem[]> = Promise.resolve([]);
  readonly #taken = new Set<string>();
  #pending: boolean;
  #arrival = Promise.withResolvers<void>();
  /** Appends happen one after the other, in the order of their calls. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    context: StoreContext,
    watch: InboxWatch,
    at: LogPosition & { readonly titled: boolean; readonly claimed: boolean; readonly fresh: boolean },
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
    this.#pending = !at.fresh;
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
    const title = this.#titled ? undefined : events.map(titleOf).find((text) => text !== '');
    const release = this.#endsWithRun && events.some(({ type }) => type === 'run-end');
    const more = { ...options, title, ...(this.#claimed ? { release } : { owner: this.#context.owner.id }) };
    const at = { key, session, epoch: this.#claimed ? epoch : epoch - 1, seq };
    const { stored, newborn, released } = await appendEvents(this.#context, at, events, more);
    this.#claimed = true;
    this.#seq += events.length;
    for (const { key, start } of newborn) {
      const at = { key, session: start.session, epoch: 1, seq: 1, titled: false, claimed: false, fresh: true };
      const log = new ClaimedSessionLog(this.#context, this.#watch, at);
      this.#newborn.set(start.session, { log, events: [start] });
    }
    this.#titled ||= title !== undefined;
    for (const event of events) if ('inbox' in event && event.inbox !== undefined) this.#taken.add(event.inbox);
    for (const id of options?.taken ?? []) this.#taken.add(id);
    if (released) this.#leave();
    return stored;
  }

  adopt(child: string): OpenLog | undefined {
    const found = this.#newborn.get(child);
    this.#newborn.delete(child);
    return found;
  }

  releaseWithRun(): void {
    this.#endsWithRun = true;
  }

  async inbox(): Promise<readonly InboxItem[]> {
    if (this.#released) return [];
    if (this.#pending) {
      this.#pending = false;
      this.#taken.clear();
      this.#items = waitingItems(this.#context, this.key, this.session).catch((error: unknown) => {
        this.#pending = true;
        throw error;
      });
    }
    return (await this.#items).filter(({ id }) => !this.#taken.has(id));
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
    if (this.#released) return true;
    const idle = 'AND NOT EXISTS (SELECT 1 FROM inbox WHERE session = sessions.key AND body IS NOT NULL)';
    const { changes } = await this.#context.sql.run(
      `UPDATE sessions SET owner = NULL WHERE key = ? AND epoch = ? ${onlyIdle ? idle : ''}`,
      [this.key, this.epoch],
    );
    if (changes === 0 && onlyIdle) {
      this.notice();
      return false;
    }
    this.#leave();
    return true;
  }

  #leave(): void {
    this.#released = true;
    this.#watch.remove(this);
    for (const { log } of this.#newborn.values()) this.#watch.remove(log);
  }
}
