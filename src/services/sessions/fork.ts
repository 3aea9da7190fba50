/** Forks: sessions that go on from an event of another one, by a link. */
import { fold } from '../../engine/fold.ts';
import type { NewEvent } from '../../engine/ports.ts';
import { emptyState } from '../../engine/session-state.ts';
import { ReinError } from '../../protocol/errors.ts';
import { cutEvents } from './event-body.ts';
import { dropPrompts } from './prompts.ts';
import { readEvents } from './read.ts';
import { unindexSession } from './search.ts';
import {
  findByKey,
  insertEvents,
  insertSession,
  requireSession,
  type SessionRow,
  type StoreContext,
} from './sessions.ts';
import type { Sql } from './sql.ts';

/**
 * Makes a session that begins with the events of another up to `seq`. What is open there is cancelled in the fork:
 * calls get `cancelled` results, interrupts are closed, the run ends. Throws `E_INPUT_FORMAT` where `seq` is no event.
 */
export async function forkSession(context: StoreContext, id: string, seq: number | undefined): Promise<string> {
  const { sql, clock } = context;
  const source = await requireSession(sql, id);
  const at = seq ?? source.seq;
  if (!Number.isSafeInteger(at) || at < 1 || at > source.seq) {
    throw new ReinError('E_INPUT_FORMAT', { field: 'seq', value: at });
  }
  const cancelled = await cancelOpen(context, id, at);
  const fork = context.newId();
  await sql.tx(async (tx) => {
    const origin = await holderOf(tx, await requireSession(tx, id), at);
    const { title, cwd, definition, tenant } = source;
    const time = clock.now();
    const start: NewEvent = {
      type: 'session-start',
      run: '',
      agent: 'main',
      cwd,
      definition,
      fork: { session: id, seq: at },
    };
    const events = [start, ...cancelled];
    const key = await insertSession(tx, {
      id: fork,
      title,
      cwd,
      definition,
      tenant,
      fork: { key: origin.key, seq: at },
      created: time,
      seq: at + events.length,
    });
    await insertEvents(tx, { key, seq: at + 1, time }, events);
  });
  return fork;
}

/** The row that holds an event: a fork of a fork may begin before the fork does. */
async function holderOf(tx: Sql, row: SessionRow, seq: number): Promise<SessionRow> {
  // In a damaged database a row may go on from itself.
  const seen = new Set<number>();
  for (let at = row; ; ) {
    seen.add(at.key);
    const { fork_of, fork_seq } = at;
    const goesOn = fork_of !== null && seq <= (fork_seq ?? 0) && !seen.has(fork_of);
    const origin = goesOn ? await findByKey(tx, fork_of) : undefined;
    if (!origin) return at;
    at = origin;
  }
}

/** The events that end what is open after an event. */
async function cancelOpen(context: StoreContext, id: string, seq: number): Promise<NewEvent[]> {
  const state = emptyState();
  let agent = 'main';
  for await (const event of readEvents(context, id)) {
    if (event.seq > seq) break;
    if (event.type === 'run-start') agent = event.agent;
    fold(state, event);
  }
  const { run } = state;
  if (!run) return [];
  const events: NewEvent[] = [];
  for (const { part, interrupt, result } of state.open) {
    if (result) continue;
    if (interrupt) {
      const decision = { decision: 'cancelled' } as const;
      events.push({ type: 'interrupt-close', run: run.id, agent, interruptId: interrupt.id, decision });
    }
    const content = [{ type: 'text', text: `${part.name} was cancelled: the conversation was forked here.` }] as const;
    events.push({ type: 'tool-call-end', run: run.id, agent, callId: part.id, status: 'cancelled', content });
  }
  events.push({ type: 'run-end', run: run.id, agent, stop: 'aborted', usage: run.usage, cost: run.cost });
  return events;
}

/**
 * Deletes a session and its children. What forks of it need goes over to the one that needs most; the others link to
 * that one. Returns the ids of those that no fork goes on from any more, among them sessions that were deleted before.
 * Throws `E_SESSION_BUSY` while somebody runs it or a child of it.
 */
export async function deleteSession({ sql, owner }: StoreContext, id: string): Promise<string[]> {
  return sql.tx(async (tx) => {
    const gone: string[] = [];
    const remove = async (row: SessionRow): Promise<void> => {
      if (row.owner !== null && !owner.isGone(row.owner)) {
        throw new ReinError('E_SESSION_BUSY', { session: row.id, owner: row.owner.split(' ')[0]! });
      }
      gone.push(...(await bequeath(tx, row)));
      const children = await tx.all('SELECT * FROM sessions WHERE parent = ?', [row.key]);
      for (const child of children) await remove(child as unknown as SessionRow);
      await unindexSession(tx, row.key, false);
      await tx.run('DELETE FROM events WHERE session = ?', [row.key]);
      await tx.run('DELETE FROM inbox WHERE session = ?', [row.key]);
      await tx.run('DELETE FROM sessions WHERE key = ?', [row.key]);
    };
    await remove(await requireSession(tx, id));
    await dropPrompts(tx);
    return gone;
  });
}

/** A part of a log: who wrote the events after `from`. */
interface Part {
  readonly id: string;
  readonly from: number;
}

/** What a session holds itself: parts of deleted sessions, then its own. */
function partsOf({ id, fork_seq, inherited }: SessionRow): readonly Part[] {
  return inherited === null ? [{ id, from: fork_seq ?? 0 }] : JSON.parse(inherited);
}

/** Gives what a fork needs to it. Returns the ids of those sessions that none needs. */
async function bequeath(tx: Sql, row: SessionRow): Promise<string[]> {
  const { key, fork_of, fork_seq } = row;
  const parts = partsOf(row);
  const query = 'SELECT * FROM sessions WHERE fork_of = ? ORDER BY fork_seq DESC, key LIMIT 1';
  const heir = (await tx.all(query, [key]))[0] as unknown as SessionRow | undefined;
  if (!heir) return parts.map(({ id }) => id);
  const isNeeded = ({ from }: Part) => from < (heir.fork_seq ?? 0);
  const needed = [heir.key, key, heir.fork_seq];
  await tx.run('UPDATE events SET session = ? WHERE session = ? AND seq <= ?', needed);
  await cutLastRow(tx, heir.key, heir.fork_seq ?? 0);
  await tx.run('UPDATE sessions SET parent = ? WHERE parent = ? AND parent_seq <= ?', needed);
  await tx.run('UPDATE sessions SET fork_of = ? WHERE fork_of = ?', [heir.key, key]);
  await tx.run('UPDATE sessions SET fork_of = ?, fork_seq = ?, indexed = ?, inherited = ? WHERE key = ?', [
    fork_of,
    fork_seq,
    fork_seq ?? 0,
    JSON.stringify([...parts.filter(isNeeded), ...partsOf(heir)]),
    heir.key,
  ]);
  await unindexSession(tx, heir.key, true);
  return parts.filter((one) => !isNeeded(one)).map(({ id }) => id);
}

/** Ends the inherited part of a log at an event, also where that is in the midst of an append. */
async function cutLastRow(tx: Sql, key: number, seq: number): Promise<void> {
  const query = 'SELECT seq, body FROM events WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT 1';
  const [row] = await tx.all(query, [key, seq]);
  if (!row) return;
  const first = Number(row.seq);
  const bytes = cutEvents(row.body as Uint8Array, seq - first + 1);
  if (bytes) await tx.run('UPDATE events SET body = ? WHERE session = ? AND seq = ?', [bytes, key, first]);
}
