// An agent against a model server that is as strict as the real ones, over HTTP, on each of the four wires.
import assert from 'node:assert/strict';
import { createHarness } from 'rein';
import { createTempHome, startModelServer } from 'rein/testing';

const wires = { chat: 'custom', responses: 'openai', anthropic: 'anthropic', gemini: 'gemini' } as const;

for (const [wire, provider] of Object.entries(wires) as [keyof typeof wires, string][]) {
  await using temp = await createTempHome({ 'menu.txt': 'tea\ncoffee\n' });
  await using server = await startModelServer({
    respond: ({ results }) =>
      results.length === 0
        ? { reasoning: 'Look first.', calls: [{ name: 'read_file', input: { file_path: 'menu.txt' } }] }
        : { text: `The menu says: ${results[0]?.text.includes('coffee') ? 'coffee' : 'nothing'}.` },
  });
  const prefix = provider.toUpperCase();
  const harness = await createHarness({
    home: temp.home,
    cwd: temp.workspace,
    env: { [`${prefix}_API_KEY`]: 'any', [`${prefix}_BASE_URL`]: server.url(wire), [`${prefix}_MODEL_NAME`]: 'any' },
  });
  const session = await harness.open();
  const outcome = await session.run('What is on the menu?');
  await harness.close();

  assert.equal(outcome.text, 'The menu says: coffee.');
  // No request was refused, and each one kept all of the one before it, so the provider's cache holds.
  server.assertComplete();
  assert.deepEqual(
    server.prefixReport().flatMap(({ steps }) => steps),
    [{ kept: 1 }],
  );
}
