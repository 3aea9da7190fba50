// `npx node bench/safety.ts`: what the checks before and after a tool call cost: opening a file beneath the working
// folder, judging a command with its parse, taking secrets out of a result. CPU time; the lowest of several rounds.
import { closeSync, fstatSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decide } from '../src/services/permissions/decide.ts';
import { createShellJudge } from '../src/services/permissions/shell/judge.ts';
import { loadShellParser } from '../src/services/permissions/shell/tree.ts';
import { createRedactor } from '../src/services/redaction/redact.ts';
import { createWorkspace } from '../src/services/workspace/workspace.ts';

const rounds = 15;

/** CPU microseconds of one pass, the lowest of all rounds. */
async function measure(passes: number, pass: (n: number) => unknown): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    for (let n = 0; n < passes; n++) await pass(n);
    const { user, system } = process.cpuUsage(before);
    // The first warms up.
    if (round > 0) lowest = Math.min(lowest, (user + system) / passes);
  }
  return lowest;
}

const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'));
mkdirSync(join(folder, 'src/services/deep'), { recursive: true });
for (let n = 0; n < 100; n++) writeFileSync(join(folder, `src/services/deep/${n}.ts`), 'x');

const parse = await loadShellParser();
const commands = readFileSync(join(import.meta.dirname, 'safety-commands.txt'), 'utf8')
  .split('\n')
  .filter(Boolean);
const rules = {
  allow: ['bash(git log *)', 'bash(npm test *)', 'bash(wc *)', 'edit_file(src/**)', 'read_file(docs/**)'],
  ask: ['bash(git push *)', 'bash(npm publish *)'],
  deny: ['bash(rm *)', 'bash(curl *)', 'read_file(./secrets/**)', 'bash(sudo *)'],
};
const place = { cwd: folder, roots: [], home: join(folder, 'home'), userHome: '/home/somebody' };
const lock = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8').slice(0, 102_400);
const redact = createRedactor([['A_KEY', 'sk-bench-0123456789abcdef']]);

function judge(command: string): unknown {
  // Nothing is kept from one call to the next.
  const shell = createShellJudge({ parse });
  const call = { tool: 'bash', risk: 'execute', input: { command } } as const;
  const sandbox = 'proven' as const;
  return decide({ ...place, mode: 'default', rules, grants: [], call, sandbox, interactive: true, shell });
}

const rows: [name: string, target: number, unit: string, cost: number][] = [];
try {
  const workspace = createWorkspace(folder, { limits: { lines: 2000, bytes: 50_000 } });
  const name = (n: number) => `src/services/deep/${n % 100}.ts`;
  const plain = (n: number) => {
    const fd = openSync(join(folder, name(n)), 'r');
    fstatSync(fd);
    closeSync(fd);
  };
  const open = await measure(2000, (n) => workspace.info(name(n)));
  rows.push(['a file looked up through the opener, four names deep', 50, 'µs', open]);
  rows.push(['the same by its path, unchecked', Number.NaN, 'µs', await measure(2000, plain)]);
  const all = await measure(10, () => commands.map(judge));
  rows.push(['a command judged, with its parse; mean of thirty', 1, 'ms', all / commands.length / 1000]);
  const costs: number[] = [];
  for (const command of commands) costs.push(await measure(20, () => judge(command)));
  rows.push(['the slowest of them', 1, 'ms', Math.max(...costs) / 1000]);
  rows.push(['secrets looked for in 100 KB of a lock file', 1, 'ms', (await measure(20, () => redact(lock))) / 1000]);
} finally {
  rmSync(folder, { recursive: true });
}
console.log('|  | target | CPU |\n| --- | --: | --: |');
for (const [name, target, unit, cost] of rows) {
  const goal = Number.isNaN(target) ? '' : `≤ ${target} ${unit}`;
  console.log(`| ${name} | ${goal} | ${cost.toFixed(unit === 'µs' ? 0 : 2)} ${unit} |`);
}
