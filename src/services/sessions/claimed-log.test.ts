import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../engine/ports.ts';
import type { InboxItem } from '../../protocol/session.ts';
import type { ClaimedLog } from './claimed-log.ts';
import type { Sql } from './sql.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore, type SessionStore } from './store.ts';

const start: NewEvent = { run: 'r', agent: 'main', type: 'run-start', driver: 'react', model: 'm' };
const prompt: InboxItem = { id: 'p', kind: 'prompt', mode: 'steer', parts: [{ type: 'text', text: 'look here' }] };

let store: SessionStore;
let parent: ClaimedLog;

beforeEach(async () => {
  store = await openStore(await openSqlite(':memory:'), { clock: { now: () => 1 }, newId: () => 's' });
  onTestFinished(() => store.close());
  await store.createSession({ cwd: '/w', definition: 'main' });
  parent = await store.claim('s');
  await parent.append([start], { children: [{ id: 's.1', cwd: '/w', definition: 'executor', callId: 'c' }] });
});

it('takes over a child once, with what is in its log and an inbox that nobody has written to', async () => {
  const newborn = parent.adopt('s.1');
  expect(newborn?.events).toEqual(await Array.fromAsync(store.read('s.1')));
  expect(newborn?.log.inboxPending).toBe(false);
  expect(parent.adopt('s.1')).toBeUndefined();
});

it('notices what is sent to a child before it is taken over', async () => {
  await store.deliver('s.1', prompt);
  const newborn = parent.adopt('s.1');
  expect(newborn?.log.inboxPending).toBe(true);
  expect(await newborn?.log.inbox()).toEqual([prompt]);
});

/** Writes down what is asked of a database: transactions, and statements by their first words. */
function observed(sql: Sql, seen: string[]): Sql {
  const noted = (text: string) => {
    seen.push(text.trim().split(/\s+/, 3).join(' '));
    return text;
  };
  return {
    dialect: sql.dialect,
    place: sql.place,
    all: (text, params) => sql.all(noted(text), params),
    run: (text, params) => sql.run(noted(text), params),
    tx(work, options) {
      noted('BEGIN');
      return sql.tx((inner) => work(observed(inner, seen)), options);
    },
    close: () => sql.close(),
  };
}

it('an append is one transaction of two statements, whatever its events', async () => {
  const seen: string[] = [];
  const sql = observed(await openSqlite(':memory:'), seen);
  const own = await openStore(sql, { clock: { now: () => 1 }, newId: () => 's' });
  onTestFinished(() => own.close());
  await own.createSession({ cwd: '/w', definition: 'main' });
  const log = await own.claim('s');
  const end: NewEvent = { run: 'r', agent: 'main', type: 'tool-call-end', callId: 'c', status: 'ok', content: [] };
  for (const events of [[start], [end, end, end]]) {
    seen.length = 0;
    await log.append(events);
    expect(seen).toEqual(['BEGIN', 'UPDATE sessions SET', 'INSERT INTO events']);
  }
});

it('security M4: of appends that are committed together, only that of the runner who lost its session is refused', async () => {
  const logs: ClaimedLog[] = [];
  for (const id of ['a', 'b', 'c']) logs.push((await store.beginSession({ id, cwd: '/w', definition: 'main' })).log);
  const taken = await store.claim('b', { takeOver: true });
  const ends = await Promise.allSettled(logs.map((log) => log.append([start])));
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value[0]?.seq : end.reason.code))).toEqual([
    2,
    'E_SESSION_FENCED',
    2,
  ]);
  const types = async (id: string) => (await Array.fromAsync(store.read(id))).map(({ type }) => type);
  expect(await types('a')).toEqual(['session-start', 'run-start']);
  expect(await types('b')).toEqual(['session-start']);
  expect((await taken.append([start]))[0]?.seq).toBe(2);
});

it('is asked for once, until something arrives; what was taken is left out', async () => {
  const { log } = await store.beginSession({ id: 'new', cwd: '/w', definition: 'main' });
  expect([log.inboxPending, await log.inbox()]).toEqual([false, []]);
  const second = { ...prompt, id: 'q' };
  await store.deliver('new', prompt);
  await store.deliver('new', second);
  expect(await Promise.all([log.inbox(), log.inbox()])).toEqual([
    [prompt, second],
    [prompt, second],
  ]);
  await log.append([start], { taken: ['p'] });
  expect([log.inboxPending, await log.inbox()]).toEqual([false, [second]]);
});

it('begins a session for its runner as if it had been made, claimed and read', async () => {
  const begun = await store.beginSession({ id: 'new', cwd: '/w', definition: 'main' });
  expect(begun.events).toEqual(await Array.fromAsync(store.read('new')));
  await expect(store.claim('new', { takeOver: true })).resolves.toMatchObject({ epoch: 2, seq: 1 });
  await expect(begun.log.append([start])).rejects.toMatchObject({ code: 'E_SESSION_FENCED' });
  await expect(store.beginSession({ id: 'new', cwd: '/w', definition: 'main' })).rejects.toMatchObject({
    code: 'E_SESSION_EXISTS',
  });
});

describe('the append that ends the run of a child', () => {
  const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  const end: NewEvent = { run: 'r', agent: 'main', type: 'run-end', stop: 'completed', usage, cost: 0 };

  it('gives it up', async () => {
    const { log } = parent.adopt('s.1')!;
    log.releaseWithRun();
    await log.append([start]);
    await log.append([end]);
    await expect(log.append([start])).rejects.toMatchObject({ code: 'E_SESSION_FENCED' });
    await store.delete('s.1');
    expect(await log.release()).toBe(true);
  });

  it('keeps it when something waits in the inbox', async () => {
    const { log } = parent.adopt('s.1')!;
    log.releaseWithRun();
    await log.append([start]);
    await store.deliver('s.1', prompt);
    await log.append([end]);
    expect(await log.inbox()).toEqual([prompt]);
    await log.append([start, end], { taken: ['p'] });
    await expect(store.delete('s.1')).rejects.toMatchObject({ code: 'E_SESSION_BUSY' });
    await log.append([start, end]);
    await store.delete('s.1');
  });
});
