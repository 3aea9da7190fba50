import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../engine/ports.ts';
import { userText } from '../../protocol/message.ts';
import { newSession } from './__fixtures__/new-session.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore, type SessionStore } from './store.ts';

const at = { run: 'r', agent: 'main' } as const;
const said = (text: string, origin?: string): NewEvent => ({ ...at, type: 'message', message: userText(text), origin });
const usage = { input: 100, cacheRead: 20, cacheWrite: 3, output: 10 };
const turnEnd = { ...at, type: 'turn-end', model: 'm', usage, cost: 0.25, context: { used: 133 } } as const;

let store: SessionStore;
let time: number;
let gone: string[];

beforeEach(async () => {
  time = 1000;
  gone = [];
  let ids = 0;
  const sql = await openSqlite(':memory:');
  store = await openStore(sql, {
    clock: { now: () => time++ },
    newId: () => `s${++ids}`,
    onDelete: async (sessions) => void gone.push(...sessions),
  });
  onTestFinished(() => store.close());
});

describe('sessions', () => {
  it('begin with their start, and are listed newest first, by folder and tenant', async () => {
    const first = await store.createSession({ id: 'one', cwd: '/a', definition: 'main', tenant: 't' });
    await store.createSession({ id: 'two', cwd: '/b', definition: 'main' });
    expect(first).toEqual({
      id: 'one',
      title: '',
      cwd: '/a',
      definition: 'main',
      tenant: 't',
      created: 1000,
      updated: 1000,
      seq: 1,
    });
    expect(await Array.fromAsync(store.read('one'))).toEqual([
      {
        v: 1,
        session: 'one',
        seq: 1,
        time: 1000,
        ...at,
        run: '',
        type: 'session-start',
        cwd: '/a',
        definition: 'main',
      },
    ]);
    expect((await store.list()).map(({ id }) => id)).toEqual(['two', 'one']);
    const log = await store.claim('one');
    await log.append([said('hi')]);
    expect((await store.list()).map(({ id }) => id)).toEqual(['one', 'two']);
    expect((await store.list({ limit: 1 })).map(({ id }) => id)).toEqual(['one']);
    expect((await store.list({ cwd: '/b' })).map(({ id }) => id)).toEqual(['two']);
    expect((await store.list({ tenant: 't' })).map(({ id }) => id)).toEqual(['one']);
    expect(await store.list({ cwd: '/b', tenant: 't' })).toEqual([]);
  });

  it('have one id each, of plain characters', async () => {
    await store.createSession({ id: 'a-B_1', cwd: '/w', definition: 'main' });
    const again = store.createSession({ id: 'a-B_1', cwd: '/w', definition: 'main' });
    await expect(again).rejects.toMatchObject({ code: 'E_SESSION_EXISTS' });
    for (const id of ['', 'a.1', '../x', 'a b', 'a\0', 'ü', 'x'.repeat(101)]) {
      const wrong = store.createSession({ id, cwd: '/w', definition: 'main' });
      await expect(wrong, id).rejects.toMatchObject({ code: 'E_INPUT_FORMAT' });
    }
  });

  it('that are not there are named', async () => {
    expect(await store.info('nobody')).toBeUndefined();
    const missing = { code: 'E_SESSION_MISSING', params: { session: 'nobody' } };
    await expect(store.claim('nobody')).rejects.toMatchObject(missing);
    await expect(store.rename('nobody', 'x')).rejects.toMatchObject(missing);
    await expect(store.delete('nobody')).rejects.toMatchObject(missing);
    await expect(store.fork('nobody')).rejects.toMatchObject(missing);
    await expect(store.deliver('nobody', { kind: 'abort', id: 'a' })).rejects.toMatchObject(missing);
    await expect(Array.fromAsync(store.read('nobody'))).rejects.toMatchObject(missing);
    await expect(Array.fromAsync(store.export('nobody'))).rejects.toMatchObject(missing);
  });
});

describe('titles', () => {
  const cases: [string, string][] = [
    ['Fix the bug', 'Fix the bug'],
    ['  two\n\nlines\tand more ', 'two lines and more'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    ['语'.repeat(41), `${'语'.repeat(39)}…`],
    ['👩‍👩‍👧‍👦'.repeat(41), `${'👩‍👩‍👧‍👦'.repeat(39)}…`],
    [`${'é'.normalize('NFD').repeat(90)}`, `${'é'.normalize('NFD').repeat(79)}…`],
    ['a\u001b[31mb\0c\ud800', 'a [31mb c\ufffd'],
  ];
  for (const [text, title] of cases) {
    it(`are what the user first said: ${JSON.stringify(text.slice(0, 20))}`, async () => {
      const id = await newSession(
        store,
        said('environment', 'opening'),
        turnEnd,
        said(' \n'),
        said(text),
        said('later'),
      );
      expect((await store.info(id))?.title).toBe(title);
    });
  }

  it('stay as given', async () => {
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    await store.rename(id, 'Given\nby me');
    await log.append([said('first words')]);
    expect((await store.info(id))?.title).toBe('Given by me');
  });
});

describe('a log in the hands of its runner', () => {
  it('orders appends that are made at the same time', async () => {
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const stored = await Promise.all(Array.from({ length: 10 }, (_, index) => log.append([said(`${index}`), turnEnd])));
    expect(stored.flat().map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
    expect(await Array.fromAsync(store.read(id, { after: 1 }))).toEqual(stored.flat());
    expect(await Array.fromAsync(store.read(id, { after: 4, limit: 3 }))).toEqual(stored.flat().slice(3, 6));
  });

  it('is refused once it was given up', async () => {
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    expect(await log.release()).toBe(true);
    await expect(log.append([said('late')])).rejects.toMatchObject({ code: 'E_SESSION_FENCED' });
    expect((await store.claim(id)).epoch).toBe(log.epoch + 1);
  });

  it('stops waiting for its inbox when the signal says so', async () => {
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    await log.inbox();
    const stop = new AbortController();
    const arrival = log.inboxArrival(stop.signal);
    stop.abort(new Error('enough'));
    await expect(arrival).rejects.toThrow('enough');
    await expect(log.inboxArrival(stop.signal)).rejects.toThrow('enough');
  });

  it('reads logs of many pages', async () => {
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    for (let turn = 0; turn < 450; turn++) await log.append([turnEnd, turnEnd]);
    const seqs = (await Array.fromAsync(store.read(id))).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 901 }, (_, index) => index + 1));
  });
});

