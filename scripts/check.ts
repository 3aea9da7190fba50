// `npm run check`: everything that needs no test run. Steps run side by side; only what failed is printed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Name and npm script; slowest first. */
const steps = [
  ['types', 'types'],
  ['unused files and packages', 'knip'],
  ['layers', 'layers'],
  ['format and lint', 'lint'],
  ['package', 'publint'],
  ['indexes', 'indexes'],
  ['reference pages', 'reference -- --check'],
  ['sizes', 'sizes'],
] as const;

const failed: string[] = [];
const queue = [...steps];

async function worker(): Promise<void> {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const [name, script] = step;
    const started = performance.now();
    const { ok, output } = await run(script);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
    if (ok) continue;
    failed.push(script);
    console.log(`${output.trimEnd().replace(/^/gm, '  ')}\n`);
  }
}

function run(script: string): Promise<{ ok: boolean; output: string }> {
  return new Promise((done) => {
    const child = spawn('npm', ['run', '--silent', ...script.split(' ')], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => done({ ok: false, output: String(error) }));
    child.on('close', (code) => done({ ok: code === 0, output }));
  });
}

await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
if (failed.length > 0) console.log(`Failed: ${failed.map((script) => `npm run ${script}`).join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
