/** What the cases share: short ways to make events and to read logs. */
import type { NewEvent } from '../../engine/ports.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { userText } from '../../protocol/message.ts';
import type { Sql } from '../../services/sessions/sql.ts';
import { openStore, type SessionStore } from '../../services/sessions/store.ts';

/** Each call connects anew to one database that was empty before the case. */
export type StoreCase = (connect: () => Promise<Sql>) => Promise<void>;

export const at = { run: 'r1', agent: 'main' } as const;
const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 };
export const turnEnd = { ...at, type: 'turn-end', model: 'm', usage, cost: 0.5, context: { used: 15 } } as const;
const call = (id: string) => ({ type: 'tool-call', id, name: 'bash', input: {} }) as const;
export const twoCalls: NewEvent = {
  ...at,
  type: 'message',
  message: { role: 'assistant', model: 'p/m', parts: [call('c1'), call('c2')] },
};
/** A message of the user, as a body for the log. */
export const said = (text: string) => ({ ...at, type: 'message', message: userText(text) }) as const;
/** The start of a call, as a body for the log. */
export const callStart = (callId: string) => ({ ...at, type: 'tool-call-start', callId }) as const;
/** The end of a call that brought `done`. */
export const callEnd = (callId: string) =>
  ({ ...at, type: 'tool-call-end', callId, status: 'ok', content: [{ type: 'text', text: 'done' }] }) as const;

/** A store on this database whose clock moves on by a millisecond a look; `gone` are the owners that live no more. */
export async function newStore(
  sql: Sql,
  owner = 'first',
  gone: ReadonlySet<string> = new Set(),
): Promise<SessionStore> {
  let time = 2 ** 40;
  return openStore(sql, {
    clock: { now: () => time++ },
    newId: () => crypto.randomUUID(),
    owner: { id: owner, isGone: (id) => gone.has(id) },
  });
}

/** All events of a session's log. */
export function readAll(store: SessionStore, id: string): Promise<StoredEvent[]> {
  return Array.fromAsync(store.read(id));
}

/** What users said in these events, part by part. */
export function texts(events: readonly StoredEvent[]): string[] {
  return events
    .flatMap((event) => (event.type === 'message' && event.message.role === 'user' ? event.message.parts : []))
    .map((part) => (part.type === 'text' ? part.text : ''));
}
