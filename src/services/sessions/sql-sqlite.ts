/** SQLite, as built into Node. The library is loaded when a database is opened, not before. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { type ErrorCode, ReinError } from '../../protocol/errors.ts';
import type { Dialect, Row, Sql, SqlValue, TxOptions } from './sql.ts';

/** Older ones may lose commits when several processes write: a race while the write-ahead log starts anew. */
const oldestVersion = '3.51.3';
/** Milliseconds to wait for somebody else's transaction. */
const patience = 10_000;

export interface SqliteOptions {
  /** Survive power loss too, not just the end of the process; each commit then waits for the disk. */
  readonly powerSafe?: boolean;
}

const dialect: Dialect = {
  integer: 'INTEGER',
  bytes: 'BLOB',
  risingKey: 'INTEGER PRIMARY KEY',
  changeQuery: 'PRAGMA data_version',
  search: {
    create: `CREATE VIRTUAL TABLE search USING fts5(terms, content='', contentless_delete=1, tokenize='unicode61')`,
    document: '?',
    match: 'search MATCH ?',
    toQuery: (phrases) =>
      phrases
        .map(({ terms, prefix }) => `"${terms.join(' ').replaceAll('"', '""')}"${prefix ? '*' : ''}`)
        .join(' AND '),
  },
};

/**
 * Opens a database file, and creates it (0600, in a folder of 0700) where it is missing. `:memory:` is a database
 * that ends with the connection. Throws `E_STORE_OPEN` where that cannot be, `E_STORE_CORRUPT` for a damaged file,
 * which is left as it is.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Sql> {
  const { DatabaseSync } = await import('node:sqlite');
  let db: DatabaseSync | undefined;
  try {
    if (file !== ':memory:') createPrivately(file);
    // SQLite itself would wait with the whole process standing still: see `patiently`.
    db = new DatabaseSync(file, { timeout: 0 });
    const opened = db;
    await patiently(() => requireVersion(opened));
    await patiently(() => opened.exec('PRAGMA journal_mode = WAL'));
    await patiently(() => opened.exec(`PRAGMA synchronous = ${options.powerSafe ? 'FULL' : 'NORMAL'}`));
    return new Sqlite(file, db);
  } catch (error) {
    if (db?.isOpen) db.close();
    throw toStoreError(error, file, 'E_STORE_OPEN');
  }
}

/** A transaction that waits. */
interface Member {
  work(sql: Sql): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

class Sqlite implements Sql {
  readonly dialect = dialect;
  readonly place: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Settles when the connection is free: a transaction keeps other statements out. */
  #tail: Promise<unknown> = Promise.resolve();
  /** Transactions that will share a commit: when the event loop comes round, or before another statement. */
  readonly #group: Member[] = [];
  #soon: NodeJS.Immediate | undefined;
  readonly #inside: Sql;

  constructor(place: string, db: DatabaseSync) {
    this.place = place;
    this.#db = db;
    this.#inside = {
      dialect,
      place,
      all: async (text, params = []) => this.#all(text, params),
      run: async (text, params = []) => this.#run(text, params),
      tx: (work) => work(this.#inside),
      close: () => this.close(),
    };
  }

  all(text: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#alone(() => patiently(() => this.#all(text, params)));
  }

  run(text: string, params: readonly SqlValue[] = []): Promise<{ changes: number }> {
    return this.#alone(() => patiently(() => this.#run(text, params)));
  }

  tx<T>(work: (sql: Sql) => Promise<T>, { shared = false }: TxOptions = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#group.push({ work, resolve: resolve as Member['resolve'], reject });
    if (shared) this.#soon ??= setImmediate(() => this.#commitGroup());
    else this.#commitGroup();
    return promise;
  }

  #commitGroup(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    const group = this.#group.splice(0);
    if (group.length > 0) this.#tail = this.#tail.then(() => this.#commit(group));
  }

  /** Each is done or undone by itself, and hears of it when all are on disk. Throws nothing. */
  async #commit(group: readonly Member[]): Promise<void> {
    const ends: (() => void)[] = [];
    try {
      await patiently(() => this.#run('BEGIN IMMEDIATE', []));
      for (const { work, resolve, reject } of group) {
        if (group.length > 1) this.#run('SAVEPOINT member', []);
        try {
          const result = await work(this.#inside);
          ends.push(() => resolve(result));
        } catch (error) {
          // A full disk has undone all by itself.
          if (group.length === 1 || !this.#db.isTransaction) throw error;
          this.#run('ROLLBACK TO member', []);
          ends.push(() => reject(error));
        }
        if (group.length > 1) this.#run('RELEASE member', []);
      }
      this.#run('COMMIT', []);
    } catch (error) {
      if (this.#db.isTransaction) this.#run('ROLLBACK', []);
      for (const { reject } of group) reject(error);
      return;
    }
    for (const end of ends) end();
  }

  close(): Promise<void> {
    return this.#alone(async () => {
      this.#statements.clear();
      if (this.#db.isOpen) this.#db.close();
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#commitGroup();
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => {});
    return result;
  }

  #all(text: string, params: readonly SqlValue[]): Row[] {
    return this.#mapped(() => this.#prepare(text).all(...params) as unknown as Row[]);
  }

  #run(text: string, params: readonly SqlValue[]): { changes: number } {
    return this.#mapped(() => ({ changes: Number(this.#prepare(text).run(...params).changes) }));
  }

  #mapped<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toStoreError(error, this.place, 'E_STORE_FAILED');
    }
  }

  #prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Whoever opens a pipe waits, perhaps for ever.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('not a regular file');
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

function requireVersion(db: DatabaseSync): void {
  const version = String(db.prepare('SELECT sqlite_version() AS version').get()?.version);
  if (toNumber(version) < toNumber(oldestVersion)) {
    throw new Error(`SQLite ${version} is too old, ${oldestVersion} is needed`);
  }
}

/** Versions as numbers in the same order. The comparison of texts by a language takes 15 ms to load. */
function toNumber(version: string): number {
  return version.split('.').reduce((number, part) => number * 1000 + Number(part), 0);
}

/**
 * Tries until nobody else writes, at most for a while. The process goes on meanwhile; it may well be the one that is
 * waited for, over another connection.
 */
async function patiently<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + patience;
  for (let delay = 1; ; delay = Math.min(delay * 2, 25)) {
    try {
      return work();
    } catch (error) {
      const cause = ReinError.is(error) ? error.cause : error;
      if (primaryCode(cause) !== sqliteBusy || performance.now() > deadline) throw error;
      // Uneven steps, so that two who wait do not stay in step.
      await setTimeout(delay * (0.5 + Math.random()));
    }
  }
}

const sqliteBusy = 5;
const codes: Readonly<Record<number, ErrorCode>> = { 11: 'E_STORE_CORRUPT', 13: 'E_STORE_FULL', 26: 'E_STORE_CORRUPT' };
/** The shared index beside the write-ahead log could not grow. */
const noRoomForIndex = 4874;

function toStoreError(error: unknown, file: string, otherwise: ErrorCode): ReinError {
  if (ReinError.is(error)) return error;
  const code = (error as { errcode?: number }).errcode;
  const known = code === noRoomForIndex ? 'E_STORE_FULL' : codes[primaryCode(error)];
  const detail = error instanceof Error ? error.message : String(error);
  return new ReinError(known ?? otherwise, { store: file, detail }, error);
}

/** SQLite's code without its details; 0 for other errors. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}
