/** Which session a person means by the beginning of its id. */
import type { Harness } from '../../harness/create-harness.ts';
import { usageError } from './flags.ts';

/** Of the newest so many. */
const looked = 10_000;

/** The whole id; what is none comes back as it is. Throws `E_USAGE` where several sessions are meant. */
export async function findSession(store: Awaited<ReturnType<Harness['store']>>, id: string): Promise<string> {
  if (await store.info(id)) return id;
  const sessions = await store.list({ limit: looked });
  const meant = sessions.map((session) => session.id).filter((each) => each.startsWith(id));
  if (meant.length > 1) throw usageError({ text: 'cli.usage.severalSessions', id, ids: meant.slice(0, 5) });
  return meant[0] ?? id;
}
