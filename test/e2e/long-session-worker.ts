// One long session in a process of its own, which tells how much memory it holds on to after a collection.
// Usage: node --expose-gc long-session-worker.ts <home> <workspace> <provider> <env prefix> <base URL> <task>
import { echo } from '../../src/harness/__fixtures__/echo.ts';
import { createHarness } from '../../src/harness/create-harness.ts';

const [home, cwd, provider, prefix, baseUrl, task] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const harness = await createHarness({
  home,
  cwd,
  env: { PATH: process.env.PATH, [`${prefix}_API_KEY`]: 'sk-test-0123456789', [`${prefix}_BASE_URL`]: baseUrl },
  flags: { model: `${provider}/m-1`, maxTurns: 2000 },
  tools: [echo],
});
const session = await harness.open();
/** Megabytes that are still needed, every 20 turns. */
const held: number[] = [];
let turns = 0;
let longest = 0;
const events: WeakRef<object>[] = [];
const messages: WeakRef<object>[] = [];
session.listen((event) => {
  events.push(new WeakRef(event));
  if (event.type === 'message') messages.push(new WeakRef(event.message));
  if (event.type !== 'turn-end') return;
  longest = Math.max(longest, session.state?.messages.length ?? 0);
  if (++turns % 20 !== 0) return;
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  held.push((heapUsed + external) / 2 ** 20);
});
const outcome = await session.run(task);
// A reference that was looked at holds its object until the job ends.
await new Promise((resolve) => setTimeout(resolve, 0));
globalThis.gc!();
const alive = (refs: readonly WeakRef<object>[]) => refs.filter((ref) => ref.deref()).length;
const left = { events: alive(events), messages: alive(messages) };
await harness.close();
process.stdout.write(JSON.stringify({ outcome, held, longest, left, seen: messages.length }));
