/**
 * The one port to a database. A database is one file that implements it; all SQL above it is written once, in the
 * part of the language that the databases share, with `?` for parameters. What differs is named in the dialect.
 */

import type { TermPhrase } from '../../lib/search-terms.ts';

/** Integers travel as numbers, bytes as `Uint8Array`. Text holds no NUL and no lone surrogate. */
export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

/** The words in which databases differ. */
export interface Dialect {
  /** Type of an integer of 53 bits. */
  readonly integer: string;
  /** Type of bytes. */
  readonly bytes: string;
  /** Type, with constraint, of a key that the database gives out in rising order. */
  readonly risingKey: string;
  /** A query of one value that changes when others change the database; absent where there is none. */
  readonly changeQuery?: string;
  /** Full-text search over a table `search` with an integer `rowid` and a column `terms`, which need not be readable. */
  readonly search: {
    /** Creates the table. */
    readonly create: string;
    /** Expression that makes a value for `terms` of one parameter: terms separated by blanks. */
    readonly document: string;
    /** Condition that is true where `terms` matches one parameter, made by `toQuery`. */
    readonly match: string;
    /** All phrases must be there. */
    toQuery(phrases: readonly TermPhrase[]): string;
  };
}

export interface TxOptions {
  /**
   * May wait for others that are asked for in the same go of the event loop, and be committed together with them: most
   * of what a small transaction costs is its commit. Each still fails by itself.
   */
  readonly shared?: boolean;
}

/**
 * Statements of one connection, prepared once by their text. All errors are `ReinError`s: `E_STORE_CORRUPT` (the
 * database is damaged), `E_STORE_FULL` (no room left), `E_STORE_FAILED` (all else), each with the place as `store`.
 */
export interface Sql {
  readonly dialect: Dialect;
  /** Where the database is, for messages: a path, or an address without secrets. */
  readonly place: string;
  /** Runs a query; rows in its order. */
  all(text: string, params?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs a statement; `changes` is the number of rows it inserted, updated or deleted. */
  run(text: string, params?: readonly SqlValue[]): Promise<{ readonly changes: number }>;
  /**
   * Runs `work` in a transaction that holds the right to write from its start; commits when `work` resolves, rolls
   * back when it rejects. Statements of others wait. `work` must use the `Sql` it is given, and await nothing else.
   */
  tx<T>(work: (sql: Sql) => Promise<T>, options?: TxOptions): Promise<T>;
  /** Ends the connection. Calling it twice is fine. */
  close(): Promise<void>;
}
