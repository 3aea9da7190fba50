/** Sessions as JSONL: a line that says what the session is, then one event a line, then its children likewise. */
import type { NewEvent } from '../../engine/ports.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { isEventBody } from './event-body.ts';
import { readEvents } from './read.ts';
import { indexTitle } from './search.ts';
import { findSession, insertRow, insertSession, isRootId, requireSession, type StoreContext } from './sessions.ts';
import type { Sql } from './sql.ts';
import { titleOf, toTitle } from './title.ts';

/** Imported events in one row of the database. */
const eventsPerRow = 8;
/** A line holds one event; what goes on for longer is no export. */
const maxLineBytes = 256 * 1024 * 1024;
/** Of a file that is none, each line is wrong. */
const maxWarnings = 5;

/** The first line of each session. */
interface Header {
  readonly rein: 'session';
  readonly v: 1;
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly definition: string;
  readonly created: number;
  readonly parent?: string;
}

export interface ImportOptions {
  /** Name of the source, for warnings. */
  readonly file: string;
  /** Folder of a session that does not say its own any more. */
  readonly cwd: string;
  /** Takes this id, and throws `E_SESSION_EXISTS` when it is there already. Default: the old one, or a new one. */
  readonly id?: string;
  readonly tenant?: string;
}

/** The lines of a session and its children, each with its line feed. A fork brings what it inherits. */
export async function* exportSession(context: StoreContext, id: string): AsyncGenerator<string> {
  yield* exportTree(context, id, undefined, new Set());
}

async function* exportTree(
  context: StoreContext,
  id: string,
  parent: string | undefined,
  done: Set<string>,
): AsyncGenerator<string> {
  done.add(id);
  const { sql } = context;
  const { key, title, cwd, definition, created, tenant } = await requireSession(sql, id);
  const header: Header = { rein: 'session', v: 1, id, title, cwd, definition, created, parent };
  yield `${JSON.stringify(header)}\n`;
  const children = new Set<string>();
  for await (const event of readEvents(context, id)) {
    yield `${JSON.stringify(event)}\n`;
    if ('child' in event && typeof event.child === 'string') children.add(event.child);
  }
  const own = await sql.all('SELECT id FROM sessions WHERE parent = ? ORDER BY key', [key]);
  for (const row of own) children.add(String(row.id));
  for (const child of children) {
    if (done.has(child)) continue;
    // An imported event may name any session; only those of the same owner are its children.
    const row = await findSession(sql, child);
    if (row?.parent !== undefined && row.parent !== null && row.tenant === tenant) {
      yield* exportTree(context, child, id, done);
    }
  }
}

/** What lines say of one session. */
interface Imported {
  readonly header: Partial<Header>;
  readonly events: StoredEvent[];
}

/**
 * Stores what {@link exportSession} wrote, and returns the id of the first session. A line that cannot be read is
 * left out with a warning that names it; throws `E_SESSION_IMPORT` when no line can be.
 */
export async function importSession(
  context: StoreContext,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ImportOptions,
): Promise<string> {
  const sessions = await readLines(context, source, options.file);
  const [root] = sessions.keys();
  if (root === undefined)
    throw new ReinError('E_SESSION_IMPORT', { file: options.file, detail: { text: 'cli.import.noSession' } });
  return context.sql.tx(async (tx) => {
    const ids = new Map<string, string>();
    ids.set(root, options.id ?? (await freeId(context, tx, root)));
    for (const [id, imported] of sessions) {
      if (id === root) continue;
      const parent = ids.get(parentOf(imported) ?? '') ?? ids.get(root)!;
      let number = 1;
      const taken = new Set(ids.values());
      while (taken.has(`${parent}.${number}`) || (await findSession(tx, `${parent}.${number}`))) number++;
      ids.set(id, `${parent}.${number}`);
    }
    for (const [id, imported] of sessions) await insertImported(tx, { ids, id, root, imported, options });
    return ids.get(root)!;
  });
}

async function freeId(context: StoreContext, tx: Sql, id: string): Promise<string> {
  return isRootId(id) && !(await findSession(tx, id)) ? id : context.newId();
}

function parentOf({ header, events }: Imported): string | undefined {
  const start = events.find((event) => event.type === 'session-start');
  return header.parent ?? start?.parent?.session;
}

interface ImportStep {
  readonly ids: ReadonlyMap<string, string>;
  readonly id: string;
  readonly root: string;
  readonly imported: Imported;
  readonly options: ImportOptions;
}

