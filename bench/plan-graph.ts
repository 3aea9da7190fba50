// CPU of the plan graph: `node bench/plan-graph.ts`. A plan of 20 steps with one call each beside the same calls in one
// plain run, and a graph of 1000 edges without agents. Medians of several rounds.
import { createHarness, defineGraph, defineTool, z } from 'rein';
import { createScriptedProvider, createTempHome, type ScriptRequest, type Turn } from 'rein/testing';

const steps = 20;
const rounds = 15;

const touch = defineTool({
  name: 'touch',
  description: 'Touches a thing.',
  input: z.object({ number: z.number() }),
  risk: 'read',
  execute: ({ number }) => `touched ${number}`,
});

const plan = {
  task_goal: 'touch all',
  task_type: 'automation',
  success_criteria: ['all are touched'],
  steps: Array.from({ length: steps }, (_, at) => ({
    id: `step_${at + 1}`,
    description: `touch ${at}`,
    required_tool: 'touch',
    expected_output: 'touched',
    risk_level: 'low',
  })),
  requires_user_confirmation: false,
};
const report = { status: 'success', result_summary: 'touched' };
const review = { verdict: 'pass', score: 1, issues: [], next_action: 'finalize' };
const call = (number: number): Turn => ({ calls: [{ name: 'touch', input: { number } }] });
const say = (value: unknown): Turn => ({ text: JSON.stringify(value) });

function planned({ system, results }: ScriptRequest): Turn {
  if (system.includes('You are the planner')) return say(plan);
  if (system.includes('You are the reviewer')) return say(review);
  return results.length === 0 ? call(0) : say(report);
}

/** As many model calls as the plan makes: one a step for the call, one for the report, planner and reviewer. */
function plain({ results, calls, userTexts }: ScriptRequest): Turn {
  const turns = Math.max(calls.length, results.length);
  return turns < 2 * steps + 1 ? call(turns) : { text: `done ${userTexts.length}` };
}

const tiny = defineGraph({
  name: 'tiny',
  first: 'count',
  nodes: { count: { step: ({ n }) => ({ edge: Number(n) < 999 ? 'count' : 'END', patch: { n: Number(n) + 1 } }) } },
  edges: [
    { from: 'count', to: 'count' },
    { from: 'count', to: 'END' },
  ],
  start: () => ({ n: 0 }),
  finish: () => ({ text: 'done', stop: 'completed' }),
});

await using temp = await createTempHome();
async function cpuOf(respond: (request: ScriptRequest) => Turn, open: object): Promise<number> {
  const harness = await createHarness({
    home: temp.home,
    cwd: temp.workspace,
    provider: createScriptedProvider({ respond }),
    tools: [touch],
    flags: { maxTurns: 100 },
  });
  const session = await harness.open(open);
  const before = process.cpuUsage();
  const { stop } = await session.run('Touch all.');
  const { user, system } = process.cpuUsage(before);
  await harness.close();
  if (stop !== 'completed') throw new Error(stop);
  return (user + system) / 1000;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const times = { plain: [] as number[], planned: [] as number[], edges: [] as number[] };
for (let round = 0; round < rounds + 3; round++) {
  const one = {
    plain: await cpuOf(plain, {}),
    planned: await cpuOf(planned, { plan: true }),
    edges: await cpuOf(planned, { plan: { graph: tiny } }),
  };
  if (round >= 3) for (const name of ['plain', 'planned', 'edges'] as const) times[name].push(one[name]);
}
const [a, b, c] = [median(times.plain), median(times.planned), median(times.edges)];
console.log(
  `${2 * steps + 2} model calls, ${steps} steps: plain ${a.toFixed(1)} ms, plan ${b.toFixed(1)} ms CPU (${(b / a).toFixed(2)} x)`,
);
console.log(`one edge: ${(c / 1000).toFixed(3)} ms CPU`);
