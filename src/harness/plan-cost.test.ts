/** What a step of a plan and a session cost the store, in what can be counted: times depend on the machine. */
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, expect, it, vi } from 'vitest';
import { planRigs } from '../testing/plan/plan-rig.ts';
import { plan } from '../testing/plan/plan-script.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig } from '../testing/session-rig.ts';

const start = planRigs(afterEach);

/** The statements that `work` runs, by their first word. */
async function statementsOf(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const spies = [vi.spyOn(StatementSync.prototype, 'run'), vi.spyOn(StatementSync.prototype, 'all')];
  try {
    await work();
    const texts = spies.flatMap(({ mock }) => (mock.contexts as StatementSync[]).map(({ sourceSQL }) => sourceSQL));
    // How often a timer looks at what other processes did depends on the machine.
    const own = texts.filter((text) => !/^(PRAGMA|SELECT DISTINCT)/.test(text)).map((text) => text.split(' ', 1)[0]!);
    return new Map([...Map.groupBy(own, (word) => word)].map(([word, all]) => [word, all.length]));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

async function runPlan(steps: number) {
  const rig = await start({ planner: [plan(...Array.from({ length: steps }, () => ({})))] });
  const statements = await statementsOf(() => rig.session.run('Do it.'));
  return { rig, statements };
}

it('a step is stored in three writes: where it begins, its first words, and its last, which give it up', async () => {
  const [few, more] = [await runPlan(2), await runPlan(6)];
  const perStep = [...more.statements].map(([word, count]) => [word, (count - few.statements.get(word)!) / 4]);
  expect(Object.fromEntries(perStep)).toEqual({ BEGIN: 3, COMMIT: 3, UPDATE: 3, INSERT: 6, SELECT: 1 });
});

it('a child has a row for each write, its prompt is that of its siblings, and nobody holds it any more', async () => {
  const { rig } = await runPlan(6);
  const db = new DatabaseSync(`${rig.place.home}/rein.db`, { readOnly: true });
  const all = (query: string) =>
    db
      .prepare(query)
      .all()
      .map((row) => Object.values(row)[0]);
  const children = 'FROM events JOIN sessions ON key = session WHERE parent IS NOT NULL';
  expect(all(`SELECT COUNT(*) ${children} GROUP BY session`)).toEqual([3, 3, 3, 3, 3, 3, 3, 3]);
  expect(all(`SELECT COUNT(prompt) ${children}`)).toEqual([8]);
  expect(all('SELECT COUNT(*) FROM prompts')).toEqual([3]);
  expect(all('SELECT COUNT(owner) FROM sessions WHERE parent IS NOT NULL')).toEqual([0]);
  db.close();
});

it('a further session of a harness begins in one write, and stores no prompt of its own', async () => {
  await using rig = await createSessionRig({ provider: createScriptedProvider({ respond: () => ({ text: 'done' }) }) });
  await rig.session.run('go');
  let further = rig.session;
  const opening = await statementsOf(async () => {
    further = await rig.harness.open();
  });
  expect(Object.fromEntries(opening)).toEqual({ BEGIN: 1, COMMIT: 1, INSERT: 2 });
  await further.run('go');
  const db = new DatabaseSync(`${rig.place.home}/rein.db`, { readOnly: true });
  expect(db.prepare('SELECT COUNT(*) AS count FROM prompts').get()).toEqual({ count: 1 });
  db.close();
});
