import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../engine/ports.ts';
import type { ErrorData } from '../../protocol/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { contentText, userText } from '../../protocol/message.ts';
import type { Sql } from './sql.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore, type SessionStore } from './store.ts';

const long = 'A text long enough to be deflated. '.repeat(30);
const said = (text: string): NewEvent => ({ type: 'message', run: 'r', agent: 'main', message: userText(text) });

interface Opened {
  readonly file: string;
  readonly sql: Sql;
  readonly store: SessionStore;
  readonly warnings: ErrorData[];
}

async function open(file = join(mkdtempSync(join(tmpdir(), 'rein-damage-')), 'rein.db')): Promise<Opened> {
  onTestFinished(() => rmSync(join(file, '..'), { recursive: true, force: true }));
  const warnings: ErrorData[] = [];
  const sql = await openSqlite(file);
  const store = await openStore(sql, {
    clock: { now: () => 1 },
    newId: () => crypto.randomUUID(),
    onWarning: (warning) => warnings.push(warning),
  });
  onTestFinished(() => store.close());
  return { file, sql, store, warnings };
}

/** What was said, its first five letters; the type of other events. */
function texts(events: readonly StoredEvent[]): string[] {
  return events.map((event) => {
    if (event.type !== 'message' || event.message.role !== 'user') return event.type;
    return contentText(event.message.parts).slice(0, 5);
  });
}

/** Three turns in three appends; the middle one can be plain or deflated. */
async function threeTurns(opened: Opened, middle: string) {
  const { id } = await opened.store.createSession({ cwd: '/w', definition: 'main' });
  const log = await opened.store.claim(id);
  for (const text of ['ALPHA', middle, 'CHARL']) await log.append([said(text)]);
  return { id, log };
}

