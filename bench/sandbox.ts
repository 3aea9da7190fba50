// `npx node bench/sandbox.ts [commands]`: what the sandbox costs a command. Runs `true` bare and sandboxed in turns, in a
// folder with a repository, and prints both and the difference of neighbours; on a busy machine
// the lowest tenth and the CPU time say more than the median.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseSandbox } from '../src/services/sandbox/choose-sandbox.ts';
import { createCommands } from '../src/services/sandbox/commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'));
const root = join(folder, 'work');
mkdirSync(join(root, '.git/hooks'), { recursive: true });
writeFileSync(join(root, '.git/config'), '');
const path = '/usr/bin:/bin';
const places = {
  roots: [root],
  userHome: join(folder, 'home'),
  secrets: [],
  visible: [],
  aside: join(folder, 'aside'),
};
const began = performance.now();
const { driver } = await chooseSandbox('required', { ...places, path });
console.log(`canary: ${(performance.now() - began).toFixed(0)} ms, once a process`);
const limits = { outputBytes: 1000, timeoutSeconds: 60, maxTimeoutSeconds: 60 };
const bare = createCommands({ cwd: root, environment: { PATH: path }, limits });
const held = createCommands({ cwd: root, environment: { PATH: path }, limits, driver });
const { signal } = new AbortController();

/** CPU milliseconds of all ended children so far. */
function childTime(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

async function measure(commands: typeof bare): Promise<{ time: number; cpu: number }> {
  const [start, before] = [performance.now(), childTime()];
  await commands.run({ command: 'true', signal });
  return { time: performance.now() - start, cpu: childTime() - before };
}

const count = Number(process.argv[2] ?? 100);
const rounds: [number, number][] = [];
const cpu: [number, number] = [0, 0];
for (let n = 0; n < count; n++) {
  const [plain, boxed] = [await measure(bare), await measure(held)];
  rounds.push([plain.time, boxed.time]);
  cpu[0] += plain.cpu / count;
  cpu[1] += boxed.cpu / count;
}
const at = (share: number, values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length * share)]!.toFixed(1);
for (const [name, share] of [
  ['median', 0.5],
  ['lowest tenth', 0.1],
] as const) {
  const [plain, boxed] = [0, 1].map((n) =>
    at(
      share,
      rounds.map((round) => round[n]!),
    ),
  );
  console.log(
    `${name}: bare ${plain} ms, sandboxed ${boxed} ms, difference ${at(
      share,
      rounds.map(([a, b]) => b - a),
    )} ms`,
  );
}
console.log(
  `CPU: bare ${cpu[0].toFixed(1)} ms, sandboxed ${cpu[1].toFixed(1)} ms, difference ${(cpu[1] - cpu[0]).toFixed(1)} ms`,
);
await bare.close();
await held.close();
rmSync(folder, { recursive: true, force: true });
