/** The inbox: what others send to the runner of a session. */
import { ReinError } from '../../protocol/errors.ts';
import type { InboxItem } from '../../protocol/session.ts';
import { decodeJson, encodeJson } from './event-body.ts';
import { requireSession, type StoreContext, toColumn } from './sessions.ts';
import type { Sql } from './sql.ts';

/** Milliseconds between two looks for what other processes have sent. */
const pollInterval = 150;

/**
 * Stores a row. A second one with the same id changes nothing, also after the first was taken.
 * Throws `E_INTERRUPT_STALE` for a second answer to an interrupt.
 */
export async function deliver(sql: Sql, session: string, item: InboxItem): Promise<number> {
  return sql.tx(async (tx) => {
    const { key } = await requireSession(tx, session);
    const id = toColumn(item.id);
    const { changes } = await tx.run(
      'INSERT INTO inbox (session, id, interrupt, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      [key, id, item.kind === 'answer' ? toColumn(item.interruptId) : null, encodeJson(JSON.stringify(item))],
    );
    if (changes === 0 && item.kind === 'answer') {
      const same = await tx.all('SELECT 1 AS found FROM inbox WHERE session = ? AND id = ?', [key, id]);
      if (same.length === 0) throw new ReinError('E_INTERRUPT_STALE', { session, interrupt: item.interruptId });
    }
    return key;
  });
}

/** Rows not yet taken, in order of arrival. One that cannot be read is dropped with a warning. */
export async function waitingItems(context: StoreContext, key: number, session: string): Promise<InboxItem[]> {
  const { sql } = context;
  const rows = await sql.all('SELECT key, body FROM inbox WHERE session = ? AND body IS NOT NULL ORDER BY key', [key]);
  const items: InboxItem[] = [];
  for (const row of rows) {
    try {
      items.push(JSON.parse(decodeJson(row.body as Uint8Array)));
    } catch (error) {
      const detail = ReinError.from(error).message;
      context.warn(
        new ReinError('E_SESSION_EVENT_UNREADABLE', { store: sql.place, session, seq: 'inbox', detail }).toData(),
      );
      await sql.run('UPDATE inbox SET body = NULL, interrupt = NULL WHERE key = ?', [row.key!]);
    }
  }
  return items;
}

/**
 * Marks rows as taken, in the transaction of the append that follows from them. A dropped answer frees its interrupt
 * for another one.
 */
export async function takeItems(
  tx: Sql,
  key: number,
  ids: { readonly used: readonly string[]; readonly dropped: readonly string[] },
): Promise<void> {
  for (const id of ids.used) {
    await tx.run('UPDATE inbox SET body = NULL WHERE session = ? AND id = ?', [key, toColumn(id)]);
  }
  for (const id of ids.dropped) {
    await tx.run('UPDATE inbox SET body = NULL, interrupt = NULL WHERE session = ? AND id = ?', [key, toColumn(id)]);
  }
}

/** Who waits for the inbox of a session. */
export interface InboxReader {
  readonly key: number;
  /** Called when rows may have arrived. */
  notice(): void;
}

/** Tells readers of arrivals: at once for those of this process, after a look for those of others. */
export class InboxWatch {
  readonly #sql: Sql;
  readonly #readers = new Set<InboxReader>();
  #timer: NodeJS.Timeout | undefined;
  #seen: unknown;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(reader: InboxReader): void {
    this.#readers.add(reader);
    this.#timer ??= setInterval(() => this.#look(), pollInterval).unref();
  }

  remove(reader: InboxReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.stop();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  arrived(key: number): void {
    for (const reader of this.#readers) if (reader.key === key) reader.notice();
  }

  async #look(): Promise<void> {
    const { changeQuery } = this.#sql.dialect;
    try {
      if (changeQuery) {
        const [row] = await this.#sql.all(changeQuery);
        const now = Object.values(row ?? {})[0];
        if (now === this.#seen) return;
        this.#seen = now;
      }
      const rows = await this.#sql.all('SELECT DISTINCT session FROM inbox WHERE body IS NOT NULL');
      for (const row of rows) this.arrived(Number(row.session));
    } catch {
      // A database that fails says so to those who read and write; the next look tries again.
    }
  }
}
