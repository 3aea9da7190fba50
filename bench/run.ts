// `npm run bench [-- name …]`: runs bench/*.bench.ts one after the other, each in a process of its own.
// They measure the bundle, so it is built first.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => wanted.length === 0 || wanted.includes(file.replace('.bench.ts', '')));

const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

let status = run('scripts/build.ts', '--fast');
for (const file of status === 0 ? benches : []) {
  console.log(`\n== ${file.replace('.bench.ts', '')}`);
  status ||= run(resolve(import.meta.dirname, file));
}
process.exitCode = status;
