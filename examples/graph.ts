// A graph of your own: agents and steps as data. Here one agent writes, another one judges, at most three times.
import assert from 'node:assert/strict';
import { createHarness, defineGraph, drawGraph } from 'rein';
import { createScriptedProvider, createTempHome } from 'rein/testing';

const poem = defineGraph({
  name: 'poem',
  first: 'write',
  nodes: {
    // An agent node is a child session of the agent of that name: `agents/general.md`, or a file of yours.
    write: {
      agent: 'general',
      prompt: ({ request, advice }) => `Write a poem: ${request}${advice ? `\nHeed this: ${advice}` : ''}`,
      tools: () => [],
      take: ({ text }) => ({ edge: 'judge', patch: { text } }),
    },
    judge: {
      agent: 'general',
      prompt: ({ text }) => `Say GOOD, or what to change in this poem:\n${text}`,
      tools: () => [],
      take: ({ text }) => (text === 'GOOD' ? { edge: 'END' } : { edge: 'count', patch: { advice: text } }),
    },
    // A step node decides, counts or asks a person. Values change by patches, which the log stores.
    count: {
      step: ({ tries }) => ({ edge: Number(tries) < 2 ? 'write' : 'END', patch: { tries: Number(tries) + 1 } }),
    },
  },
  edges: [
    { from: 'write', to: 'judge' },
    { from: 'judge', to: 'END', label: 'good' },
    { from: 'judge', to: 'count', label: 'not yet' },
    { from: 'count', to: 'write' },
    { from: 'count', to: 'END', label: 'enough' },
  ],
  start: (request) => ({ request, tries: 0 }),
  finish: ({ text }) => ({ text: String(text), stop: 'completed' }),
});

assert.ok(drawGraph(poem).startsWith('flowchart TD'));

await using temp = await createTempHome();
const provider = createScriptedProvider({
  script: [{ text: 'A tree.' }, { text: 'More of it.' }, { text: 'A tree, a tall tree.' }, { text: 'GOOD' }],
});
const harness = await createHarness({ home: temp.home, cwd: temp.workspace, provider });
const session = await harness.open({ plan: { graph: poem } });
const outcome = await session.run('about a tree');
assert.equal(outcome.text, 'A tree, a tall tree.');
assert.deepEqual(session.plan, {
  request: 'about a tree',
  tries: 1,
  text: 'A tree, a tall tree.',
  advice: 'More of it.',
});
await harness.close();
