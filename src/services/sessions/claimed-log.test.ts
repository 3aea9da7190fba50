import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../engine/ports.ts';
import type { InboxItem } from '../../protocol/session.ts';
import type { ClaimedLog } from './claimed-log.ts';
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
