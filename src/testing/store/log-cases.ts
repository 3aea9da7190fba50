/** Forks, children, exports, search. */
import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict';
import type { NewChild } from '../../engine/ports.ts';
import {
  at,
  callEnd,
  callStart,
  newStore,
  readAll,
  type StoreCase,
  said,
  texts,
  turnEnd,
  twoCalls,
} from './fixtures.ts';

export const logCases: Record<string, StoreCase> = {
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

  async 'hands on the child it has just created, once, unless somebody else was quicker'(connect) {
    const store = await newStore(await connect());
    const other = await newStore(await connect(), 'other');
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    const [first, second] = ['c1', 'c2'].map((callId, at) => {
      return { id: `${id}.${at + 1}`, cwd: '/w', definition: 'general', callId };
    }) as [NewChild, NewChild];
    await log.append([twoCalls], { children: [first, second] });
    const born = log.adopt(first.id)!;
    deepEqual([log.adopt(first.id), log.adopt('unknown')], [undefined, undefined]);
    deepEqual(born.events, await readAll(store, first.id));
    const stored = await born.log.append([said('one')]);
    await born.log.append([said('two')]);
    deepEqual((await readAll(store, first.id)).slice(1, 2), stored);
    await rejects(other.claim(first.id), { code: 'E_SESSION_BUSY' });
    await born.log.release();
    equal((await other.claim(first.id)).seq, 3);
    const late = log.adopt(second.id)!;
    await other.claim(second.id);
    await rejects(late.log.append([said('late')]), { code: 'E_SESSION_FENCED' });
    equal((await readAll(store, second.id)).length, 1);
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
