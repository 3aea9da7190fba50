/** Search over all sessions: titles, and what users and models said. The index follows the logs, never in a turn. */
import { toSearchPhrases, toSearchTerms } from '../../lib/search-terms.ts';
import { keepEnd, keepStart } from '../../lib/text/truncate.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { assistantText, contentText } from '../../protocol/message.ts';
import { decodeEvents } from './event-body.ts';
import { readSpan } from './read.ts';
import { findByKey, type StoreContext, toColumn } from './sessions.ts';
import type { Row, Sql } from './sql.ts';
import { isFromUser } from './title.ts';

/** A row of the index is named by session and event in one number: 2^24 events for each of 2^29 sessions. */
const placesPerSession = 2 ** 24;
/** Events indexed in one transaction. */
const batch = 500;

export interface SearchOptions {
  readonly cwd?: string;
  readonly tenant?: string;
  readonly limit?: number;
}

export interface SearchHit {
  readonly session: string;
  readonly title: string;
  readonly cwd: string;
  /** The event that was found; 0 for a title. */
  readonly seq: number;
  /** One line around what was found. */
  readonly snippet: string;
}

/** All words of the query must be in one message or title; newest sessions first. Nothing in a query is an operator. */
export async function searchSessions(
  context: StoreContext,
  query: string,
  { cwd, tenant, limit = 50 }: SearchOptions,
): Promise<SearchHit[]> {
  const phrases = toSearchPhrases(query);
  if (phrases.length === 0) return [];
  const { sql } = context;
  for (const row of await sql.all('SELECT key FROM sessions WHERE indexed < seq')) {
    await indexSession(context, Number(row.key));
  }
  const conditions = [cwd === undefined ? '' : ' AND s.cwd = ?', tenant === undefined ? '' : ' AND s.tenant = ?'];
  const filters = [cwd, tenant].filter((value) => value !== undefined).map(toColumn);
  const rows = await sql.all(
    `SELECT search.rowid AS place, s.key AS key, s.id AS id, s.title AS title, s.cwd AS cwd
      FROM search JOIN sessions s ON s.key = search.rowid / ${placesPerSession}
      WHERE ${sql.dialect.search.match}${conditions.join('')} ORDER BY search.rowid DESC LIMIT ?`,
    [sql.dialect.search.toQuery(phrases), ...filters, limit],
  );
  return Promise.all(rows.map((row) => toHit(sql, row, query)));
}

/** Brings the index of one session up to its log. */
export async function indexSession(context: StoreContext, key: number): Promise<void> {
  for (let behind = true; behind; ) {
    behind = await context.sql.tx(async (tx) => {
      const row = await findByKey(tx, key);
      if (!row || row.indexed >= row.seq) return false;
      const to = Math.min(row.seq, row.indexed + batch);
      for await (const event of readSpan({ ...context, sql: tx }, { id: row.id, key, from: row.indexed, to })) {
        await insertTerms(tx, placeOf(key, event.seq), searchableText(event));
      }
      await tx.run('UPDATE sessions SET indexed = ? WHERE key = ?', [to, key]);
      return to < row.seq;
    });
  }
}

/** Makes a title that was given found; one made of what the user said is found there. */
export async function indexTitle(tx: Sql, key: number, title: string): Promise<void> {
  await tx.run('DELETE FROM search WHERE rowid = ?', [placeOf(key, 0)]);
  await insertTerms(tx, placeOf(key, 0), title);
}

async function insertTerms(tx: Sql, place: number, text: string): Promise<void> {
  const terms = toSearchTerms(text).join(' ');
  if (!terms) return;
  await tx.run(`INSERT INTO search (rowid, terms) VALUES (?, ${tx.dialect.search.document})`, [place, terms]);
}

/** Forgets the events of a session up to its title, which stays when `keepTitle` says so. */
export async function unindexSession(tx: Sql, key: number, keepTitle: boolean): Promise<void> {
  const first = placeOf(key, keepTitle ? 1 : 0);
  await tx.run('DELETE FROM search WHERE rowid >= ? AND rowid < ?', [first, placeOf(key + 1, 0)]);
}

function placeOf(key: number, seq: number): number {
  return key * placesPerSession + seq;
}

function searchableText(event: StoredEvent): string {
  if (event.type !== 'message') return '';
  const { message, origin } = event;
  if (message.role === 'assistant') return assistantText(message);
  return message.role === 'user' && isFromUser(origin) ? contentText(message.parts) : '';
}

async function toHit(sql: Sql, row: Row, query: string): Promise<SearchHit> {
  const seq = Number(row.place) % placesPerSession;
  const id = String(row.id);
  const title = String(row.title);
  const text = seq === 0 ? title : await textAt(sql, { key: Number(row.key), id, seq });
  return { session: id, title, cwd: String(row.cwd), seq, snippet: toSnippet(text, query) };
}

async function textAt(sql: Sql, { key, id, seq }: { key: number; id: string; seq: number }): Promise<string> {
  const query = 'SELECT seq, body FROM events WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT 1';
  const [row] = await sql.all(query, [key, seq]);
  try {
    const first = Number(row!.seq);
    return searchableText(decodeEvents(row!.body as Uint8Array, id, first)[seq - first]!);
  } catch {
    // Damaged since it was indexed; reading the session says so.
    return '';
  }
}

function toSnippet(text: string, query: string): string {
  const lower = text.toLowerCase();
  const words = query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const at = Math.max(0, ...words.slice(0, 1).map((word) => lower.indexOf(word)));
  const before = keepEnd(text.slice(0, at), 80);
  const after = keepStart(text.slice(at), 160);
  const line = `${before.dropped ? '…' : ''}${before.text}${after.text}${after.dropped ? '…' : ''}`;
  return line.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
