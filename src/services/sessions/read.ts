/** Reading logs: flat, in order, and past what cannot be read; and what they sum up to. */
import { ReinError } from '../../protocol/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { addUsage, noUsage, type Usage } from '../../protocol/usage.ts';
import { decodeEvents } from './event-body.ts';
import { putPrompt } from './prompts.ts';
import { findByKey, requireSession, rowsQuery, type SessionRow, type StoreContext } from './sessions.ts';
import type { Row } from './sql.ts';

/** Rows, each of one append. */
const pageSize = 200;

export interface ReadOptions {
  /** Sequence number after which to begin; default 0. */
  readonly after?: number;
  /** At most so many events. */
  readonly limit?: number;
}

/**
 * The events of a session in order; those of a fork begin with what it inherits. An event that cannot be read is
 * left out with a warning; so is one that is not there. Throws `E_SESSION_MISSING`.
 */
export async function* readEvents(
  context: StoreContext,
  id: string,
  { after = 0, limit = Number.POSITIVE_INFINITY }: ReadOptions = {},
): AsyncGenerator<StoredEvent> {
  const row = await requireSession(context.sql, id);
  let left = limit;
  let expected = after + 1;
  const told: unknown[] = [];
  const watched: StoreContext = {
    ...context,
    warn(problem) {
      told.push(problem.params.seq);
      context.warn(problem);
    },
  };
  for (const { key, from, to } of await spans(context, row, after)) {
    for await (const event of readSpan(watched, { id, key, from, to })) {
      if (event.seq > expected && !told.some((seq) => Number(seq) >= expected && Number(seq) < event.seq)) {
        warn(context, id, expected, 'it is missing');
      }
      if (expected === 1 && event.seq > 1 && left-- > 0) yield startOf(row);
      if (left-- <= 0) return;
      expected = event.seq + 1;
      yield event;
    }
  }
  if (expected === 1 && left > 0) yield startOf(row);
}

/** The first event of a session where it was lost: without one nobody could go on, and its row says the same. */
function startOf({ id, created, cwd, definition }: SessionRow): StoredEvent {
  return { v: 1, session: id, seq: 1, time: created, type: 'session-start', run: '', agent: 'main', cwd, definition };
}

/** Events of one row of `sessions` in `from < seq <= to`, as events of the session `id`. */
export async function* readSpan(
  context: StoreContext,
  span: Span & { readonly id: string },
): AsyncGenerator<StoredEvent> {
  const { id, key, from, to } = span;
  // The row that holds the first event may begin before it.
  const query = 'SELECT MAX(seq) AS seq FROM events WHERE session = ? AND seq <= ?';
  let start = Number((await context.sql.all(query, [key, from + 1]))[0]?.seq ?? 0);
  while (start <= to) {
    const rows = await readPage(context, { ...span, from: start });
    for (const row of rows) {
      for (const event of decodeRow(context, id, row)) if (event.seq > from && event.seq <= to) yield event;
    }
    start = rows.length === pageSize ? Number(rows.at(-1)!.seq) + 1 : to + 1;
  }
}

function decodeRow(context: StoreContext, id: string, row: Row): StoredEvent[] {
  const seq = Number(row.seq);
  const whole = <T>(seq: number, decode: () => T[]): T[] => {
    try {
      return decode();
    } catch (error) {
      warn(context, id, seq, error);
      return [];
    }
  };
  const events = whole(seq, () => decodeEvents(row.body as Uint8Array, id, seq));
  return events.flatMap((event) => whole(event.seq, () => [putPrompt(event, row.prompt as Uint8Array | null)]));
}

interface Span {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

/** Where the events after a sequence number lie, oldest first: a fork goes on from a row of another session. */
async function spans({ sql }: StoreContext, row: SessionRow, after: number): Promise<Span[]> {
  const found: Span[] = [];
  let to = row.seq;
  // In a damaged database a row may go on from itself.
  const seen = new Set<number>();
  for (let at: SessionRow | undefined = row; at && !seen.has(at.key); ) {
    seen.add(at.key);
    const from: number = Math.max(after, at.fork_seq ?? 0);
    if (from < to) found.unshift({ key: at.key, from, to });
    to = Math.min(to, at.fork_seq ?? 0);
    at = at.fork_of !== null && to > after ? await findByKey(sql, at.fork_of) : undefined;
  }
  return found;
}

/** Rows that begin in `from <= seq <= to`, at most a page. Where the database is damaged, those rows that are whole. */
async function readPage(context: StoreContext, span: Span & { readonly id: string }): Promise<Row[]> {
  const { sql } = context;
  try {
    return await sql.all(`${rowsQuery} WHERE e.session = ? AND e.seq >= ? AND e.seq <= ? ORDER BY e.seq LIMIT ?`, [
      span.key,
      span.from,
      span.to,
      pageSize,
    ]);
  } catch (error) {
    if (ReinError.from(error).code !== 'E_STORE_CORRUPT') throw error;
    return readSingly(context, span, error);
  }
}

async function readSingly(context: StoreContext, span: Span & { readonly id: string }, cause: unknown): Promise<Row[]> {
  const rows: Row[] = [];
  for (let seq = span.from; seq <= span.to; seq++) {
    try {
      rows.push(...(await context.sql.all(`${rowsQuery} WHERE e.session = ? AND e.seq = ?`, [span.key, seq])));
    } catch (error) {
      warn(context, span.id, seq, error);
    }
  }
  if (rows.length === 0) throw cause;
  return rows;
}

function warn({ sql, warn }: StoreContext, session: string, seq: number, cause: unknown): void {
  const detail = cause instanceof Error ? cause.message : String(cause);
  warn(new ReinError('E_SESSION_EVENT_UNREADABLE', { store: sql.place, session, seq, detail }).toData());
}

export interface SessionUsage {
  readonly usage: Usage;
  /** US dollars. */
  readonly cost: number;
  /** Model calls of the session itself; those of its children count in tokens and money only. */
  readonly turns: number;
}

/** Sums turns, and what finished children brought with them. */
export async function sumUsage(events: AsyncIterable<StoredEvent>): Promise<SessionUsage> {
  let sum: SessionUsage = { usage: noUsage, cost: 0, turns: 0 };
  for await (const event of events) {
    if (!('usage' in event) || event.type === 'run-end' || !event.usage) continue;
    sum = {
      usage: addUsage(sum.usage, event.usage),
      cost: sum.cost + (event.cost ?? 0),
      turns: sum.turns + (event.type === 'turn-end' ? 1 : 0),
    };
  }
  return sum;
}
