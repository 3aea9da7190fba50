/** One loop, one scenario, one process: `measure.js <loop file> <model> <sessions> <base url> <folder>` prints one line of JSON. */
import { readFileSync } from 'node:fs';
import type { LoopModule } from './loops/loop.ts';

export interface Measurement {
  /** User and system time of the work, without loading. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most memory this process ever had. */
  readonly rssMb: number;
  /** Sent to the disk by this process. */
  readonly writtenMb: number;
  /** Pieces of text that arrived. */
  readonly pieces: number;
}

const [file = '', model = '', sessions = '1', baseUrl = '', folder = ''] = process.argv.slice(2);
const { createLoop } = (await import(file)) as LoopModule;
const loop = await createLoop({ baseUrl, model, folder });
let pieces = 0;
const written = writtenMb();
const cpu = process.cpuUsage();
const started = performance.now();
const prompts = Array.from({ length: Number(sessions) }, (_, index) => `Please do the work of session-${index}`);
const texts = await Promise.all(prompts.map((prompt) => loop.run(prompt, () => pieces++)));
const wallMs = performance.now() - started;
const { user, system } = process.cpuUsage(cpu);
await loop.close?.();
if (texts.some((text) => text === '')) throw new Error('a run ended without a word');
console.log(
  JSON.stringify({
    cpuMs: (user + system) / 1000,
    wallMs,
    rssMb: process.resourceUsage().maxRSS / 1024,
    writtenMb: writtenMb() - written,
    pieces,
  } satisfies Measurement),
);
process.exit();

function writtenMb(): number {
  const [, bytes = '0'] = /^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8')) ?? [];
  return Number(bytes) / 2 ** 20;
}
