import type { NewEvent } from '../../../engine/ports.ts';
import type { SessionStore } from '../store.ts';

/** A session that holds these events, run by nobody. Returns its id. */
export async function newSession(store: SessionStore, ...events: NewEvent[]): Promise<string> {
  const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
  const log = await store.claim(id);
  await log.append(events);
  await log.release();
  return id;
}
