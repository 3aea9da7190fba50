/** What every database behind the store must do. Run it with any test runner that has `describe` and `it`. */
import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
import type { NewEvent } from '../engine/ports.ts';
import type { ReinError } from '../protocol/errors.ts';
import type { StoredEvent } from '../protocol/event.ts';
import { userText } from '../protocol/message.ts';
import type { Sql, SqlValue } from '../services/sessions/sql.ts';
import { openStore, type SessionStore } from '../services/sessions/store.ts';

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

type Case = (connect: () => Promise<Sql>) => Promise<void>;

/** Registers the cases for one kind of database. */
export function storeSuite(name: string, open: () => Promise<TestDatabase>, { describe, it }: TestRunner): void {
  describe(name, () => {
    for (const [title, run] of Object.entries({ ...portCases, ...storeCases })) {
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

const portCases: Record<string, Case> = {
  async 'keeps values as they are'(connect) {
    const sql = await connect();
    const { integer, bytes } = sql.dialect;
    await sql.run(`CREATE TABLE kept (place ${integer}, number ${integer}, text TEXT, bytes ${bytes})`);
    const rows: SqlValue[][] = [
      [0, 0, '', new Uint8Array()],
      [1, 2 ** 31 + 1, 'it\'s "quoted" ? $1 \\ \u2028', new Uint8Array([0, 255, 39])],
      [2, Number.MAX_SAFE_INTEGER, '𠮷 é \u0001', new Uint8Array(100_000).fill(7)],
      [3, -(2 ** 40), null, null],
    ];
    for (const row of rows) {
      const { changes } = await sql.run('INSERT INTO kept (place, number, text, bytes) VALUES (?, ?, ?, ?)', row);
      equal(changes, 1);
    }
    const found = await sql.all('SELECT place, number, text, bytes FROM kept ORDER BY place');
    const plain = found.map(({ place, number, text, bytes }) => [
      place,
      number,
      text,
      bytes && new Uint8Array(bytes as Uint8Array),
    ]);
    deepEqual(plain, rows);
  },

  async 'undoes a transaction that fails, also the tables it made'(connect) {
    const sql = await connect();
    await sql.run('CREATE TABLE kept (text TEXT)');
    const failure = new Error('no');
    const failing = sql.tx(async (tx) => {
      await tx.run('INSERT INTO kept (text) VALUES (?)', ['gone']);
      await tx.run('CREATE TABLE gone (text TEXT)');
      throw failure;
    });
    await rejects(failing, failure);
    deepEqual(await sql.all('SELECT text FROM kept'), []);
    await rejects(sql.all('SELECT text FROM gone'), { code: 'E_STORE_FAILED' });
  },

  async 'keeps other statements out of a transaction'(connect) {
    const sql = await connect();
    await sql.run('CREATE TABLE kept (text TEXT)');
    const transaction = sql.tx(async (tx) => {
      await tx.run('INSERT INTO kept (text) VALUES (?)', ['first']);
      await tx.all('SELECT text FROM kept');
      throw new Error('undone');
    });
    const outside = sql.run('INSERT INTO kept (text) VALUES (?)', ['second']);
    await rejects(transaction);
    await outside;
    equal((await sql.all('SELECT text FROM kept')).map(({ text }) => text).join(), 'second');
  },

  async 'says what failed, and where'(connect) {
    const sql = await connect();
    const known = (error: ReinError) => error.code === 'E_STORE_FAILED' && error.params.file === sql.place;
    await rejects(sql.run('NOT SQL AT ALL'), known);
  },

  async 'may be closed twice'(connect) {
    const sql = await connect();
    await sql.close();
    await sql.close();
  },
};

const storeCases: Record<string, Case> = {
  async 'gives each event its place, and brings it back as it was'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const odd = said('NUL \0, half a pair \ud83d, line separators \u2028\u2029, 语言 👩‍👩‍👧 '.repeat(20));
    const number = { ...turnEnd, usage: { ...turnEnd.usage, input: 2 ** 31 + 5 } };
    const stored = [...(await log.append([said('one'), odd])), ...(await log.append([number]))];
    deepEqual(
      stored.map(({ seq }) => seq),
      [2, 3, 4],
    );
    deepEqual((await readAll(store, id)).slice(1), stored);
    equal((await store.info(id))?.title, 'one');
  },

  async 'stores an append wholly or not at all'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const child = { id: `${id}.1`, cwd: '/w', definition: 'general', callId: 'c' };
    const clash = log.append([said('lost')], { children: [child, child] });
    await rejects(clash, { code: 'E_SESSION_EXISTS' });
    equal((await readAll(store, id)).length, 1);
    deepEqual(await store.listChildren(id), []);
    deepEqual(
      (await log.append([said('kept')])).map(({ seq }) => seq),
      [2],
    );
  },

  async 'refuses a gap, a place already taken and an older epoch, and changes nothing'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const { epoch } = await store.claim(id);
    const before = await readAll(store, id);
    const wrong = [
      { epoch, seq: 0 },
      { epoch, seq: 2 },
      { epoch: epoch - 1, seq: 1 },
      { epoch: epoch + 1, seq: 1 },
    ];
    for (const at of wrong) {
      await rejects(store.append({ session: id, ...at }, [said('no')]), { code: 'E_SESSION_FENCED' });
    }
    deepEqual(await readAll(store, id), before);
    await store.append({ session: id, epoch, seq: 1 }, [said('yes')]);
    equal((await readAll(store, id)).length, 2);
  },

  async 'lets one runner in, and fences the one before'(connect) {
    const gone = new Set<string>();
    const first = await newStore(await connect(), 'first', gone);
    const second = await newStore(await connect(), 'second', gone);
    const { id } = await first.createSession({ cwd: '/w', definition: 'main' });
    const zombie = await first.claim(id);
    await rejects(second.claim(id), { code: 'E_SESSION_BUSY' });
    await rejects(first.claim(id), { code: 'E_SESSION_BUSY' });
    gone.add('first');
    const log = await second.claim(id);
    await log.append([said('second')]);
    await rejects(zombie.append([said('zombie')]), { code: 'E_SESSION_FENCED' });
    await zombie.release();
    deepEqual(texts(await readAll(first, id)), ['second']);
    await rejects(first.claim(id), { code: 'E_SESSION_BUSY' });
    await first.claim(id, { takeOver: true });
    await rejects(log.append([said('late')]), { code: 'E_SESSION_FENCED' });
  },

  async 'counts each inbox item once, also after it was taken'(connect) {
    const store = await newStore(await connect());
    const sender = await newStore(await connect(), 'sender');
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const prompt = { kind: 'prompt', mode: 'next', id: 'p1', parts: [{ type: 'text', text: 'a\0\ud83d' }] } as const;
    const abort = { kind: 'abort', id: 'a1' } as const;
    for (const item of [prompt, abort, prompt]) await sender.deliver(id, item);
    deepEqual(await log.inbox(), [prompt, abort]);
    await log.append([{ ...said('a'), inbox: 'p1' }], { taken: ['a1'] });
    for (const item of [prompt, abort]) await sender.deliver(id, item);
    deepEqual(await log.inbox(), []);
  },

  async 'takes one answer to an interrupt'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const decision = { decision: 'approve', digest: 'd' } as const;
    const answer = (own: string) => ({ kind: 'answer', id: own, interruptId: 'i1', decision }) as const;
    await store.deliver(id, answer('a1'));
    await store.deliver(id, answer('a1'));
    await rejects(store.deliver(id, answer('a2')), { code: 'E_INTERRUPT_STALE' });
    await log.append([], { taken: ['a1'] });
    await store.deliver(id, answer('a3'));
    await log.append([{ ...at, type: 'interrupt-close', interruptId: 'i1', decision, inbox: 'a3' }]);
    await rejects(store.deliver(id, answer('a4')), { code: 'E_INTERRUPT_STALE' });
    deepEqual(await log.inbox(), []);
  },

  async 'notices at once what this process delivers, and soon what others do'(connect) {
    const store = await newStore(await connect());
    const other = await newStore(await connect(), 'other');
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    for (const sender of [store, other]) {
      await log.inbox();
      const arrival = log.inboxArrival(AbortSignal.timeout(5000));
      await sender.deliver(id, { kind: 'abort', id: sender === store ? 'own' : 'foreign' });
      await arrival;
      ok(log.inboxPending);
    }
    equal((await log.inbox()).length, 2);
    equal(await log.release({ onlyIdle: true }), false);
    await log.append([], { taken: ['own', 'foreign'] });
    equal(await log.release({ onlyIdle: true }), true);
  },

  async 'forks inside an open turn: what is open is cancelled, the source goes on'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const [, , , , last] = await log.append([
      { ...at, type: 'run-start', driver: 'react', model: 'm' },
      said('go'),
      twoCalls,
      callEnd('c1'),
      callStart('c2'),
    ]);
    const fork = await store.fork(id);
    await log.append([callEnd('c2')]);
    const before = await readAll(store, id);
    const events = await readAll(store, fork);
    deepEqual(
      events.slice(0, last!.seq),
      before.slice(0, last!.seq).map((event) => ({ ...event, session: fork })),
    );
    const added = events.slice(last!.seq);
    deepEqual(
      added.map(({ seq, type }) => [seq, type]),
      [
        [7, 'session-start'],
        [8, 'tool-call-end'],
        [9, 'run-end'],
      ],
    );
    deepEqual(
      added.map((event) => 'status' in event && [event.callId, event.status]),
      [false, ['c2', 'cancelled'], false],
    );
    const again = await store.fork(fork, 3);
    await store.delete(fork);
    await log.release();
    await store.delete(id);
    deepEqual(texts(await readAll(store, again)), ['go']);
    equal(await store.info(id), undefined);
  },

  async 'creates children with the call that starts them, and deletes them with their parent'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main', tenant: 't' });
    const log = await store.claim(id);
    const child = { id: `${id}.1`, cwd: '/w', definition: 'general', callId: 'c1' };
    await log.append([twoCalls, { ...callStart('c1'), child: child.id }], { children: [child] });
    deepEqual(
      (await store.listChildren(id)).map(({ id: found, parent }) => [found, parent]),
      [[child.id, id]],
    );
    deepEqual(
      (await readAll(store, child.id)).map(({ type, seq }) => [type, seq]),
      [['session-start', 1]],
    );
    equal(
      (await store.createSession({ cwd: '/w', definition: 'reviewer', parent: { session: id, callId: 'c2' } })).id,
      `${id}.2`,
    );
    deepEqual(
      (await store.list()).map((found) => found.id),
      [id],
    );
    equal((await store.list({ children: true })).length, 3);
    await rejects(store.delete(id), { code: 'E_SESSION_BUSY' });
    await log.release();
    await store.delete(id);
    deepEqual(await store.list({ children: true }), []);
  },

  async 'exports a fork flat and loads it anew'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    await log.append([said('一\u2028二 \0 \ud83d')]);
    const fork = await store.fork(id);
    const lines = await Array.fromAsync(store.export(fork));
    const copy = await store.import([Buffer.from(lines.join(''))], { file: 'x.jsonl', cwd: '/' });
    notEqual(copy, fork);
    const flat = (await readAll(store, fork)).map((event) => ({ ...event, session: copy }));
    deepEqual(await readAll(store, copy), flat);
    equal((await store.info(copy))?.forkOf, undefined);
  },

  async 'finds words in any script, and takes no word for an operator'(connect) {
    const store = await newStore(await connect());
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    await log.append([said('Fix the Login bug'), said('请修复登录问题'), callEnd('c1')]);
    const seqs = async (query: string) => (await store.search(query)).map(({ seq }) => seq);
    deepEqual(await seqs('login FIX'), [2]);
    for (const query of ['登录', '修复', '题', '复登录']) deepEqual(await seqs(query), [3], query);
    for (const query of ['录登', 'NOT bug', 'logi', 'done', '"', '*', 'AND', 'terms:bug'])
      deepEqual(await seqs(query), [], query);
    await store.rename(id, 'Ärger 计划');
    deepEqual(await store.search('计划'), [
      { session: id, title: 'Ärger 计划', cwd: '/w', seq: 0, snippet: 'Ärger 计划' },
    ]);
    await log.append([said('later')]);
    deepEqual(await seqs('later'), [5]);
  },

  async 'serves twenty who append at the same time'(connect) {
    const stores = [await newStore(await connect(), 'a'), await newStore(await connect(), 'b')];
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const store = stores[index % 2]!;
        const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
        const log = await store.claim(id);
        for (let turn = 0; turn < 10; turn++) await log.append([said(`${id} ${turn}`), turnEnd]);
        return id;
      }),
    );
    for (const id of ids) {
      const events = await readAll(stores[0]!, id);
      deepEqual(
        events.map(({ seq }) => seq),
        Array.from({ length: 21 }, (_, index) => index + 1),
      );
      deepEqual(
        texts(events),
        Array.from({ length: 10 }, (_, turn) => `${id} ${turn}`),
      );
    }
  },
};

