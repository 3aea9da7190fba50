// A tool of your own, tested in a whole run with a scripted model: no key, no network.
import assert from 'node:assert/strict';
import { createHarness, defineTool, z } from 'rein';
import { createScriptedProvider, createTempHome } from 'rein/testing';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a town.',
  input: z.object({ town: z.string() }),
  risk: 'read',
  execute: ({ town }) => (town === 'Atlantis' ? { content: 'No such town.', status: 'error' } : `Sunny in ${town}.`),
});

await using temp = await createTempHome();
const model = createScriptedProvider({
  script: [
    {
      calls: [
        { name: 'weather', input: { town: 'Bern' } },
        { name: 'weather', input: { town: 'Atlantis' } },
      ],
    },
    { text: 'It is sunny in Bern.' },
  ],
});
const harness = await createHarness({
  home: temp.home,
  cwd: temp.workspace,
  provider: model,
  tools: [weather],
  flags: { allow: ['weather'] },
});
const session = await harness.open();
const outcome = await session.run('How is the weather in Bern and in Atlantis?');
await harness.close();

assert.equal(outcome.stop, 'completed');
assert.equal(outcome.text, 'It is sunny in Bern.');
// What the model was told of the two calls.
assert.deepEqual(
  model.requests[1]?.results.map((result) => result.text),
  ['Sunny in Bern.', 'No such town.'],
);
model.assertComplete();