describe('deleting', () => {
  it('keeps what forks need, cut inside an append too, and forgets the rest', async () => {
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const child = (number: number, callId: string) => ({
      id: `${id}.${number}`,
      cwd: '/w',
      definition: 'general',
      callId,
    });
    await log.append([said('shared'), said('cut')], { children: [child(1, 'c1')] });
    await log.append([said('more')], { children: [child(2, 'c2')] });
    const early = await store.fork(id, 2);
    const late = await store.fork(id, 3);
    await log.append([said('gone')], { children: [child(3, 'c3')] });
    await log.release();
    const before = [await Array.fromAsync(store.read(early)), await Array.fromAsync(store.read(late))];
    expect((await store.search('shared')).map(({ session, seq }) => [session, seq])).toEqual([[id, 2]]);

    await store.delete(id);
    expect([await Array.fromAsync(store.read(early)), await Array.fromAsync(store.read(late))]).toEqual(before);
    expect((await store.list({ children: true })).map((found) => found.id).sort()).toEqual(
      [`${id}.1`, early, late].sort(),
    );
    expect((await store.listChildren(late)).map((found) => found.id)).toEqual([`${id}.1`]);
    expect((await store.info(early))?.forkOf).toEqual({ session: late, seq: 2 });
    expect((await store.search('shared')).map(({ session, seq }) => [session, seq])).toEqual([[late, 2]]);
    expect(await store.search('gone')).toEqual([]);

    await store.delete(late);
    expect(await Array.fromAsync(store.read(early))).toEqual(before[0]);
    await store.delete(early);
    expect(await store.list({ children: true })).toEqual([]);
    expect(await store.search('shared')).toEqual([]);
  });
});

describe('what belongs to a deleted session', () => {
  const deleted = async (id: string) => {
    gone = [];
    await store.delete(id);
    return gone.sort();
  };

  it('goes with the last fork that goes on from it, whichever that is', async () => {
    for (const last of ['early', 'late'] as const) {
      const root = await newSession(store, said('one'), said('two'));
      const early = await store.fork(root, 2);
      const late = await store.fork(root, 3);
      expect(await deleted(root)).toEqual([]);
      // Of a fork that goes, nothing of its own is needed by the other.
      const [first, then] = last === 'early' ? [late, early] : [early, late];
      expect(await deleted(first)).toEqual([first]);
      expect(await deleted(then)).toEqual([root, then].sort());
    }
  });

  it('stays along a chain of forks exactly as long as something of its own events is there', async () => {
    const root = await newSession(store, said('one'), said('two'));
    const fork = await store.fork(root);
    const log = await store.claim(fork);
    await log.append([said('three')]);
    await log.release();
    const deep = await store.fork(fork);
    const shallow = await store.fork(deep, 2);
    expect(await deleted(root)).toEqual([]);
    expect(await deleted(fork)).toEqual([]);
    // Only the root's events go on.
    expect(await deleted(deep)).toEqual([deep, fork].sort());
    expect((await Array.fromAsync(store.read(shallow))).map(({ type }) => type)).toEqual([
      'session-start',
      'message',
      'session-start',
    ]);
    expect(await deleted(shallow)).toEqual([root, shallow].sort());
  });

  it('goes at once where no fork is, with what its children had', async () => {
    const root = await newSession(store, said('one'));
    const child = await store.createSession({
      cwd: '/w',
      definition: 'general',
      parent: { session: root, callId: 'c' },
    });
    const copy = await store.fork(root);
    expect(await deleted(copy)).toEqual([copy]);
    expect(await deleted(root)).toEqual([root, child.id].sort());
  });
});

describe('usage', () => {
  it('sums turns and finished children, and what a fork inherits only once', async () => {
    const child = { ...at, type: 'tool-call-end', callId: 'c', status: 'ok', content: [], usage, cost: 1 } as const;
    const node = { ...at, type: 'plan-update', node: 'planner', patch: {}, usage, cost: 0.5 } as const;
    const id = await newSession(store, turnEnd, turnEnd, child, node, { ...child, usage: undefined, cost: undefined });
    const sum = { input: 400, cacheRead: 80, cacheWrite: 12, output: 40 };
    expect(await store.usage(id)).toEqual({ usage: sum, cost: 2, turns: 2 });
    const fork = await store.fork(id);
    expect(await store.usage(fork)).toMatchObject({ cost: 0, turns: 0 });
  });
});