const at = { run: 'r1', agent: 'main' } as const;
const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 };
const turnEnd = { ...at, type: 'turn-end', model: 'm', usage, cost: 0.5, context: { used: 15 } } as const;
const call = (id: string) => ({ type: 'tool-call', id, name: 'bash', input: {} }) as const;
const twoCalls: NewEvent = {
  ...at,
  type: 'message',
  message: { role: 'assistant', model: 'p/m', parts: [call('c1'), call('c2')] },
};
const said = (text: string) => ({ ...at, type: 'message', message: userText(text) }) as const;
const callStart = (callId: string) => ({ ...at, type: 'tool-call-start', callId }) as const;
const callEnd = (callId: string) =>
  ({ ...at, type: 'tool-call-end', callId, status: 'ok', content: [{ type: 'text', text: 'done' }] }) as const;

async function newStore(sql: Sql, owner = 'first', gone: ReadonlySet<string> = new Set()): Promise<SessionStore> {
  let time = 2 ** 40;
  return openStore(sql, {
    clock: { now: () => time++ },
    newId: () => crypto.randomUUID(),
    owner: { id: owner, isGone: (id) => gone.has(id) },
  });
}

function readAll(store: SessionStore, id: string): Promise<StoredEvent[]> {
  return Array.fromAsync(store.read(id));
}

function texts(events: readonly StoredEvent[]): string[] {
  return events
    .flatMap((event) => (event.type === 'message' && event.message.role === 'user' ? event.message.parts : []))
    .map((part) => (part.type === 'text' ? part.text : ''));
}
