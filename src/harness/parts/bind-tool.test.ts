import { expect, it } from 'vitest';
import { defineTool } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { callTool } from '../../testing/call-tool.ts';

const toolOf = (input: JsonObject) =>
  defineTool({
    ...{ name: 'echo', description: 'Gives back its input.', risk: 'read', input },
    execute: async (given) => JSON.stringify(given),
  });
const call = async (schema: JsonObject, input: JsonObject) => {
  const { status, text } = await callTool(toolOf(schema), {} as never, input);
  return `${status}: ${text}`;
};

it.each<[string, JsonObject, JsonObject, JsonObject]>([
  ['names that are required and not described', { type: 'object', required: ['a'] }, { a: 1 }, { b: 1 }],
  ['not', { type: 'object', not: { required: ['a'] } }, { b: 1 }, { a: 1 }],
  ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
  ['no type', { properties: { a: { type: 'string' } } }, { a: '' }, { a: 1 }],
])('a tool’s JSON Schema counts as it is written: %s', async (_, schema, good, bad) => {
  expect(await call(schema, good)).toBe(`ok: ${JSON.stringify(good)}`);
  expect(await call(schema, bad)).toMatch(/^error: The input does not fit the tool's schema\.\n- /);
});

it('a schema that cannot be used lets nothing through, and says why', async () => {
  expect(await call({ type: 'object', properties: { a: { $ref: 'https://example.test/a' } } }, { a: 1 })).toContain(
    'cannot be called: #/properties/a: $ref "https://example.test/a" leads nowhere in this schema, and nothing is fetched',
  );
});
