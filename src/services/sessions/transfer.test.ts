import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../engine/ports.ts';
import type { ErrorData } from '../../protocol/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { contentText, userText } from '../../protocol/message.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore, type SessionStore } from './store.ts';

const at = { run: 'r', agent: 'main' } as const;
const said = (text: string): NewEvent => ({ ...at, type: 'message', message: userText(text) });
const options = { file: 'talk.jsonl', cwd: '/fallback' };

let store: SessionStore;
let warnings: ErrorData[];

beforeEach(async () => {
  let ids = 0;
  warnings = [];
  const sql = await openSqlite(':memory:');
  store = await openStore(sql, {
    clock: { now: () => 7 },
    newId: () => `new${++ids}`,
    onWarning: (warning) => warnings.push(warning),
  });
  onTestFinished(() => store.close());
});

/** A session `s` of three turns, as its lines. */
async function lines(...texts: string[]): Promise<string[]> {
  await store.createSession({ id: 's', cwd: '/w', definition: 'main' });
  const log = await store.claim('s');
  for (const text of texts) await log.append([said(text)]);
  await log.release();
  return Array.fromAsync(store.export('s'));
}

function texts(events: readonly StoredEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'user' ? [contentText(event.message.parts)] : [],
  );
}

async function textsOf(id: string): Promise<string[]> {
  return texts(await Array.fromAsync(store.read(id)));
}

describe('export', () => {
  it('writes a line for the session, one for each event, and children after it', async () => {
    await store.createSession({ id: 's', cwd: '/w', definition: 'main' });
    const log = await store.claim('s');
    const child = { id: 's.1', cwd: '/w', definition: 'general', callId: 'c' };
    await log.append([said('hi'), { ...at, type: 'tool-call-start', callId: 'c', child: 's.1' }], {
      children: [child],
    });
    const found = (await Array.fromAsync(store.export('s'))).map((line) => JSON.parse(line));
    expect(found.map((line) => [line.session ?? line.id, line.seq ?? line.rein])).toEqual([
      ['s', 'session'],
      ['s', 1],
      ['s', 2],
      ['s', 3],
      ['s.1', 'session'],
      ['s.1', 1],
    ]);
    expect(found[0]).toEqual({
      rein: 'session',
      v: 1,
      id: 's',
      title: 'hi',
      cwd: '/w',
      definition: 'main',
      created: 7,
    });
    expect(found[2]).toEqual({ v: 1, session: 's', seq: 2, time: 7, ...said('hi') });
  });

  it('brings no session of another tenant, whatever an event names', async () => {
    await store.createSession({ id: 'secret', cwd: '/w', definition: 'main', tenant: 'a' });
    await store.createSession({ cwd: '/w', definition: 'main', parent: { session: 'secret', callId: 'c' } });
    const { id } = await store.createSession({ cwd: '/w', definition: 'main', tenant: 'b' });
    const log = await store.claim(id);
    for (const child of ['secret', 'secret.1', id]) {
      await log.append([{ ...at, type: 'tool-call-start', callId: child, child }]);
    }
    const headers = (await Array.fromAsync(store.export(id)))
      .map((line) => JSON.parse(line))
      .filter((line) => line.rein);
    expect(headers.map((header) => header.id)).toEqual([id]);
  });
});

