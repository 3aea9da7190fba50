// A plan whose process is killed at every edge goes on where it was: no step twice, no agent anew, one result.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createTempHome } from 'rein/testing';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/protocol/event.ts';

type Log = readonly StoredEvent[];

type Way = 'checked' | 'replanned';

function work(temp: { home: string; workspace: string }, kill: 'kill' | 'finish', way: Way) {
  const worker = join(import.meta.dirname, 'kill', 'plan-worker.ts');
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [worker, temp.home, temp.workspace, kill, way],
    {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    },
  );
  if (signal === 'SIGKILL') return undefined;
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Log;
}

const edgesOf = (log: Log) => log.flatMap((event) => (event.type === 'plan-update' ? (event.edge ?? []) : []));
const childrenOf = (log: Log) =>
  log.flatMap((event) => (event.type === 'plan-update' && !event.edge && event.child ? [event.child] : []));

/** The log of a plan that was killed at every edge, and of one that was not. */
async function runWithKills(temp: { home: string; workspace: string }, way: Way) {
  await using whole = await createTempHome();
  const unharmed = work(whole, 'finish', way)!;
  let kills = 0;
  let log = work(temp, 'kill', way);
  for (; log === undefined && kills < 60; kills++) log = work(temp, 'kill', way);
  return { kills, log, unharmed };
}

test('case P18, security N4: kill -9 at each edge of a plan', async () => {
  await using temp = await createTempHome();
  const { kills, log, unharmed } = await runWithKills(temp, 'checked');
  expect(edgesOf(log!)).toEqual(edgesOf(unharmed));
  expect(edgesOf(log!).join(' ')).toBe(
    'planner confirm executor executor checks checks reviewer count_retry executor checks checks reviewer finalize END',
  );
  expect(childrenOf(log!)).toEqual(childrenOf(unharmed));
  expect(kills).toBeGreaterThan(15);
  expect((await temp.read('stamps.txt')).split('\n').filter(Boolean)).toEqual(['step_1', 'step_2', 'step_1']);
  expect(log!.filter(({ type }) => type === 'run-end')).toMatchObject([
    { stop: 'completed', verification: { status: 'verified' } },
  ]);
}, 120_000);

test('case P18, security N4: kill -9 at each edge of a plan that fails, is made anew and asks', async () => {
  await using temp = await createTempHome();
  const { kills, log, unharmed } = await runWithKills(temp, 'replanned');
  expect(edgesOf(log!)).toEqual(edgesOf(unharmed));
  expect(edgesOf(log!).join(' ')).toBe(
    'planner executor executor reviewer count_retry planner executor executor reviewer ask_user planner executor executor reviewer finalize END',
  );
  expect(childrenOf(log!)).toEqual(childrenOf(unharmed));
  expect(kills).toBeGreaterThan(20);
  expect(log!.filter(({ type }) => type === 'interrupt-open')).toHaveLength(1);
  expect(log!.filter(({ type }) => type === 'run-end')).toMatchObject([
    { stop: 'completed', verification: { status: 'unverified' } },
  ]);
}, 120_000);