async function insertImported(tx: Sql, { ids, id, root, imported, options }: ImportStep): Promise<void> {
  const { header, events } = imported;
  const start = events.find((event) => event.type === 'session-start');
  const parentId = id === root ? undefined : (ids.get(parentOf(imported) ?? '') ?? ids.get(root)!);
  const parent = parentId === undefined ? undefined : await requireSession(tx, parentId);
  const title = toTitle(header.title ?? events.map(titleOf).find((text) => text !== '') ?? '');
  const key = await insertSession(tx, {
    id: ids.get(id)!,
    title,
    cwd: header.cwd ?? start?.cwd ?? options.cwd,
    definition: header.definition ?? start?.definition ?? 'main',
    tenant: options.tenant,
    parent: parent && { key: parent.key, seq: parent.seq },
    created: header.created ?? events[0]?.time ?? 0,
    updated: events.at(-1)?.time,
    seq: events.at(-1)?.seq ?? 0,
  });
  for (const row of toRows(events)) {
    const bodies = row.map((event) => withIds(event, ids));
    await insertRow(tx, { key, seq: row[0]!.seq }, bodies, (index) => row[index]!.time);
  }
  await indexTitle(tx, key, title);
}

/** Events that follow each other without a gap, a few together. */
function toRows(events: readonly StoredEvent[]): StoredEvent[][] {
  const rows: StoredEvent[][] = [];
  for (const event of events) {
    const row = rows.at(-1);
    if (row && row.length < eventsPerRow && row.at(-1)!.seq + 1 === event.seq) row.push(event);
    else rows.push([event]);
  }
  return rows;
}

/** An event as it is stored, with the new ids where it names sessions. */
function withIds(
  { v, session: _session, seq: _seq, time: _time, ...event }: StoredEvent,
  ids: ReadonlyMap<string, string>,
): NewEvent {
  const version = v === 1 ? {} : { v };
  if (event.type === 'session-start' && event.parent) {
    const session = ids.get(event.parent.session) ?? event.parent.session;
    return { ...version, ...event, parent: { ...event.parent, session } };
  }
  if ((event.type === 'tool-call-start' || event.type === 'plan-update') && event.child !== undefined) {
    return { ...version, ...event, child: ids.get(event.child) ?? event.child };
  }
  return { ...version, ...event };
}

/** Sessions in the order of their lines. */
async function readLines(
  context: StoreContext,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
): Promise<Map<string, Imported>> {
  const sessions = new Map<string, { header: Partial<Header>; events: StoredEvent[] }>();
  const at = (id: string) => sessions.get(id) ?? sessions.set(id, { header: {}, events: [] }).get(id)!;
  let line = 0;
  let warned = 0;
  const warn = (text: string, about: { seq?: number; count?: number } = {}) => {
    if (about.count === undefined && ++warned > maxWarnings) return;
    context.warn(new ReinError('E_SESSION_IMPORT', { file, line, detail: { text, line, ...about } }).toData());
  };
  for await (const bytes of splitLines(source, file)) {
    line++;
    try {
      const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      if (isHeader(value)) {
        at(value.id).header = readHeader(value);
      } else if (isStoredEvent(value)) {
        const { events } = at(value.session);
        if (value.seq > (events.at(-1)?.seq ?? 0)) events.push(value);
        else warn('cli.import.order', { seq: value.seq });
      } else {
        warn('cli.import.other');
      }
    } catch {
      warn('cli.import.other');
    }
  }
  if (warned > maxWarnings) warn('cli.import.more', { count: warned - maxWarnings });
  return sessions;
}

/** Lines end at a line feed and nowhere else: JSON may hold all other line breaks of Unicode. */
async function* splitLines(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]);
      begun = [];
      length = 0;
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > maxLineBytes)
      throw new ReinError('E_SESSION_IMPORT', { file, detail: { text: 'cli.import.longLine', bytes: maxLineBytes } });
  }
  const last = Buffer.concat(begun);
  if (last.length > 0) yield last;
}

function isHeader(value: unknown): value is Record<string, unknown> & { id: string } {
  const header = value as Partial<Record<string, unknown>> | null;
  return header?.rein === 'session' && typeof header.id === 'string';
}

/** Only what has the right type. */
function readHeader(value: Record<string, unknown>): Partial<Header> {
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : undefined);
  return {
    title: text('title'),
    cwd: text('cwd'),
    definition: text('definition'),
    parent: text('parent'),
    created: Number.isSafeInteger(value.created) ? (value.created as number) : undefined,
  };
}

function isStoredEvent(value: unknown): value is StoredEvent {
  if (!isEventBody(value)) return false;
  const { seq, session, time } = value as Partial<Record<string, unknown>>;
  return typeof session === 'string' && Number.isSafeInteger(seq) && Number(seq) > 0 && Number.isFinite(time);
}