describe('an event that cannot be read', () => {
  const damages: Record<string, (body: Uint8Array) => Uint8Array> = {
    'cut in the middle': (body) => body.subarray(0, body.length / 2),
    'cut by its last byte': (body) => body.subarray(0, -1),
    'made of NUL bytes': () => new Uint8Array(500),
    'with a block of NUL bytes inside': (body) => body.map((byte, index) => (index > 20 && index < 60 ? 0 : byte)),
    'with another first byte': (body) => body.map((byte, index) => (index === 0 ? 0xff : byte)),
    empty: () => new Uint8Array(),
    'no list': () => Buffer.from('{"type":"message"}'),
    'a list of no events': () => Buffer.from('[1,null,"x"]'),
    'an event without a type': () => Buffer.from('[{"time":1,"run":"r","agent":"main"}]'),
  };
  for (const [kind, damage] of Object.entries(damages)) {
    for (const [form, middle] of [
      ['plain', 'BRAVO'],
      ['deflated', `BRAVO${long}`],
    ] as const) {
      it(`case P19, security N2: is passed over with a warning, ${form}, ${kind}`, async () => {
        const opened = await open();
        const { store, sql, warnings, file } = opened;
        const { id, log } = await threeTurns(opened, middle);
        const [row] = await sql.all('SELECT body FROM events WHERE seq = 3');
        const broken = damage(Uint8Array.from(row!.body as Uint8Array));
        await sql.run('UPDATE events SET body = ? WHERE seq = 3', [broken]);

        const events = await Array.fromAsync(store.read(id));
        expect(texts(events)).toEqual(['session-start', 'ALPHA', 'CHARL']);
        expect(warnings).toEqual([
          {
            code: 'E_SESSION_EVENT_UNREADABLE',
            params: { store: file, session: id, seq: 3, detail: expect.any(String) },
            message: expect.stringContaining(id),
          },
        ]);
        expect((await log.append([said('DELTA')]))[0]?.seq).toBe(5);
        expect(texts(await Array.fromAsync(store.read(id, { after: 3 })))).toEqual(['CHARL', 'DELTA']);
        expect((await store.search('CHARL')).map(({ seq }) => seq)).toEqual([4]);
        expect((await Array.fromAsync(store.export(id))).length).toBe(5);
        const fork = await store.fork(id);
        expect(texts(await Array.fromAsync(store.read(fork)))).toContain('CHARL');
        expect(await sql.all('SELECT body FROM events WHERE seq = 3')).toEqual([{ body: Uint8Array.from(broken) }]);
      });
    }
  }

  for (const [form, last] of [
    ['plain', 'CHARL'],
    ['deflated', `CHARL${long}`],
  ] as const) {
    it(`security N1: may be the last one, ${form}, cut at every byte`, async () => {
      const { store, sql, warnings } = await open();
      const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
      const log = await store.claim(id);
      for (const text of ['ALPHA', last]) await log.append([said(text)]);
      const [row] = await sql.all('SELECT body FROM events WHERE seq = 3');
      const whole = row!.body as Uint8Array;
      for (let length = 0; length < whole.length; length++) {
        await sql.run('UPDATE events SET body = ? WHERE seq = 3', [whole.subarray(0, length)]);
        await log.append([said('after')]);
        const found = texts(await Array.fromAsync(store.read(id)));
        expect(found).toEqual(['session-start', 'ALPHA', ...Array.from({ length: length + 1 }, () => 'after')]);
        expect(warnings.splice(0).map(({ params }) => params.seq)).toEqual([3]);
      }
    });
  }

  it('may be the first one: what it said is known elsewhere', async () => {
    const opened = await open();
    const { store, sql, warnings } = opened;
    const { id } = await threeTurns(opened, 'BRAVO');
    const before = await Array.fromAsync(store.read(id));
    await sql.run('UPDATE events SET body = ? WHERE seq = 1', [new Uint8Array(9)]);
    expect(await Array.fromAsync(store.read(id))).toEqual(before);
    expect(warnings.map(({ params }) => params.seq)).toEqual([1]);
    await sql.run('UPDATE events SET body = ?', [new Uint8Array(9)]);
    expect(await Array.fromAsync(store.read(id))).toEqual(before.slice(0, 1));
    expect((await Array.fromAsync(store.read(id, { after: 1 }))).length).toBe(0);
  });

  it('is named when its row is gone', async () => {
    const opened = await open();
    const { store, sql, warnings } = opened;
    const { id } = await threeTurns(opened, 'BRAVO');
    await sql.run('DELETE FROM events WHERE seq = 3', []);
    expect(texts(await Array.fromAsync(store.read(id)))).toEqual(['session-start', 'ALPHA', 'CHARL']);
    expect(warnings).toMatchObject([{ code: 'E_SESSION_EVENT_UNREADABLE', params: { session: id, seq: 3 } }]);
  });

  it('security N5: is kept and exported when only its type is unknown', async () => {
    const opened = await open();
    const { store, warnings } = opened;
    const { id, log } = await threeTurns(opened, 'BRAVO');
    const future = { type: 'dream', run: 'r', agent: 'main', v: 2, depth: { of: ['sleep'] } } as unknown as NewEvent;
    await log.append([future, said('DELTA')]);
    expect((await Array.fromAsync(store.read(id)))[4]).toEqual({ ...future, session: id, seq: 5, time: 1 });
    const lines = await Array.fromAsync(store.export(id));
    const copy = await store.import([Buffer.from(lines.join(''))], { file: 'x', cwd: '/' });
    expect((await Array.fromAsync(store.read(copy)))[4]).toEqual({ ...future, session: copy, seq: 5, time: 1 });
    expect(warnings).toEqual([]);
  });

  it('leaves a damaged row of the inbox behind', async () => {
    const { store, sql, warnings } = await open();
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    for (const item of ['a', 'b']) await store.deliver(id, { kind: 'abort', id: item });
    await sql.run('UPDATE inbox SET body = ? WHERE id = ?', [new Uint8Array(9), 'a']);
    expect(await log.inbox()).toEqual([{ kind: 'abort', id: 'b' }]);
    expect(warnings.map(({ code }) => code)).toEqual(['E_SESSION_EVENT_UNREADABLE']);
    expect(await log.inbox()).toEqual([{ kind: 'abort', id: 'b' }]);
    expect(warnings.length).toBe(1);
  });
});

