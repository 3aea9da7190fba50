import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { toGeminiSchema } from './_gemini-schema.ts';

/** The translation of one property, which stands for any place in a schema. */
function property(schema: JsonObject, root: JsonObject = {}) {
  const result = toGeminiSchema({ type: 'object', properties: { x: schema }, ...root });
  return 'error' in result ? result : (result.schema.properties as JsonObject).x;
}

const string = { type: 'string' };

describe('a schema for Gemini', () => {
  it('case P15: says lists of types, references and closed objects in its own way', () => {
    const find: JsonObject = {
      $schema: 'x',
      type: 'object',
      additionalProperties: false,
      properties: {
        tags: { type: ['array', 'null'], items: string },
        same: { $ref: '#/properties/tags' },
        n: { type: 'integer' },
      },
    };
    const before = JSON.stringify(find);
    const tags = { type: 'array', items: string, nullable: true };
    expect(toGeminiSchema(find)).toEqual({
      schema: { type: 'object', properties: { tags, same: tags, n: { type: 'integer' } } },
    });
    expect(JSON.stringify(find)).toBe(before);
  });

  it.each<[string, JsonObject, unknown]>([
    [
      'several types',
      { type: ['string', 'integer', 'null'] },
      { anyOf: [string, { type: 'integer' }], nullable: true },
    ],
    ['a constant', { const: 'a', description: 'd' }, { type: 'string', enum: ['a'], description: 'd' }],
    ['a number as constant', { const: 3 }, { type: 'number', description: 'One of: 3.' }],
    [
      'numbers to choose from',
      { type: 'integer', enum: [1, 2], description: 'Level.' },
      { type: 'integer', description: 'Level. One of: 1, 2.' },
    ],
    ['null among values', { enum: ['a', null, ''] }, { type: 'string', enum: ['a'], nullable: true }],
    ['choices', { oneOf: [string, { type: 'number' }] }, { anyOf: [string, { type: 'number' }] }],
    [
      'a choice with null',
      { description: 'd', anyOf: [string, { type: 'null' }] },
      { ...string, description: 'd', nullable: true },
    ],
    [
      'parts of a whole',
      { allOf: [{ type: 'object', properties: { a: string }, required: ['a'] }, { properties: { b: string } }] },
      { type: 'object', properties: { a: string, b: string }, required: ['a'] },
    ],
    ['unknown formats', { type: 'string', format: 'uri', pattern: '^x(?=y)' }, string],
    [
      'known formats',
      { type: 'string', format: 'date-time', maxLength: 9 },
      { type: 'string', format: 'date-time', maxLength: 9 },
    ],
    ['exclusive limits', { type: 'number', minimum: 1, exclusiveMaximum: 9 }, { type: 'number', minimum: 1 }],
    [
      'required fields that are not there',
      { properties: { a: string }, required: ['a', 'b'] },
      { type: 'object', properties: { a: string }, required: ['a'] },
    ],
    ['a free object', { type: 'object', additionalProperties: string }, { type: 'object' }],
    [
      'a tuple',
      { type: 'array', prefixItems: [string, { type: 'number' }] },
      { type: 'array', items: { anyOf: [string, { type: 'number' }] } },
    ],
    [
      'fields needed together',
      { type: 'object', properties: { a: string }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { type: 'object', properties: { a: string } },
    ],
  ])('says %s', (_what, given, said) => {
    expect(property(given)).toEqual(said);
  });

  it('gives every array items and every value a type', () => {
    const anything = property({});
    expect(anything).toMatchObject({
      anyOf: [string, { type: 'number' }, { type: 'boolean' }, { type: 'object' }, { type: 'array' }],
    });
    expect(property({ type: 'array' })).toEqual({ type: 'array', items: anything });
    expect(property({ description: 'd' })).toEqual({ ...(anything as JsonObject), description: 'd' });
  });

  it('resolves references through definitions, with escaped names', () => {
    const $defs = { 'a/b': { type: 'object', properties: { c: { $ref: '#/$defs/c' } } }, c: string };
    expect(property({ $ref: '#/$defs/a~1b', description: 'd' }, { $defs })).toEqual({
      type: 'object',
      properties: { c: string },
      description: 'd',
    });
  });

  it.each<[string, JsonObject, string]>([
    ['refers to itself', { $ref: '#/properties/x' }, 'the schema refers to itself (#/properties/x)'],
    [
      'refers to itself deeper down',
      { type: 'object', properties: { y: { $ref: '#/properties/x' } } },
      'the schema refers to itself (#/properties/x)',
    ],
    [
      'refers to another document',
      { $ref: 'http://example.com/a' },
      'the schema refers to another document (http://example.com/a)',
    ],
    ['refers to nothing', { $ref: '#/$defs/a' }, 'the schema refers to something missing (#/$defs/a)'],
  ])('cannot be said when it %s', (_what, given, error) => {
    expect(property(given)).toEqual({ error });
  });

  it('cannot be said when it is no object, or nested without end', () => {
    expect(toGeminiSchema({ type: 'string' })).toEqual({ error: 'the input is not an object' });
    expect(toGeminiSchema({ anyOf: [{ type: 'object' }, { type: 'array' }] })).toEqual({
      error: 'the input is not an object',
    });
    let deep: JsonObject = { type: 'object' };
    for (let depth = 0; depth < 1000; depth++) deep = { type: 'object', properties: { x: deep } };
    expect(toGeminiSchema(deep)).toEqual({ error: 'the schema is nested too deeply' });
  });
});
