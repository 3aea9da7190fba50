/** Tables that say what cannot be. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../testing/time.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore } from './store.ts';

const open = async (file = join(mkdtempSync(join(tmpdir(), 'rein-tables-')), 'rein.db')) => {
  const sql = await openSqlite(file);
  return { file, sql, store: await openStore(sql, { clock: createFakeClock(), newId: () => crypto.randomUUID() }) };
};

it('names a database that has lost the version of its tables, and changes nothing', async () => {
  const { file, sql } = await open();
  await sql.run('DELETE FROM schema_version');
  await expect(open(file)).rejects.toMatchObject({ code: 'E_STORE_CORRUPT', params: { store: file } });
  expect(await sql.all('SELECT version FROM schema_version')).toEqual([]);
});

it.each([1, 2])('a session that goes on from itself, over %s rows, is read to its end', async (rows) => {
  const { sql, store } = await open();
  const ids: string[] = [];
  for (let n = 0; n < rows; n++) ids.push((await store.createSession({ cwd: '/w', definition: 'main' })).id);
  const found = await sql.all('SELECT key FROM sessions ORDER BY key');
  for (const [n, { key }] of found.entries()) {
    await sql.run('UPDATE sessions SET fork_of = ?, fork_seq = 1 WHERE key = ?', [
      Number(found[(n + 1) % rows]!.key),
      Number(key),
    ]);
  }
  expect((await Array.fromAsync(store.read(ids[0]!))).length).toBeLessThanOrEqual(rows);
  expect(await store.fork(ids[0]!)).toEqual(expect.any(String));
});
