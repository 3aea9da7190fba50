// How long the program takes to start, beside a Node that does nothing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const rein = resolve(import.meta.dirname, '../bin/rein.js');
const home = mkdtempSync(join(tmpdir(), 'rein-bench-'));
const rounds = 15;

function milliseconds(...args: string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, REIN_HOME: home } });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

try {
  milliseconds(rein, '--version'); // fills the compile cache
  const bare: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(milliseconds('-e', '0'));
    own.push(milliseconds(rein, '--version'));
  }
  const ratio = (median(own) / median(bare)).toFixed(2);
  console.log(`node: ${median(bare).toFixed(0)} ms, rein --version: ${median(own).toFixed(0)} ms, ratio ${ratio}`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
