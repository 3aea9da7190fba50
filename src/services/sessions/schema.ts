/** The tables, and how older ones become today's. */
import { ReinError } from '../../protocol/errors.ts';
import type { Dialect, Sql } from './sql.ts';

/** Each step is one version; a step that was released is never edited. */
const migrations: readonly ((dialect: Dialect) => readonly string[])[] = [
  ({ integer, bytes, risingKey, search }) => [
    `CREATE TABLE sessions (
      key ${risingKey},
      id TEXT NOT NULL UNIQUE,
      title TEXT NOT NULL,
      cwd TEXT NOT NULL,
      definition TEXT NOT NULL,
      tenant TEXT,
      parent ${integer},
      parent_seq ${integer},
      fork_of ${integer},
      fork_seq ${integer},
      created ${integer} NOT NULL,
      updated ${integer} NOT NULL,
      seq ${integer} NOT NULL,
      owner TEXT,
      epoch ${integer} NOT NULL,
      indexed ${integer} NOT NULL
    )`,
    'CREATE INDEX sessions_parent ON sessions (parent)',
    'CREATE INDEX sessions_fork ON sessions (fork_of)',
    // A row holds the events of one append; `seq` is its first one's.
    `CREATE TABLE events (
      session ${integer} NOT NULL,
      seq ${integer} NOT NULL,
      body ${bytes} NOT NULL,
      PRIMARY KEY (session, seq)
    )`,
    // A row whose body is NULL was taken; it stays so that its id and its answer count once.
    `CREATE TABLE inbox (
      key ${risingKey},
      session ${integer} NOT NULL,
      id TEXT NOT NULL,
      interrupt TEXT,
      body ${bytes},
      UNIQUE (session, id),
      UNIQUE (session, interrupt)
    )`,
    'CREATE INDEX inbox_waiting ON inbox (session) WHERE body IS NOT NULL',
    search.create,
  ],
  // Whose files go when a session goes that took over events of deleted ones; see fork.ts.
  () => ['ALTER TABLE sessions ADD COLUMN inherited TEXT'],
  // Text that many prompts share; see prompts.ts.
  ({ bytes }) => [
    `CREATE TABLE prompts (hash ${bytes} NOT NULL PRIMARY KEY, body ${bytes} NOT NULL)`,
    `ALTER TABLE events ADD COLUMN prompt ${bytes}`,
    'CREATE INDEX events_prompt ON events (prompt) WHERE prompt IS NOT NULL',
  ],
];

const schemaVersion = migrations.length;

/**
 * Brings the tables up to date. Throws `E_STORE_VERSION` for a database that a newer version has written, and
 * `E_STORE_CORRUPT` for one that has lost its version; changes nothing in either.
 */
export async function migrate(sql: Sql): Promise<void> {
  await sql.run(`CREATE TABLE IF NOT EXISTS schema_version (version ${sql.dialect.integer} NOT NULL)`);
  const before = await readVersion(sql);
  if (before === schemaVersion) return;
  // Another process that makes the tables just now writes the version with them.
  if (before === 0 && (await hasSessions(sql)) && (await readVersion(sql)) === 0) {
    throw new ReinError('E_STORE_CORRUPT', { store: sql.place, detail: 'the version of its tables is gone' });
  }
  await sql.tx(async (tx) => {
    // Another process may have been faster.
    const found = await readVersion(tx);
    if (found > schemaVersion) {
      throw new ReinError('E_STORE_VERSION', { store: sql.place, found, known: schemaVersion });
    }
    for (const step of migrations.slice(found)) {
      for (const statement of step(sql.dialect)) await tx.run(statement);
    }
    await tx.run('DELETE FROM schema_version');
    await tx.run('INSERT INTO schema_version (version) VALUES (?)', [schemaVersion]);
  });
}

async function hasSessions(sql: Sql): Promise<boolean> {
  return sql.all('SELECT 1 AS found FROM sessions LIMIT 1').then(
    () => true,
    () => false,
  );
}

async function readVersion(sql: Sql): Promise<number> {
  const [row] = await sql.all('SELECT version FROM schema_version');
  return Number(row?.version ?? 0);
}
