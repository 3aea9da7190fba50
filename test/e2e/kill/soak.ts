// Many kill runs, one after the other: node test/e2e/kill/soak.ts <first seed> <last seed>
import { faultsOf, runWithKills } from './kill-run.ts';

const [first = 1, last = 20] = process.argv.slice(2).map(Number);
let failed = 0;
for (let seed = first; seed <= last; seed += 1) {
  const run = await runWithKills(seed, 25);
  const faults = faultsOf(run);
  if (faults.length > 0) failed += 1;
  process.stdout.write(
    `seed ${seed}: ${run.kills} kills, ${run.stamps.length} effects, ${faults.join('; ') || 'all well'}\n`,
  );
}
process.exitCode = failed > 0 ? 1 : 0;