describe('import', () => {
  it('brings everything back under the old id where that is free, with the children', async () => {
    await store.createSession({ id: 's', cwd: '/w', definition: 'main' });
    const log = await store.claim('s');
    const child = { id: 's.1', cwd: '/w', definition: 'general', callId: 'c' };
    const start = { ...at, type: 'tool-call-start', callId: 'c', child: 's.1' } as const;
    await log.append([said('a\u2028b\u0085c\r\nd \0 \ud800'), start], { children: [child] });
    await log.release();
    await store.rename('s', 'My title');
    const bytes = Buffer.from((await Array.fromAsync(store.export('s'))).join(''));
    const events = [await Array.fromAsync(store.read('s')), await Array.fromAsync(store.read('s.1'))];

    // Cut into pieces anywhere, also inside a character.
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.subarray(index * 7, index * 7 + 7),
    );
    const copy = await store.import(pieces, { ...options, tenant: 't' });
    expect(await store.info(copy)).toMatchObject({ id: 'new1', title: 'My title', cwd: '/w', tenant: 't', seq: 3 });
    expect((await store.listChildren(copy)).map(({ id }) => id)).toEqual(['new1.1']);
    const renamed = JSON.parse(JSON.stringify(events).replaceAll('"s"', '"new1"').replaceAll('"s.1"', '"new1.1"'));
    expect([await Array.fromAsync(store.read('new1')), await Array.fromAsync(store.read('new1.1'))]).toEqual(renamed);

    await store.delete('s');
    expect(await store.import([bytes], options)).toBe('s');
    expect([await Array.fromAsync(store.read('s')), await Array.fromAsync(store.read('s.1'))]).toEqual(events);
    await expect(store.import([bytes], { ...options, id: 's' })).rejects.toMatchObject({ code: 'E_SESSION_EXISTS' });
    expect(await store.import([bytes], { ...options, id: 'chosen' })).toBe('chosen');
    expect((await store.search('title')).map(({ session }) => session).sort()).toEqual(['chosen', 'new1', 's']);
    expect(warnings).toEqual([]);
  });

  const damages: Record<string, string> = {
    'a cut line': '{"role":"assist',
    'a block of NUL bytes': '\0'.repeat(300),
    'an empty line': '',
    'a line of something else': '{"hello":"world"}',
    'a number': '42',
    null: 'null',
    'an event out of order': '{"v":1,"session":"s","seq":1,"time":1,"run":"r","agent":"main","type":"session-open"}',
    'an event without a place': '{"v":1,"session":"s","time":1,"run":"r","agent":"main","type":"session-open"}',
  };
  for (const [kind, bad] of Object.entries(damages)) {
    it(`case P19: passes over ${kind} and names file and line`, async () => {
      const [header, start, alpha, , charlie] = await lines('ALPHA', 'BRAVO', 'CHARLIE');
      const damaged = Buffer.from([header, start, alpha, `${bad}\n`, charlie].join(''));
      const copy = await store.import([damaged], options);
      expect(warnings.map(({ code, params }) => [code, params.file, params.line])).toEqual([
        ['E_SESSION_IMPORT', 'talk.jsonl', 4],
      ]);
      expect(await textsOf(copy)).toEqual(['ALPHA', 'CHARLIE']);
      const log = await store.claim(copy);
      expect((await log.append([said('DELTA')]))[0]?.seq).toBe(5);
      expect(await textsOf(copy)).toEqual(['ALPHA', 'CHARLIE', 'DELTA']);
    });
  }

  it('passes over bytes that are no text', async () => {
    const [header, start, alpha, , charlie] = await lines('ALPHA', 'BRAVO', 'CHARLIE');
    const bad = Buffer.from([0x22, 0xff, 0xc3, 0x28, 0x22, 0x0a]);
    const copy = await store.import([Buffer.from(`${header}${start}${alpha}`), bad, Buffer.from(charlie!)], options);
    expect(warnings.map(({ params }) => params.line)).toEqual([4]);
    expect(await textsOf(copy)).toEqual(['ALPHA', 'CHARLIE']);
  });

  it('security N1: loads all earlier events wherever the last one is cut', async () => {
    const all = Buffer.from((await lines('ALPHA', 'BRAVO')).join(''));
    const lastLine = all.lastIndexOf(10, all.length - 2) + 1;
    for (let end = lastLine; end <= all.length; end++) {
      const copy = await store.import([all.subarray(0, end)], options);
      const isWhole = end >= all.length - 1;
      expect(await textsOf(copy)).toEqual(isWhole ? ['ALPHA', 'BRAVO'] : ['ALPHA']);
      expect(warnings.splice(0).map(({ params }) => params.line)).toEqual(isWhole || end === lastLine ? [] : [4]);
    }
  });

  it('does without the first lines', async () => {
    const [, start, alpha] = await lines('ALPHA');
    const copy = await store.import([Buffer.from(`garbage\n${start}${alpha}`)], options);
    expect(await store.info(copy)).toMatchObject({ title: 'ALPHA', cwd: '/w' });
    const bare = await store.import([Buffer.from(alpha!)], options);
    expect(await store.info(bare)).toMatchObject({ title: 'ALPHA', cwd: '/fallback', definition: 'main' });
    expect(await textsOf(bare)).toEqual(['ALPHA']);
    const [first] = await Array.fromAsync(store.read(bare));
    expect(first).toMatchObject({ type: 'session-start', seq: 1, session: bare, cwd: '/fallback' });
  });

  for (const nothing of ['', '\n\n', 'nonsense']) {
    it(`refuses a file without a session: ${JSON.stringify(nothing)}`, async () => {
      const refused = store.import([Buffer.from(nothing)], options);
      await expect(refused).rejects.toMatchObject({ code: 'E_SESSION_IMPORT', params: { file: 'talk.jsonl' } });
      expect(await store.list()).toEqual([]);
    });
  }
});
