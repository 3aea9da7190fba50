/** What is measured of each loop, and of the program. Each function is one repetition and returns its figures. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Prepared } from './prepare.ts';
import { type ModelServer, machineMs, measure, runNode } from './processes.ts';

/** Figures by name; `report.ts` knows their units. */
export type Figures = Partial<Record<FigureName, number>>;

export type FigureName =
  | 'turnCpu'
  | 'lateGap'
  | 'growth'
  | 'parallelGap'
  | 'streamCpu'
  | 'argsCpu'
  | 'sessionsWall'
  | 'sessionsCpu'
  | 'sessionsRss'
  | 'rss'
  | 'cold'
  | 'resume'
  | 'disk'
  | 'written'
  | 'firstRequest'
  | 'kept';

export interface Bench {
  readonly prepared: Prepared;
  readonly server: ModelServer;
  /** A folder for this repetition of this loop. */
  readonly folder: string;
}

const program = resolve(import.meta.dirname, '../bin/rein.js');

/** All scenarios of one loop. */
export async function measureLoop(bench: Bench, loop: string): Promise<Figures> {
  const { server, prepared } = bench;
  const run = async (model: string, sessions = 1) => {
    const folder = `${bench.folder}/${model}-${sessions}`;
    mkdirSync(folder, { recursive: true });
    await server.reset();
    const started = machineMs();
    const measured = await measure(prepared.measure, server, { loop, model, sessions, folder });
    return { ...measured, started, folder, conversations: await server.conversations() };
  };
  const short = await run('turns-10');
  const long = await run('turns-300');
  const [talk] = long.conversations;
  const early = percentile(talk!.gaps.slice(50, 150), 0.2);
  const late = percentile(talk!.gaps.slice(200), 0.2);
  const parallel = await run('parallel-10');
  const stream = await run('stream-20000');
  const args = await run('args-5000');
  const many = await run('turns-20', 50);
  if (many.conversations.length !== 50) throw new Error('not all sessions were seen');
  const stored = folderMb(`${long.folder}/home`);
  return {
    turnCpu: (long.cpuMs - short.cpuMs) / 290,
    lateGap: late,
    growth: (late - early) / 1.5,
    parallelGap: parallel.conversations[0]!.gaps[0],
    streamCpu: stream.cpuMs / 1000,
    argsCpu: args.cpuMs / 1000,
    sessionsWall: many.wallMs / 1000,
    sessionsCpu: many.cpuMs / 1000,
    sessionsRss: many.rssMb,
    rss: long.rssMb,
    cold: short.conversations[0]!.arrivals[0]! - short.started,
    firstRequest: talk!.sizes[0]! / 1000,
    kept: talk!.kept,
    ...(stored !== undefined && { disk: stored, written: long.writtenMb }),
  };
}

/** The program itself: its start, and a session of 300 turns that another process goes on with. */
export async function measureProgram(bench: Bench): Promise<Figures> {
  const home = `${bench.folder}/home`;
  const workspace = `${bench.folder}/workspace`;
  mkdirSync(workspace, { recursive: true });
  for (let file = 0; file < 10; file++) writeFileSync(`${workspace}/file-${file}.txt`, 'a line of text\n'.repeat(68));
  const rein = async (model: string, ...args: string[]) => {
    const env = {
      REIN_HOME: home,
      CUSTOM_BASE_URL: bench.server.baseUrl,
      CUSTOM_API_KEY: 'x',
      CUSTOM_MODEL_NAME: model,
    };
    const started = machineMs();
    await runNode([program, ...args], { env, cwd: workspace });
    return started;
  };
  await rein('turns-1', '-p', 'fill the compile cache');
  await bench.server.reset();
  const coldStart = await rein('turns-1', '-p', 'hi');
  const [cold] = await bench.server.conversations();
  await bench.server.reset();
  await rein('turns-300', '--max-turns', '400', '-p', 'Read the files of session-0');
  const resumeStart = await rein('turns-300', '-c', '-p', 'go on');
  const [talk] = await bench.server.conversations();
  if (talk!.arrivals.length !== 301) throw new Error(`the session has ${talk!.arrivals.length} requests, not 301`);
  return {
    cold: cold!.arrivals[0]! - coldStart,
    firstRequest: cold!.sizes[0]! / 1000,
    resume: talk!.arrivals.at(-1)! - resumeStart,
    kept: talk!.kept,
  };
}

function folderMb(folder: string): number | undefined {
  const files = statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : undefined;
  return files
    ?.filter((file) => file.startsWith('rein.db'))
    .reduce((sum, file) => sum + statSync(`${folder}/${file}`).size / 2 ** 20, 0);
}

/** The value below which a share (0 to 1) of the values lies; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Removes a folder with all that is in it. */
export function clear(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
