import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { compileSchema } from './schema-check.ts';

const text = { type: 'string' };
const fits = (schema: JsonObject, value: unknown) => compileSchema(schema)(value) === undefined;

describe('what a schema asks for', () => {
  it.each<[string, JsonObject, readonly unknown[], readonly unknown[]]>([
    ['required without properties', { type: 'object', required: ['n'] }, [{ n: 1 }], [{ a: 1 }, [], 'n']],
    [
      'required beyond properties',
      { properties: { n: { type: 'number' } }, required: ['n', 'm'] },
      [{ n: 1, m: null }],
      [{ n: 1 }, { m: 1 }, { n: '1', m: 1 }],
    ],
    ['no type', { properties: { n: text } }, [{ n: 'x' }, {}, 3, null], [{ n: 3 }]],
    ['not', { not: { type: 'string' } }, [1, {}], ['x']],
    [
      'if, then, else',
      // As text: an object with a `then` of its own would look like a promise.
      JSON.parse(
        '{"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"required":["x"]},"else":{"required":["y"]}}',
      ),
      [
        { k: 1, x: 0 },
        { k: 2, y: 0 },
      ],
      [
        { k: 1, y: 0 },
        { k: 2, x: 0 },
      ],
    ],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{ b: 1 }], [{ a: 1 }]],
    ['dependencies', { dependencies: { a: ['b'] } }, [{ b: 1 }], [{ a: 1 }]],
    ['additionalProperties', { properties: { a: text }, additionalProperties: false }, [{ a: '' }], [{ b: 1 }]],
    [
      'unevaluatedProperties',
      { allOf: [{ properties: { a: text } }], unevaluatedProperties: false },
      [{ a: '' }],
      [{ a: '', b: 1 }],
    ],
    ['patternProperties', { patternProperties: { '^x': text } }, [{ x1: '', y: 1 }], [{ x1: 1 }]],
    ['prefixItems', { prefixItems: [text, { type: 'number' }] }, [['a', 1]], [[1, 'a']]],
    ['a list of items, as older drafts have it', { items: [text], additionalItems: false }, [['a']], [['a', 1], [1]]],
    ['contains', { type: 'array', contains: text, minContains: 2 }, [['a', 'b', 1]], [['a'], []]],
    [
      'uniqueItems',
      { uniqueItems: true },
      [[1, 2]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [
      'const and enum',
      { anyOf: [{ const: { a: [1] } }, { enum: [null, 'x'] }] },
      [{ a: [1] }, null],
      [{ a: [2] }, 'y'],
    ],
    ['oneOf', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
    ['integer', { type: ['integer', 'null'] }, [1, 2.0, null], [1.5, '1']],
    ['length in characters', { maxLength: 1 }, ['é', '😀'], ['ab']],
    ['format', { format: 'date' }, ['2024-02-29', 1], ['2023-02-29']],
    ['$ref', { $ref: '#/$defs/a', $defs: { a: text } }, ['x'], [1]],
    [
      'a schema that holds itself',
      { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false },
      [{ next: { next: {} } }],
      [{ next: { other: 1 } }],
    ],
    ['names from Object itself', { required: ['constructor', 'toString'] }, [{ constructor: 1, toString: 1 }], [{}]],
    [
      'draft 4: a limit that is not met itself',
      { $schema: 'http://json-schema.org/draft-04/schema#', maximum: 3, exclusiveMaximum: true },
      [2],
      [3],
    ],
    [
      'draft 7: nothing counts beside $ref',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { $ref: '#/definitions/a', maxLength: 1 } },
        definitions: { a: text },
      },
      [{ a: 'long' }],
      [{ a: 1 }],
    ],
    [
      '2020-12: what stands beside $ref counts',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: '#/$defs/a', maxLength: 1, $defs: { a: text } },
      ['x'],
      ['long'],
    ],
  ])('%s', (_, schema, good, bad) => {
    expect(good.map((value) => fits(schema, value))).toEqual(good.map(() => true));
    expect(bad.map((value) => fits(schema, value))).toEqual(bad.map(() => false));
  });
});

test('what is wrong is said with its place, and once', () => {
  const check = compileSchema({
    type: 'object',
    required: ['name'],
    properties: { 'a/b': text, list: { type: 'array', items: { type: 'object', properties: { n: { minimum: 2 } } } } },
    additionalProperties: false,
  });
  expect(check({ 'a/b': 1, list: [{}, { n: 1 }], more: 1 })).toBe(
    [
      '- (the whole): Instance does not have required property "name".',
      '- a/b: Instance type "number" is invalid. Expected "string".',
      '- list[1].n: 1 is less than 2.',
      '- more: It is not allowed here.',
    ].join('\n'),
  );
  const many = compileSchema({ items: text })(Array.from({ length: 30 }, (_, at) => at));
  expect([many?.split('\n').length, many?.split('\n').at(-1)]).toEqual([11, '- and 20 more']);
});

test.each<[string, JsonObject, string]>([
  ['a reference to another place', { $ref: 'https://example.test/x' }, 'nothing is fetched'],
  ['one deep inside', { properties: { a: { items: { $ref: '#/$defs/no' } } } }, '#/properties/a/items: $ref'],
  ['a type that is none', { type: 'objekt' }, 'there is no type "objekt"'],
  ['properties that are none', { properties: { a: 'string' } }, '#/properties/a is no schema'],
  ['required that is none', { required: 'n' }, 'required is no list of names'],
  ['a pattern that is none', { pattern: '(' }, '"(" is no pattern'],
  ['a draft that is not known', { $schema: 'http://json-schema.org/draft-03/schema#' }, 'not known'],
  ['a dynamic reference', { $dynamicRef: '#x' }, '$dynamicRef is not supported'],
  ['a circle', { $ref: '#' }, 'refers to itself'],
])('%s cannot be used', (_, schema, why) => {
  expect(() => compileSchema(schema)).toThrow(why);
});

test('security L5: a pattern that would never end is stopped, and the next value is checked as ever', () => {
  const check = compileSchema({ properties: { a: { pattern: '^(a+)+$' } }, patternProperties: { '^(b+)+$': true } });
  expect(check({ a: `${'a'.repeat(60)}!` })).toContain('took longer than 500 ms');
  expect(check({ [`${'b'.repeat(60)}!`]: 1 })).toContain('took longer than 500 ms');
  expect([check({ a: 'aaa' }), check({ a: 'b' })]).toEqual([undefined, '- a: String does not match pattern.']);
});

test('fields that are undefined are not there; what is no JSON fits nothing', () => {
  const check = compileSchema({ properties: { a: text, b: text }, required: ['b'] });
  expect(check({ a: undefined, b: 'x' })).toBeUndefined();
  expect(check({ b: undefined })).toContain('"b"');
  const values = [undefined, () => 1, 1n, { a: 1n }, Symbol('x')];
  expect(values.map(compileSchema({}))).toEqual(values.map(() => 'It is no JSON.'));
});

test('values that are nested without measure are no crash, and a schema is left as it was', () => {
  const schema = Object.freeze({ $ref: '#/$defs/a', $defs: Object.freeze({ a: { items: { $ref: '#' } } }) });
  let deep: unknown = [];
  for (let at = 0; at < 50_000; at++) deep = [deep];
  expect(compileSchema(schema as never)(deep)).toBe('It is nested too deeply to be checked.');
  expect(Object.getOwnPropertyNames(schema)).toEqual(['$ref', '$defs']);
});
