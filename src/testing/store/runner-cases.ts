/** Appending, owning, and the inbox. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { at, newStore, readAll, type StoreCase, said, texts, turnEnd } from './fixtures.ts';

export const runnerCases: Record<string, StoreCase> = {
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
};
