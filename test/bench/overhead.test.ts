/** A guard against what would make every turn dearer. Limits are ratios to a bare loop, so that a busy machine can hold them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Measurement } from '../../bench/measure.ts';
import { type Prepared, prepare } from '../../bench/prepare.ts';
import { ModelServer, measure } from '../../bench/processes.ts';
import { percentile } from '../../bench/scenarios.ts';
import type { Conversation } from '../../bench/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-overhead-'));
let prepared: Prepared;
let server: ModelServer;

beforeAll(async () => {
  prepared = await prepare('overhead');
  server = await ModelServer.start(prepared.server);
}, 60_000);

afterAll(() => {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(name: string, model: string): Promise<Measurement & { readonly talk: Conversation }> {
  await server.reset();
  const loop = prepared.loops.get(name)!;
  const measured = await measure(prepared.measure, server, { loop, model, folder: mkdtempSync(join(folder, 'run-')) });
  const [talk] = await server.conversations();
  return { ...measured, talk: talk! };
}

/** CPU milliseconds a turn, without the first ten and what is loaded then; and the gaps between requests. */
async function turns(name: string) {
  const short = await run(name, 'turns-10');
  const long = await run(name, 'turns-300');
  return { cpu: (long.cpuMs - short.cpuMs) / 290, gaps: long.talk.gaps, kept: long.talk.kept };
}

test('a turn costs a small multiple of a bare loop, and as much after 300 turns as before', async () => {
  const bare: number[] = [];
  const own: Awaited<ReturnType<typeof turns>>[] = [];
  for (let repetition = 0; repetition < 2; repetition++) {
    bare.push((await turns('floor-inc')).cpu);
    own.push(await turns('rein'));
  }
  expect(Math.min(...own.map(({ cpu }) => cpu)) / Math.min(...bare)).toBeLessThan(5);
  const growths = own.map(({ gaps }) => percentile(gaps.slice(200), 0.2) / percentile(gaps.slice(50, 150), 0.2));
  expect(Math.min(...growths)).toBeLessThan(1.5);
  expect(own.map(({ kept }) => kept)).toEqual([1, 1]);
}, 120_000);

test('with every layer at work a turn costs a small multiple too, and the prefix holds', async () => {
  const bare: number[] = [];
  const full: Awaited<ReturnType<typeof turns>>[] = [];
  for (let repetition = 0; repetition < 2; repetition++) {
    bare.push((await turns('floor-inc')).cpu);
    // It throws when a layer did nothing.
    full.push(await turns('full-stack'));
  }
  expect(Math.min(...full.map(({ cpu }) => cpu)) / Math.min(...bare)).toBeLessThan(8);
  expect(full.map(({ kept }) => kept)).toEqual([1, 1]);
}, 180_000);
