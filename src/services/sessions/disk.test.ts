import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../engine/ports.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore } from './store.ts';

const at = { run: '4f2c9d3e-8a51-4b0e-9c77-0d6e1f2a3b4c', agent: 'main' } as const;
const turns = 300;
const turnsPerRun = 15;

it('keeps 300 turns in half a megabyte, index included, and writes little on the way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'rein.db');
  const sql = await openSqlite(file);
  await sql.all('PRAGMA wal_autocheckpoint = 0');
  let time = 1_764_500_000_000;
  const store = await openStore(sql, { clock: { now: () => (time += 900) }, newId: () => crypto.randomUUID() });
  const { id } = await store.createSession({ cwd: '/home/someone/project', definition: 'main' });
  const log = await store.claim(id);
  const write = writer();
  let conversation = 0;

  for (let turn = 0; turn < turns; turn++) {
    if (turn % turnsPerRun === 0) {
      const parts = [{ type: 'text', text: write(120) }] as const;
      await store.deliver(id, { kind: 'prompt', mode: 'next', id: `prompt-${turn}`, parts });
      await log.append([
        { ...at, type: 'run-start', driver: 'react', model: 'anthropic/some-model' },
        { ...at, type: 'message', message: { role: 'user', parts }, origin: 'user', inbox: `prompt-${turn}` },
      ]);
    }
    const callId = `toolu_01${crypto.randomUUID().replaceAll('-', '').slice(0, 22)}`;
    const text = write(130);
    const output = write(770);
    const input = { file_path: `src/part-${turn}.ts` };
    const message = {
      role: 'assistant',
      model: 'anthropic/some-model',
      parts: [
        { type: 'text', text },
        { type: 'tool-call', id: callId, name: 'read_file', input },
      ],
    } as const;
    const content = [{ type: 'text', text: output }] as const;
    conversation += JSON.stringify([message, { role: 'tool', results: [{ callId, content }] }]).length;
    await log.append([
      { ...at, type: 'message', message },
      { ...at, type: 'turn-end', model: 'anthropic/some-model', usage, cost: 0.0123, context: { used: 20_000 + turn } },
      { ...at, type: 'tool-call-start', callId },
    ]);
    const end: NewEvent = { ...at, type: 'tool-call-end', callId, status: 'ok', content };
    const todos = [{ content: `Look at part ${turn}`, status: 'in_progress' }] as const;
    await log.append([end, { ...at, type: 'todo-update', todos }]);
    if (turn % turnsPerRun === turnsPerRun - 1) await store.indexSession(id);
  }

  const written = statSync(`${file}-wal`).size;
  await store.close();
  const size = statSync(file).size;
  expect(conversation).toBeGreaterThan(365_000);
  expect({ size: size <= 500_000, written: written <= 12_000_000 }, `${size} kept, ${written} written`).toEqual({
    size: true,
    written: true,
  });
});

const usage = { input: 1234, cacheRead: 20_000, cacheWrite: 800, output: 250 };

/** Text of the kind that fills such logs: source code, cut into pieces that do not repeat. */
function writer(): (length: number) => string {
  const folder = resolve(import.meta.dirname, '../..');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const text = files
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  let place = 0;
  return (length) => {
    place += length;
    return text.slice(place - length, place);
  };
}
