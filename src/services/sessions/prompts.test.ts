import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../engine/ports.ts';
import { userText } from '../../protocol/message.ts';
import { newSession } from './__fixtures__/new-session.ts';
import type { Sql } from './sql.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore, type SessionStore } from './store.ts';

const at = { run: 'r', agent: 'main' } as const;
const said: NewEvent = { ...at, type: 'message', message: userText('hello') };
const promptOf = (text: string): NewEvent => ({
  ...at,
  type: 'prompt',
  sections: [{ name: 'base', text, hash: 'h' }],
  tools: [{ name: 'ls', description: 'Lists.', input: { type: 'object' } }],
});

let sql: Sql;
let store: SessionStore;
let warnings: unknown[];

beforeEach(async () => {
  warnings = [];
  let ids = 0;
  sql = await openSqlite(':memory:');
  store = await openStore(sql, {
    clock: { now: () => 1 },
    newId: () => `s${++ids}`,
    onWarning: (warning) => warnings.push(warning),
  });
  onTestFinished(() => store.close());
});

const eventsOf = async (id: string) => (await Array.fromAsync(store.read(id))).slice(1);
const stored = (session: string, ...events: NewEvent[]) =>
  events.map((event, index) => ({ v: 1, session, seq: index + 2, time: 1, ...event }));
const texts = async () => (await sql.all('SELECT body FROM prompts')).length;

it('keeps a text that many sessions begin with once, and each session has it whole', async () => {
  const long = promptOf('You are Rein. '.repeat(1000));
  const [first, second] = [await newSession(store, said, long, said), await newSession(store, long)];
  const other = await newSession(store, promptOf('Another.'), said);
  expect(await texts()).toBe(2);
  expect(await eventsOf(first)).toEqual(stored(first, said, long, said));
  expect(await eventsOf(second)).toEqual(stored(second, long));
  expect(await eventsOf(other)).toEqual(stored(other, promptOf('Another.'), said));
  const [row] = await sql.all('SELECT MAX(LENGTH(body)) AS size FROM events');
  expect(row?.size).toBeLessThan(500);
});

it('has two prompts of one append, and those of a row that begins before what is asked for', async () => {
  const id = await newSession(store, said, promptOf('a'), promptOf('b'), said);
  expect(await eventsOf(id)).toEqual(stored(id, said, promptOf('a'), promptOf('b'), said));
  const [third] = await Array.fromAsync(store.read(id, { after: 2, limit: 1 }));
  expect(third).toEqual(stored(id, said, promptOf('a'))[1]);
});

it('goes with the last session that needs it, forks included', async () => {
  const prompt = promptOf('shared');
  const [first, second] = [await newSession(store, prompt, said), await newSession(store, prompt)];
  const fork = await store.fork(first, 2);
  for (const id of [first, second]) {
    await store.delete(id);
    expect(await texts()).toBe(1);
  }
  expect((await eventsOf(fork))[0]).toEqual({ ...stored(fork, prompt)[0] });
  await store.delete(fork);
  expect(await texts()).toBe(0);
});

it('comes with an export, and into another store with an import', async () => {
  const id = await newSession(store, said, promptOf('shared'), said);
  const lines = await Array.fromAsync(store.export(id));
  await store.delete(id);
  const copy = await store.import(
    lines.map((line) => Buffer.from(line)),
    { file: 'f', cwd: '/w' },
  );
  expect(await eventsOf(copy)).toEqual(stored(copy, said, promptOf('shared'), said));
  expect([await texts(), warnings]).toEqual([1, []]);
});

it('takes nothing else with it when it is lost or damaged', async () => {
  const id = await newSession(store, said, promptOf('shared'), said);
  for (const change of ["UPDATE prompts SET body = x'00'", 'DELETE FROM prompts']) {
    await sql.run(change);
    expect((await eventsOf(id)).map(({ seq, type }) => [seq, type])).toEqual([
      [2, 'message'],
      [4, 'message'],
    ]);
  }
  const warning = (detail: string) => ({
    code: 'E_SESSION_EVENT_UNREADABLE',
    params: { store: ':memory:', session: id, seq: 3, detail },
  });
  expect(warnings).toMatchObject([warning(expect.any(String)), warning('its prompt is missing')]);
});

it('reads what an older version stored in one piece', async () => {
  const id = await newSession(store, said);
  const old = JSON.stringify([{ time: 1, ...promptOf('inline') }]);
  await sql.run('INSERT INTO events (session, seq, body) SELECT key, 3, ? FROM sessions', [Buffer.from(old)]);
  await sql.run('UPDATE sessions SET seq = 3');
  expect(await eventsOf(id)).toEqual(stored(id, said, promptOf('inline')));
});
