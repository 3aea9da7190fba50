/** Rows of the table `sessions`, and what is shared by all who work on the store. */
import type { Clock, NewEvent } from '../../engine/ports.ts';
import type { ErrorData } from '../../protocol/errors.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { SessionInfo } from '../../protocol/session.ts';
import { encodeEvents } from './event-body.ts';
import type { Owner } from './owner.ts';
import { keepPrompt, takePrompt } from './prompts.ts';
import type { Row, Sql } from './sql.ts';

export interface StoreContext {
  readonly sql: Sql;
  readonly clock: Pick<Clock, 'now'>;
  readonly owner: Owner;
  newId(): string;
  /** Told of what cannot be read. */
  warn(warning: ErrorData): void;
}

/** A row of the table, without what only queries need. */
export interface SessionRow {
  readonly key: number;
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly definition: string;
  readonly tenant: string | null;
  readonly parent: number | null;
  readonly fork_of: number | null;
  readonly fork_seq: number | null;
  readonly created: number;
  readonly updated: number;
  readonly seq: number;
  readonly owner: string | null;
  readonly epoch: number;
  readonly indexed: number;
  /** Whose events its log holds, where it took over those of deleted sessions: JSON, see fork.ts. */
  readonly inherited: string | null;
}

export interface NewSession {
  readonly id: string;
  readonly cwd: string;
  readonly definition: string;
  readonly title?: string;
  readonly tenant?: string | null;
  readonly parent?: { readonly key: number; readonly seq: number };
  readonly fork?: { readonly key: number; readonly seq: number };
  readonly created: number;
  /** Default: as created. */
  readonly updated?: number;
  /** Sequence number of the last event that is there when the row is. */
  readonly seq: number;
  /** Who runs it from the beginning; nobody when absent. */
  readonly owner?: string;
}

/** The row of a session; undefined where there is none. */
export async function findSession(sql: Sql, id: string): Promise<SessionRow | undefined> {
  const [row] = await sql.all('SELECT * FROM sessions WHERE id = ?', [toColumn(id)]);
  return row as unknown as SessionRow | undefined;
}

/** The row with that key; undefined where there is none. */
export async function findByKey(sql: Sql, key: number): Promise<SessionRow | undefined> {
  const [row] = await sql.all('SELECT * FROM sessions WHERE key = ?', [key]);
  return row as unknown as SessionRow | undefined;
}

/** The row of a session. Throws `E_SESSION_MISSING`. */
export async function requireSession(sql: Sql, id: string): Promise<SessionRow> {
  const row = await findSession(sql, id);
  if (!row) throw new ReinError('E_SESSION_MISSING', { session: id });
  return row;
}

/** Adds a row, in a transaction of the caller's; returns its key. Throws `E_SESSION_EXISTS` when the id is taken. */
export async function insertSession(tx: Sql, session: NewSession): Promise<number> {
  const { parent, fork } = session;
  const [row] = await tx.all(
    `INSERT INTO sessions (id, title, cwd, definition, tenant, parent, parent_seq, fork_of, fork_seq, created, updated,
      seq, owner, epoch, indexed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key`,
    [
      toColumn(session.id),
      session.title ?? '',
      toColumn(session.cwd),
      toColumn(session.definition),
      session.tenant ?? null,
      parent?.key ?? null,
      parent?.seq ?? null,
      fork?.key ?? null,
      fork?.seq ?? null,
      session.created,
      session.updated ?? session.created,
      session.seq,
      session.owner ?? null,
      session.owner === undefined ? 0 : 1,
      // What a fork inherits is found under the session it comes from.
      fork?.seq ?? 0,
    ],
  );
  if (!row) throw new ReinError('E_SESSION_EXISTS', { session: session.id });
  return Number(row.key);
}

/** Adds events from `seq` on, in a transaction of the caller's. */
export async function insertEvents(
  tx: Sql,
  at: { readonly key: number; readonly seq: number; readonly time: number },
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await insertRow(tx, at, events, () => at.time);
}

/** Adds events as one row, the first of which is `seq`. */
export async function insertRow(
  tx: Sql,
  { key, seq }: { readonly key: number; readonly seq: number },
  given: readonly NewEvent[],
  timeOf: (index: number) => number,
): Promise<void> {
  const { events, prompt } = takePrompt(given);
  if (prompt) await keepPrompt(tx, prompt);
  const values = [key, seq, encodeEvents(events, timeOf), prompt?.hash ?? null];
  await tx.run('INSERT INTO events (session, seq, body, prompt) VALUES (?, ?, ?, ?)', values);
}

/** The events of all sessions by rows, each with the text of its prompt. */
export const rowsQuery = `SELECT e.seq AS seq, e.body AS body, p.body AS prompt
  FROM events e LEFT JOIN prompts p ON p.hash = e.prompt`;

/** What a session may be called; children add a number to their parent's. */
export function isRootId(id: string): boolean {
  return /^[\w-]{1,100}$/.test(id);
}

/** The columns that {@link toInfo} needs, with the ids of parent and origin in place of their keys. */
export const infoQuery = `SELECT s.*, p.id AS parent_id, f.id AS fork_id FROM sessions s
  LEFT JOIN sessions p ON p.key = s.parent LEFT JOIN sessions f ON f.key = s.fork_of`;

/** What is told of a session, from a row of {@link infoQuery}. */
export function toInfo(row: Row): SessionInfo {
  const { id, title, cwd, definition, created, updated, seq, tenant, parent_id, fork_id, fork_seq } = row;
  return {
    id,
    title,
    cwd,
    definition,
    created,
    updated,
    seq,
    ...(tenant !== null && { tenant }),
    ...(parent_id !== null && { parent: parent_id }),
    ...(fork_id !== null && { forkOf: { session: fork_id, seq: fork_seq } }),
  } as SessionInfo;
}

/** Text as every database takes it. */
export function toColumn(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
