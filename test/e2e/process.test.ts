// Processes that are killed: nothing finished is lost or done twice, and the model never sees a broken history.
import { expect, test } from 'vitest';
import { faultsOf, type KillRun, runWithKills } from './kill/kill-run.ts';

test.each([1, 2])(
  'case P18, security N4: kill -9 at random moments of a long run with parallel calls and children, seed %i',
  async (seed) => {
    const run = await runWithKills(seed, 6);
    expect(faultsOf(run)).toEqual([]);
    expect(run.kills).toBeGreaterThan(0);
  },
  120_000,
);

test('the kill test sees what it is there to see', async () => {
  const run = await runWithKills(0, 0);
  const [first = '', ...rest] = run.stamps;
  const [parent = '', log = []] = Object.entries(run.logs)[0]!;
  const broken = { kept: 0.5, firstDifference: { place: 'system 0', before: 'a', after: 'b' } };
  const faults = (change: Partial<KillRun>) => faultsOf({ ...run, ...change });
  const withLog = (events: typeof log) => faults({ logs: { ...run.logs, [parent]: events } });

  expect(faults({})).toEqual([]);
  expect(faults({ stamps: [first, ...run.stamps] })).toEqual([`effect ${first} happened twice`]);
  expect(faults({ stamps: rest })).toEqual([`effect ${first} was lost`]);
  expect(faults({ problems: [{ rule: 'pairing' }] })).toEqual([
    'the model server refused a request: {"rule":"pairing"}',
  ]);
  expect(faults({ prefixes: [{ conversation: '', requests: 2, steps: [broken] }] })).toEqual([
    `the prefix broke: ${JSON.stringify(broken)}`,
  ]);
  expect(withLog(log.filter((event) => event.type !== 'run-end'))).toEqual(['the run ended 0 times: undefined']);
  expect(withLog(log.filter((event) => !('callId' in event && event.type === 'tool-call-start')))).toContain(
    `effect ${first} happened before its start was stored`,
  );
  const ends = log.filter((event) => event.type === 'tool-call-end' && event.callId === first);
  expect(withLog([...log, ...ends])).toEqual([`call ${first} ended twice`]);
  expect(withLog(log.filter((event) => !ends.includes(event)))).toEqual([`call ${first} has no end`]);
}, 60_000);
