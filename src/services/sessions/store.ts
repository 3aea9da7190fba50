/** The store of sessions: who they are, who runs them, what was sent to them, and their logs. */
import type { Clock, NewEvent } from '../../engine/ports.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { InboxItem, SessionInfo } from '../../protocol/session.ts';
import { type AppendOptions, appendEvents, type ClaimedLog, ClaimedSessionLog, type OpenLog } from './claimed-log.ts';
import { deleteSession, forkSession } from './fork.ts';
import { deliver, InboxWatch } from './inbox.ts';
import { type Owner, processOwner } from './owner.ts';
import { type ReadOptions, readEvents, type SessionUsage, sumUsage } from './read.ts';
import { migrate } from './schema.ts';
import { indexSession, indexTitle, type SearchHit, type SearchOptions, searchSessions } from './search.ts';
import {
  findSession,
  infoQuery,
  insertEvents,
  insertSession,
  isRootId,
  requireSession,
  type StoreContext,
  toColumn,
  toInfo,
} from './sessions.ts';
import type { Sql } from './sql.ts';
import { toTitle } from './title.ts';
import { exportSession, type ImportOptions, importSession } from './transfer.ts';

export interface StoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** A new unique id. */
  newId(): string;
  /** Who claims sessions; this process by default. */
  readonly owner?: Owner;
  /** The last check of what is delivered: gives it back without secrets. */
  guard?(item: InboxItem): InboxItem;
  /** Told of what cannot be read; such things are passed over. */
  onWarning?(warning: ErrorData): void;
  /** Told of sessions that were deleted, now or before, and that no fork goes on from any more. */
  onDelete?(ids: readonly string[]): Promise<void>;
}

interface CreateSession {
  /** Letters, digits, `-` and `_`, at most 100; a new one by default, `<parent>.<n>` for a child. */
  readonly id?: string;
  readonly cwd: string;
  /** Name of the agent definition. */
  readonly definition: string;
  readonly tenant?: string;
  /** Makes it a child: absent from lists, deleted with its parent. */
  readonly parent?: { readonly session: string; readonly callId: string };
}

interface ListOptions {
  readonly cwd?: string;
  readonly tenant?: string;
  /** Children too. */
  readonly children?: boolean;
  readonly limit?: number;
}