describe('a damaged database file', () => {
  it('reads past a damaged page', async () => {
    const first = await open();
    const { id, log } = await threeTurns(first, 'BRAVO');
    // Bytes that do not deflate fill pages of their own.
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString('base64');
    const [big] = await log.append([said(`NOISE${noise}`)]);
    await log.append([said('DELTA')]);
    const [page] = await first.sql.all(
      `SELECT pageno AS number FROM dbstat WHERE name = 'events' AND pagetype = 'overflow'`,
    );
    await first.store.close();
    const bytes = readFileSync(first.file);
    bytes.fill(0xff, (Number(page!.number) - 1) * 4096, Number(page!.number) * 4096);
    writeFileSync(first.file, bytes);

    const { store, warnings } = await open(first.file);
    expect(texts(await Array.fromAsync(store.read(id)))).toEqual(['session-start', 'ALPHA', 'BRAVO', 'CHARL', 'DELTA']);
    expect(warnings.map(({ params }) => params.seq)).toEqual([big!.seq]);
  });

  it('reads past a damaged page that many events lie in', async () => {
    const first = await open();
    const { id, log } = await threeTurns(first, 'BRAVO');
    const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(500))).toString('base64');
    for (let turn = 0; turn < 40; turn++) await log.append([said(noise())]);
    await log.append([said('DELTA')]);
    const query = `SELECT pageno AS number FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path`;
    const [page] = await first.sql.all(query);
    await first.store.close();
    const bytes = readFileSync(first.file);
    bytes.fill(0xff, (Number(page!.number) - 1) * 4096, Number(page!.number) * 4096);
    writeFileSync(first.file, bytes);

    const { store, warnings } = await open(first.file);
    const events = await Array.fromAsync(store.read(id));
    const lost = warnings.map(({ params }) => params.seq);
    expect(lost.length).toBeGreaterThan(1);
    expect(events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 45 }, (_, at) => at + 1).filter((seq) => seq === 1 || !lost.includes(seq)),
    );
    expect(texts(events).at(-1)).toBe('DELTA');
  });

  const damages: Record<string, (file: string) => void> = {
    'no database at all': (file) =>
      writeFileSync(file, 'this is not a database, and long enough to be sure. '.repeat(99)),
    'a database with another header': (file) => {
      const bytes = readFileSync(file);
      bytes.fill(0, 0, 100);
      writeFileSync(file, bytes);
    },
    'a database cut short': (file) => truncateSync(file, 4096),
  };
  for (const [kind, damage] of Object.entries(damages)) {
    it(`is named and left alone: ${kind}`, async () => {
      const { file, store } = await open();
      await store.close();
      damage(file);
      const before = readFileSync(file);
      const failure = open(file);
      await expect(failure).rejects.toMatchObject({ code: 'E_STORE_CORRUPT', params: { store: file } });
      expect(readFileSync(file).equals(before)).toBe(true);
    });
  }
});

describe('security N3: a full disk', () => {
  it('refuses the append, keeps what is there, and goes on when there is room', async () => {
    const { file, sql, store } = await open();
    const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
    const log = await store.claim(id);
    await log.append([said('kept')]);
    const [{ page_count: pages } = {}] = await sql.all('PRAGMA page_count');
    await sql.all(`PRAGMA max_page_count = ${pages}`);
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64');
    const full = { code: 'E_STORE_FULL', params: { store: file, detail: expect.any(String) } };
    await expect(log.append([said(noise)])).rejects.toMatchObject(full);
    await expect(log.append([said(noise)])).rejects.toMatchObject(full);
    expect((await Array.fromAsync(store.read(id))).length).toBe(2);
    await sql.all('PRAGMA max_page_count = 1000000');
    expect((await log.append([said(noise)]))[0]?.seq).toBe(3);
    expect(statSync(file).size).toBeGreaterThan(0);
  });
});

it('brings tables of an older version up to date, with what is in them', async () => {
  const { file, sql, store } = await open();
  const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
  await sql.run('ALTER TABLE sessions DROP COLUMN inherited');
  await sql.run('DROP INDEX events_prompt');
  await sql.run('ALTER TABLE events DROP COLUMN prompt');
  await sql.run('DROP TABLE prompts');
  await sql.run('UPDATE schema_version SET version = 1');
  const again = await open(file);
  const fork = await again.store.fork(id);
  await again.store.delete(id);
  expect((await again.store.list()).map((session) => session.id)).toEqual([fork]);
});

it('refuses tables of a newer version, and changes nothing', async () => {
  const { file, sql } = await open();
  await sql.run('UPDATE schema_version SET version = 99');
  await expect(open(file)).rejects.toMatchObject({
    code: 'E_STORE_VERSION',
    params: { store: file, found: 99, known: 3 },
  });
  expect(await sql.all('SELECT version FROM schema_version')).toEqual([expect.objectContaining({ version: 99 })]);
});
