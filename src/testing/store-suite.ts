/** What every database behind the store must do. Run it with any test runner that has `describe` and `it`. */
import type { Sql } from '../services/sessions/sql.ts';
import { logCases } from './store/log-cases.ts';
import { runnerCases } from './store/runner-cases.ts';
import { sqlCases } from './store/sql-cases.ts';

/** A new, empty database. */
export interface TestDatabase {
  /** A connection of its own; several see the same data. */
  connect(): Promise<Sql>;
  /** Called after the case; its connections are closed then. */
  remove(): Promise<void>;
}

export interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
}

/** Registers the cases for one kind of database. */
export function storeSuite(name: string, open: () => Promise<TestDatabase>, { describe, it }: TestRunner): void {
  describe(name, () => {
    for (const [title, run] of Object.entries({ ...sqlCases, ...runnerCases, ...logCases })) {
      it(title, async () => {
        const database = await open();
        const connections: Sql[] = [];
        try {
          await run(async () => {
            const sql = await database.connect();
            connections.push(sql);
            return sql;
          });
        } finally {
          for (const sql of connections) await sql.close();
          await database.remove();
        }
      });
    }
  });
}
