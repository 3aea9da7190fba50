// Runs the worker, kills it with SIGKILL at seeded random moments, and starts it again until it has finished.
// As a program: `node test/e2e/kill/soak.ts <first seed> <last seed>`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import { createTempHome, type PrefixReport, startModelServer } from '../../../src/testing/index.ts';
import { plannedStamps, respond } from './script.ts';

export interface KillRun {
  readonly kills: number;
  /** Call ids, in the order in which they were stamped. */
  readonly stamps: readonly string[];
  /** Events by session, the parent's first. */
  readonly logs: Readonly<Record<string, readonly StoredEvent[]>>;
  readonly problems: readonly unknown[];
  readonly prefixes: readonly PrefixReport[];
}

const maxStarts = 60;
/** About what a worker needs from its start to its first request. */
const startMs = 600;

/**
 * Kills come some milliseconds after the first to eighth request of a process, or while it starts, until `maxKills`
 * were made. Throws when a process fails by itself, or does not finish in 60 starts.
 */
export async function runWithKills(seed: number, maxKills: number): Promise<KillRun> {
  const random = createRandom(seed);
  const temp = await createTempHome({ 'stamps.txt': '' });
  let onRequest = () => {};
  const server = await startModelServer({
    respond(request) {
      onRequest();
      return respond(request);
    },
  });
  try {
    let kills = 0;
    for (let start = 0; start < maxStarts; start += 1) {
      const worker = startWorker([temp.home, temp.workspace, server.url('chat')]);
      const kill = () => worker.child.kill('SIGKILL');
      const [kind, when, delay] = [random(), random(), random() * 20];
      onRequest = () => {};
      if (kills < maxKills && kind < 0.25) void setTimeout(when * startMs).then(kill);
      else if (kills < maxKills)
        onRequest = countdown(1 + Math.floor(when * 8), () => void setTimeout(delay).then(kill));
      const { code, signal, stdout, stderr } = await worker.done;
      if (signal === 'SIGKILL') kills += 1;
      else if (code !== 0) throw new Error(`Seed ${seed}, start ${start}: the worker ended with ${code}.\n${stderr}`);
      else {
        const stamps = (await temp.read('stamps.txt')).split('\n').filter(Boolean);
        const { problems } = server;
        return { kills, stamps, logs: JSON.parse(stdout), problems, prefixes: server.prefixReport() };
      }
    }
    throw new Error(`Seed ${seed}: not finished after ${maxStarts} starts.`);
  } finally {
    await server.close();
    await temp.remove();
  }
}

/** What a run with kills must not show; empty when all is well. */
export function faultsOf({ stamps, logs, problems, prefixes }: KillRun): string[] {
  const events = Object.values(logs).flat();
  const ends = events.filter((event) => event.type === 'tool-call-end');
  const finished = ends.filter((event) => event.status === 'ok').map((event) => event.callId);
  const began = new Set(events.filter((event) => event.type === 'tool-call-start').map((event) => event.callId));
  const planned = plannedStamps();
  const ended = Object.values(logs)[0]!.filter((event) => event.type === 'run-end');
  return [
    ...stamps.filter((id, at) => stamps.indexOf(id) !== at).map((id) => `effect ${id} happened twice`),
    ...planned.filter((id) => finished.includes(id) && !stamps.includes(id)).map((id) => `effect ${id} was lost`),
    ...planned.filter((id) => !ends.some((end) => end.callId === id)).map((id) => `call ${id} has no end`),
    ...ends
      .filter((end, at) => ends.findIndex((other) => other.callId === end.callId) !== at)
      .map(({ callId }) => `call ${callId} ended twice`),
    ...ends
      .filter(({ status }) => status !== 'ok' && status !== 'interrupted')
      .map(({ callId, status }) => `call ${callId} ended as ${status}`),
    ...stamps.filter((id) => !began.has(id)).map((id) => `effect ${id} happened before its start was stored`),
    ...(ended.length === 1 && ended[0]!.stop === 'completed'
      ? []
      : [`the run ended ${ended.length} times: ${ended[0]?.stop}`]),
    ...problems.map((problem) => `the model server refused a request: ${JSON.stringify(problem)}`),
    ...prefixes
      .flatMap(({ steps }) => steps.filter(({ kept }) => kept < 1))
      .map((step) => `the prefix broke: ${JSON.stringify(step)}`),
  ];
}

function startWorker(args: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'worker.ts'), ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const done = new Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>(
    (resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, ...output }));
    },
  );
  return { child, done };
}

/** Acts at the given call. */
function countdown(calls: number, act: () => void): () => void {
  let left = calls;
  return () => {
    left -= 1;
    if (left === 0) act();
  };
}

/** Numbers from 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
