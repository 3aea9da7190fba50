import { afterEach, describe, expect, it } from 'vitest';
import { createScriptedProvider, startModelServer } from '../testing/index.ts';
import { planRigs } from '../testing/plan/plan-rig.ts';
import { plan, report } from '../testing/plan/plan-script.ts';

const start = planRigs(afterEach);
const schema = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
};
const open = { plan: false, schema };

describe('an answer of a given shape', () => {
  it.each([
    ['alone', '{"answer":42}'],
    ['in a fenced block', 'It is:\n```json\n{"answer":42}\n```'],
    ['in prose', 'I would say {"answer":42}.'],
  ])('is found %s', async (_name, text) => {
    const provider = createScriptedProvider({ script: [{ text }] });
    const { session } = await start({}, { provider, open });
    expect(await session.run('How much?')).toMatchObject({ stop: 'completed', structured: { answer: 42 } });
    expect(provider.requests[0]?.request.outputSchema).toEqual(schema);
    expect(provider.requests[0]?.userTexts.at(-1)).toContain('How much?');
    expect(provider.requests[0]?.userTexts.at(-1)).toContain(JSON.stringify(schema));
  });

  it.each([
    ['prose', 'Forty-two.', 'There is no JSON in it.'],
    ['another shape', '{"answer":"42"}', 'answer'],
  ])('is asked for once more after %s', async (_name, text, why) => {
    const provider = createScriptedProvider({ script: [{ text }, { text: '{"answer":42}' }] });
    const { session } = await start({}, { provider, open });
    expect(await session.run('How much?')).toMatchObject({ structured: { answer: 42 }, turns: 2 });
    expect(provider.requests[1]?.userTexts.at(-1)).toContain(why);
  });

  it('ends the run with an error when the second one does not fit either', async () => {
    const provider = createScriptedProvider({ script: [{ text: 'no' }, { text: 'no' }] });
    const { session } = await start({}, { provider, open });
    const outcome = await session.run('How much?');
    expect(outcome).toMatchObject({ stop: 'error', error: { code: 'E_SCHEMA_UNMET' } });
    expect(outcome.structured).toBeUndefined();
  });

  it.each([
    [{ type: 'object', required: ['n'] }, '{"a":1}', 'property "n"'],
    [{ properties: { n: { type: 'number' } }, required: ['n', 'm'] }, '{"n":1}', 'property "m"'],
    [{ properties: { n: { type: 'number' } } }, '{"n":"1"}', '- n: '],
    [{ not: { required: ['n'] } }, '{"n":1}', '"not" schema'],
    [{ dependentRequired: { n: ['m'] } }, '{"n":1}', '"m"'],
  ])('counts as it is written: %j', async (asked, text, why) => {
    const provider = createScriptedProvider({ script: [{ text }, { text }] });
    const { session } = await start({}, { provider, open: { plan: false, schema: asked } });
    expect(await session.run('How much?')).toMatchObject({ stop: 'error', error: { code: 'E_SCHEMA_UNMET' } });
    expect(provider.requests[1]?.userTexts.at(-1)).toContain(why);
  });

  it('refuses a schema that is none', async () => {
    const bad = { plan: false, schema: { $ref: 'https://example.test/x' } };
    await expect(start({}, { open: bad })).rejects.toMatchObject({ code: 'E_SCHEMA_INVALID' });
  });
});

const wires = [
  ['chat', 'custom', 'CUSTOM'],
  ['responses', 'openai', 'OPENAI'],
  ['anthropic', 'anthropic', 'ANTHROPIC'],
  ['gemini', 'gemini', 'GEMINI'],
] as const;

it.each(wires)('holds on the wire %s, with one more try', async (wire, provider, prefix) => {
  await using server = await startModelServer({ script: [{ text: 'Let me think.' }, { text: '{"answer":42}' }] });
  const variables = { [`${prefix}_API_KEY`]: 'key', [`${prefix}_BASE_URL`]: server.url(wire) };
  const env = { PATH: process.env.PATH, ...variables, [`${prefix}_MODEL_NAME`]: 'scripted' };
  const { session } = await start({}, { provider: undefined, env, flags: { model: provider }, open });
  expect(await session.run('How much?')).toMatchObject({ stop: 'completed', structured: { answer: 42 } });
  expect(server.problems).toEqual([]);
});

describe('a plan with an answer of a given shape', () => {
  const schemaOpen = { plan: true, schema };

  it('is one of its results that fits', async () => {
    const answered = { step_1: [report({ result_summary: 'It is {"answer":42}.' })] };
    const { session } = await start({ planner: [plan({}, {})], executor: answered }, { open: schemaOpen });
    expect(await session.run('How much?')).toMatchObject({ stop: 'completed', structured: { answer: 42 } });
  });

  it('ends with an error where none does', async () => {
    const { session } = await start({}, { open: schemaOpen });
    const outcome = await session.run('How much?');
    expect(outcome).toMatchObject({ stop: 'error', error: { code: 'E_SCHEMA_UNMET' }, text: 'done' });
    expect(outcome.structured).toBeUndefined();
  });
});
