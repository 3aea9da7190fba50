import { expect, expectTypeOf, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import { type InputSchema, inputSchema, onlyNamed } from './input.ts';

const schema = inputSchema({
  type: 'object',
  properties: {
    path: { type: 'string' },
    mode: { type: 'string', enum: ['fast', 'slow'] },
    entries: {
      type: 'array',
      items: {
        type: 'object',
        properties: { text: { type: 'string' }, done: { type: 'boolean' } },
        required: ['text'],
      },
    },
  },
  required: ['path'],
});

test('the type of an input follows its schema', () => {
  type Input = typeof schema extends InputSchema<infer Type> ? Type : never;
  expectTypeOf<Input['path']>().toEqualTypeOf<string>();
  expectTypeOf<Input['mode']>().toEqualTypeOf<'fast' | 'slow' | undefined>();
  expectTypeOf<NonNullable<Input['entries']>[number]['done']>().toEqualTypeOf<boolean | undefined>();
});

test('what a schema does not name is lost at every depth', () => {
  const input = {
    path: 'a',
    extra: 1,
    ['__proto__']: { polluted: true },
    constructor: 'x',
    entries: [{ text: 'b', more: { deep: [1] } }, 'odd', null],
  };
  expect(onlyNamed(input, schema)).toEqual({ path: 'a', entries: [{ text: 'b' }, 'odd', null] });
});

test('what does not fit stays for the check to find', () => {
  const odd: JsonObject[] = [{ path: { a: 1 } }, { entries: { text: 'no list' } }, { entries: [[{ text: 'a' }]] }, {}];
  expect(odd.map((input) => onlyNamed(input, schema))).toEqual(odd);
});

test("a schema of somebody else's decides itself what it lets through", () => {
  const open = { type: 'object', properties: { path: { type: 'string' } } };
  expect(onlyNamed({ path: 'a', extra: 1 }, open)).toEqual({ path: 'a', extra: 1 });
});
