import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { storeSuite } from '../../testing/store-suite.ts';
import { openSqlite } from './sql-sqlite.ts';

storeSuite(
  'SQLite',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rein-store-'));
    return {
      connect: () => openSqlite(join(folder, 'rein.db')),
      remove: async () => rmSync(folder, { recursive: true }),
    };
  },
  { describe, it },
);
