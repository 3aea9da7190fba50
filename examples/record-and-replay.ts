// A recorded session played again without a model: it fails at the first request that is not what was recorded.
import assert from 'node:assert/strict';
import { createHarness } from 'rein';
import { createReplayProvider, createScriptedProvider, createTempHome, readExport } from 'rein/testing';

await using temp = await createTempHome({ 'menu.txt': 'tea\n' });
// Time is part of what the model is told, so both runs get the same.
const clock = { now: () => 0, monotonic: () => performance.now(), sleep: async () => {} };
const options = { home: temp.home, cwd: temp.workspace, clock };

// Record: any run of any model. The script stands in for one.
const recording = await createHarness({
  ...options,
  provider: createScriptedProvider({
    script: [{ calls: [{ name: 'read_file', input: { file_path: 'menu.txt' } }] }, { text: 'Tea.' }],
  }),
});
const recorded = await recording.open();
await recorded.run('What is on the menu?');
// The same text as `rein sessions export <id>`.
const exported = (await Array.fromAsync((await recording.store()).export(recorded.id))).join('');
await recording.close();

async function replay(prompt: string): Promise<string | undefined> {
  const harness = await createHarness({ ...options, provider: createReplayProvider(readExport(exported)) });
  const session = await harness.open();
  const { text, error } = await session.run(prompt);
  await harness.close();
  return error ? String(error.params.detail) : text;
}

assert.equal(await replay('What is on the menu?'), 'Tea.');
assert.equal(await replay('What is for lunch?'), 'Request 0 differs from the recording: message 1.');