/** All methods throw `E_STORE_*` when the database fails. Those that take a session throw `E_SESSION_MISSING`. */
export interface SessionStore {
  /** Stores a session with its `session-start`. Throws `E_SESSION_EXISTS`, `E_INPUT_FORMAT` for an id not allowed. */
  createSession(options: CreateSession): Promise<SessionInfo>;
  /** The same for its runner: the caller has claimed it, and knows all that is in it. */
  beginSession(options: CreateSession): Promise<OpenLog>;
  info(id: string): Promise<SessionInfo | undefined>;
  /** Newest first. */
  list(options?: ListOptions): Promise<SessionInfo[]>;
  listChildren(id: string): Promise<SessionInfo[]>;
  /** Gives a title; it becomes one line of at most 80 columns. */
  rename(id: string, title: string): Promise<void>;
  /** Deletes a session and its children, keeping what forks need. Throws `E_SESSION_BUSY` while it is run. */
  delete(id: string): Promise<void>;
  /** A new session that begins with the events up to `seq` (default: all); what is open there is cancelled in it. */
  fork(id: string, seq?: number): Promise<string>;
  /**
   * Makes the caller the one runner of a session. A runner whose process is gone loses it; while it is there, throws
   * `E_SESSION_BUSY` with its name, unless `takeOver` says otherwise: then its next append is refused.
   */
  claim(id: string, options?: { takeOver?: boolean }): Promise<ClaimedLog>;
  /** Appends at a known place, without holding a log; see {@link ClaimedLog}. Throws `E_SESSION_FENCED`. */
  append(
    at: { readonly session: string; readonly epoch: number; readonly seq: number },
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<StoredEvent[]>;
  /**
   * Sends something to the runner. A second item with the same id changes nothing. Throws `E_INTERRUPT_STALE` for a
   * second answer to an interrupt. Where nobody runs the session, the caller claims it next.
   */
  deliver(id: string, item: InboxItem): Promise<void>;
  /** The events in order, those that a fork inherits included. What cannot be read is left out with a warning. */
  read(id: string, options?: ReadOptions): AsyncIterable<StoredEvent>;
  /** The session and its children as lines of JSON; see {@link exportSession}. */
  export(id: string): AsyncIterable<string>;
  /** Stores an export and returns the session's id; see {@link importSession}. */
  import(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: ImportOptions): Promise<string>;
  /** What the session and its finished children have used; what a fork inherits is not counted again. */
  usage(id: string): Promise<SessionUsage>;
  /** Finds titles and what users and models said. Every word counts, in any order. */
  search(query: string, options?: SearchOptions): Promise<SearchHit[]>;
  /** Brings the search index up to the log; worth calling at the end of a run. */
  indexSession(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens the store in a database, and brings its tables up to date. Throws `E_STORE_VERSION` for newer tables. */
export async function openStore(sql: Sql, options: StoreOptions): Promise<SessionStore> {
  await migrate(sql);
  const context = {
    sql,
    clock: options.clock,
    owner: options.owner ?? processOwner(),
    newId: () => options.newId(),
    warn: (warning: ErrorData) => options.onWarning?.(warning),
  };
  return new SqlSessionStore(
    context,
    (item) => options.guard?.(item) ?? item,
    async (ids) => options.onDelete?.(ids),
  );
}

class SqlSessionStore implements SessionStore {
  readonly #context: StoreContext;
  readonly #sql: Sql;
  readonly #watch: InboxWatch;
  readonly #guard: (item: InboxItem) => InboxItem;
  readonly #onDelete: (ids: readonly string[]) => Promise<void>;

  constructor(
    context: StoreContext,
    guard: (item: InboxItem) => InboxItem,
    onDelete: (ids: readonly string[]) => Promise<void>,
  ) {
    this.#guard = guard;
    this.#onDelete = onDelete;
    this.#context = context;
    this.#sql = context.sql;
    this.#watch = new InboxWatch(context.sql);
  }

  createSession(options: CreateSession): Promise<SessionInfo> {
    return this.#sql.tx(async (tx) => {
      const { key } = await this.#create(tx, options);
      const [row] = await tx.all(`${infoQuery} WHERE s.key = ?`, [key]);
      return toInfo(row!);
    });
  }

  async beginSession(options: CreateSession): Promise<OpenLog> {
    const { key, start } = await this.#sql.tx((tx) => this.#create(tx, options, this.#context.owner.id));
    const at = { key, session: start.session, epoch: 1, seq: 1, titled: false, claimed: true, fresh: true };
    return { log: new ClaimedSessionLog(this.#context, this.#watch, at), events: [start] };
  }

  async #create(tx: Sql, { id, cwd, definition, tenant, parent }: CreateSession, owner?: string) {
    if (id !== undefined) requireRootId(id);
    const time = this.#context.clock.now();
    const above = parent && (await requireSession(tx, parent.session));
    const session = id ?? (above ? await nextChildId(tx, above) : this.#context.newId());
    const key = await insertSession(tx, {
      ...{ id: session, cwd, definition, tenant: tenant ?? above?.tenant },
      parent: above && { key: above.key, seq: above.seq },
      ...{ created: time, seq: 1, owner },
    });
    const agent = parent ? `main/${definition}` : 'main';
    const begin = { type: 'session-start', run: '', agent, cwd, definition, ...(parent && { parent }) } as const;
    await insertEvents(tx, { key, seq: 1, time }, [begin]);
    return { key, start: { v: 1, session, seq: 1, time, ...begin } as const };
  }

  async info(id: string): Promise<SessionInfo | undefined> {
    const [row] = await this.#sql.all(`${infoQuery} WHERE s.id = ?`, [toColumn(id)]);
    return row && toInfo(row);
  }

  async list({ cwd, tenant, children = false, limit = 100 }: ListOptions = {}): Promise<SessionInfo[]> {
    const conditions = [
      children ? '1 = 1' : 's.parent IS NULL',
      ...(cwd === undefined ? [] : ['s.cwd = ?']),
      ...(tenant === undefined ? [] : ['s.tenant = ?']),
    ];
    const values = [cwd, tenant].filter((value) => value !== undefined).map(toColumn);
    const rows = await this.#sql.all(
      `${infoQuery} WHERE ${conditions.join(' AND ')} ORDER BY s.updated DESC, s.key DESC LIMIT ?`,
      [...values, limit],
    );
    return rows.map(toInfo);
  }

  async listChildren(id: string): Promise<SessionInfo[]> {
    const { key } = await requireSession(this.#sql, id);
    return (await this.#sql.all(`${infoQuery} WHERE s.parent = ? ORDER BY s.key`, [key])).map(toInfo);
  }

  async rename(id: string, title: string): Promise<void> {
    const line = toTitle(title);
    await this.#sql.tx(async (tx) => {
      const { key } = await requireSession(tx, id);
      await tx.run('UPDATE sessions SET title = ? WHERE key = ?', [line, key]);
      await indexTitle(tx, key, line);
    });
  }

  async delete(id: string): Promise<void> {
    const ids = await deleteSession(this.#context, id);
    await this.#onDelete(ids);
  }

  fork(id: string, seq?: number): Promise<string> {
    return forkSession(this.#context, id, seq);
  }

  async claim(id: string, { takeOver = false }: { takeOver?: boolean } = {}): Promise<ClaimedLog> {
    const { owner } = this.#context;
    const row = await this.#sql.tx(async (tx) => {
      const found = await requireSession(tx, id);
      if (found.owner !== null && !takeOver && !owner.isGone(found.owner)) {
        throw new ReinError('E_SESSION_BUSY', { session: id, owner: found.owner.split(' ')[0]! });
      }
      await tx.run('UPDATE sessions SET owner = ?, epoch = ? WHERE key = ?', [owner.id, found.epoch + 1, found.key]);
      return found;
    });
    return new ClaimedSessionLog(this.#context, this.#watch, {
      key: row.key,
      session: id,
      epoch: row.epoch + 1,
      seq: row.seq,
      titled: row.title !== '',
      claimed: true,
      fresh: false,
    });
  }

  async append(
    at: { session: string; epoch: number; seq: number },
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<StoredEvent[]> {
    const { key } = await requireSession(this.#sql, at.session);
    return (await appendEvents(this.#context, { ...at, key }, events, options)).stored;
  }

  async deliver(id: string, item: InboxItem): Promise<void> {
    this.#watch.arrived(await deliver(this.#sql, id, this.#guard(item)));
  }

  read(id: string, options?: ReadOptions): AsyncIterable<StoredEvent> {
    return readEvents(this.#context, id, options);
  }

  export(id: string): AsyncIterable<string> {
    return exportSession(this.#context, id);
  }

  import(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: ImportOptions): Promise<string> {
    if (options.id !== undefined) requireRootId(options.id);
    return importSession(this.#context, source, options);
  }

  async usage(id: string): Promise<SessionUsage> {
    const { fork_seq } = await requireSession(this.#sql, id);
    return sumUsage(this.read(id, { after: fork_seq ?? 0 }));
  }

  search(query: string, options: SearchOptions = {}): Promise<SearchHit[]> {
    return searchSessions(this.#context, query, options);
  }

  async indexSession(id: string): Promise<void> {
    const { key } = await requireSession(this.#sql, id);
    await indexSession(this.#context, key);
  }

  async close(): Promise<void> {
    this.#watch.stop();
    await this.#sql.close();
  }
}

function requireRootId(id: string): void {
  if (!isRootId(id)) throw new ReinError('E_INPUT_FORMAT', { field: 'id', value: id });
}

async function nextChildId(tx: Sql, parent: { key: number; id: string }): Promise<string> {
  const [row] = await tx.all('SELECT COUNT(*) AS count FROM sessions WHERE parent = ?', [parent.key]);
  for (let number = Number(row?.count) + 1; ; number++) {
    const id = `${parent.id}.${number}`;
    if (!(await findSession(tx, id))) return id;
  }
}
