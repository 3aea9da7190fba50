import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rein-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs a module in a process of its own and returns what it prints. */
function runApart(code: string): string {
  const sqlite = JSON.stringify(join(import.meta.dirname, 'sql-sqlite.ts'));
  const script = `const { openSqlite } = await import(${sqlite});\n${code}`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
}

it('security E3: creates files and folders that are for their owner alone, whatever the umask', async () => {
  const home = join(newFolder(), 'home', 'deep');
  const file = join(home, 'rein.db');
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const sql = await openSqlite(file);
  await sql.run('CREATE TABLE kept (text TEXT)');
  const modes = readdirSync(home).map((name) => [name, (statSync(join(home, name)).mode & 0o777).toString(8)]);
  expect(modes.sort()).toEqual([
    ['rein.db', '600'],
    ['rein.db-shm', '600'],
    ['rein.db-wal', '600'],
  ]);
  for (const folder of [home, join(home, '..')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  await sql.close();
  expect(readdirSync(home)).toEqual(['rein.db']);
});

it('names a pipe or a device in the place of the file, and waits for neither', async () => {
  const folder = newFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const file of [join(folder, 'pipe'), '/dev/null']) {
    const params = { store: file, detail: 'not a regular file' };
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'E_STORE_OPEN', params });
  }
});

it('names a place where no database can be', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'plain'), 'a file');
  for (const file of [join(folder, 'plain', 'rein.db'), folder]) {
    const params = { store: file, detail: expect.any(String) };
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'E_STORE_OPEN', params });
  }
});

it('names a home where nothing may be written', async () => {
  const folder = newFolder();
  const home = join(folder, 'home');
  mkdirSync(home);
  await (await openSqlite(join(home, 'rein.db'))).close();
  chmodSync(folder, 0o755);
  chmodSync(home, 0o555);
  onTestFinished(() => chmodSync(home, 0o755));
  for (const name of ['rein.db', 'new.db']) {
    const file = JSON.stringify(join(home, name));
    // The superuser may write everywhere.
    const failure = runApart(`if (process.getuid?.() === 0) process.setuid(65534);
      await openSqlite(${file}).catch(({ code, params }) => console.log(code, params.store));`);
    expect(failure).toBe(`E_STORE_OPEN ${join(home, name)}`);
  }
});

it('loads the library when a database is opened, not before', () => {
  const output = runApart(`const loaded = () => process.moduleLoadList.includes('NativeModule sqlite');
    const before = loaded();
    await openSqlite(':memory:');
    console.log(before, loaded());`);
  expect(output).toBe('false true');
});

it('lets the process go on while somebody else writes', async () => {
  const file = join(newFolder(), 'rein.db');
  const [one, other] = [await openSqlite(file), await openSqlite(file, { powerSafe: true })];
  await one.run('CREATE TABLE kept (text TEXT)');
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const first = one.tx(async (tx) => {
    await tx.run('INSERT INTO kept (text) VALUES (?)', ['first']);
    await held;
  });
  const second = other.tx((tx) => tx.run('INSERT INTO kept (text) VALUES (?)', ['second']));
  letGo();
  await Promise.all([first, second]);
  expect((await one.all('SELECT text FROM kept ORDER BY rowid')).map(({ text }) => text)).toEqual(['first', 'second']);
  await one.close();
  await other.close();
});

it('shared transactions of one moment have one commit; where that fails, none is told that it is stored', async () => {
  const file = join(newFolder(), 'rein.db');
  const sql = await openSqlite(file);
  const other = await openSqlite(file);
  await sql.run('CREATE TABLE kept (text TEXT)');
  const insert = (text: string) =>
    sql.tx((tx) => tx.run('INSERT INTO kept (text) VALUES (?)', [text]), { shared: true });
  const wal = () => statSync(`${file}-wal`).size;
  const before = wal();
  await insert('0');
  const one = wal() - before;
  await Promise.all(['a', 'b', 'c'].map(insert));
  expect(wal() - before).toBe(2 * one);

  const [{ page_count: pages } = {}] = await sql.all('PRAGMA page_count');
  await sql.all(`PRAGMA max_page_count = ${pages}`);
  const ends = await Promise.allSettled([insert('d'), insert('x'.repeat(100_000)), insert('e')]);
  const told = ['d', 'x', 'e'].filter((_, at) => ends[at]!.status === 'fulfilled');
  const query = `SELECT substr(text, 1, 1) AS text FROM kept WHERE text > 'c' ORDER BY rowid`;
  expect((await other.all(query)).map(({ text }) => text)).toEqual(told);
  expect(ends[1]).toMatchObject({ status: 'rejected', reason: { code: 'E_STORE_FULL' } });
  await sql.close();
  await other.close();
});

it('waits for the disk at each commit when told to survive power loss', async () => {
  const modes = [];
  for (const powerSafe of [false, true]) {
    const sql = await openSqlite(join(newFolder(), 'rein.db'), { powerSafe });
    modes.push(
      (await sql.all('PRAGMA synchronous'))[0]?.synchronous,
      (await sql.all('PRAGMA journal_mode'))[0]?.journal_mode,
    );
    await sql.close();
  }
  expect(modes).toEqual([1, 'wal', 2, 'wal']);
});
