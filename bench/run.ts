// `npm run bench [-- --peers] [--reps <n>] [--only <name,name>]`: measures Rein beside bare loops and other libraries,
// one process a figure, the subjects taking turns, and writes docs/benchmarks.md. `--peers` installs those libraries first.
// With `--only` nothing is written.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installPeers, prepare } from './prepare.ts';
import { ModelServer } from './processes.ts';
import { describeMachine, medianOf, toFullStackTable, toTable } from './report.ts';
import { clear, type Figures, measureLoop, measureProgram } from './scenarios.ts';

const { values } = parseArgs({
  options: { peers: { type: 'boolean' }, reps: { type: 'string', default: '3' }, only: { type: 'string' } },
});
const root = resolve(import.meta.dirname, '..');
const page = resolve(root, 'docs/benchmarks.md');
if (values.peers) installPeers();
const built = spawnSync(process.execPath, [resolve(root, 'scripts/build.ts'), '--fast'], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
const prepared = await prepare('run');
const subjects = [...prepared.loops.keys(), 'program'].filter((name) => values.only?.split(',').includes(name) ?? true);
const found = new Map<string, Figures[]>(subjects.map((name) => [name, []]));
const server = await ModelServer.start(prepared.server);
const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'));
try {
  for (let repetition = 1; repetition <= Number(values.reps); repetition++) {
    for (const subject of subjects) {
      console.log(`${repetition}/${values.reps} ${subject}`);
      const bench = { prepared, server, folder: `${folder}/${repetition}-${subject}` };
      mkdirSync(bench.folder);
      const file = prepared.loops.get(subject);
      found.get(subject)!.push(await (file ? measureLoop(bench, file) : measureProgram(bench)));
      clear(bench.folder);
    }
  }
} finally {
  server.stop();
  clear(folder);
}
const medians = new Map([...found].map(([name, figures]) => [name, medianOf(figures)]));
const table = [toTable(medians), toFullStackTable(medians)].filter((one) => one !== undefined).join('\n\n');
console.log(table);
if (!values.only) writePage(table);

/** Replaces what stands between the marks; the words around it are written by people. */
function writePage(text: string): void {
  const missing = prepared.loops.has('ai')
    ? ''
    : '\n\nOther libraries were not installed (`npm run bench -- --peers`); their columns are left out.';
  const measured = `Measured ${describeMachine()}; medians of ${values.reps} interleaved repetitions.${missing}\n\n${text}`;
  const marks = /(<!-- measured -->)[\s\S]*(<!-- end -->)/;
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(marks, (_, start, end) => `${start}\n${measured}\n${end}`),
  );
}
