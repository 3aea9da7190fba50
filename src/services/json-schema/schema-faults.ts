/** What makes a schema useless, found before anything is compared with it. Pure. */

import type { Schema } from '@cfworker/json-schema';
import { isObject } from '../../lib/is-object.ts';

/** Keys whose values are schemas by name, lists of schemas, and schemas. */
const maps = ['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas'];
const lists = ['prefixItems', 'items', 'allOf', 'anyOf', 'oneOf'];
const single = [
  ...['additionalItems', 'unevaluatedItems', 'items', 'contains', 'additionalProperties', 'unevaluatedProperties'],
  ...['propertyNames', 'not', 'if', 'then', 'else'],
];
const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const unknown = ['$dynamicRef', '$dynamicAnchor'];

/** One clause, with the place in the schema; undefined when nothing is wrong. `lookup` are the known schemas by address. */
export function findFault(schema: unknown, lookup: Readonly<Record<string, unknown>>, place = '#'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `${place} is no schema`;
  const own = ownFault(schema, lookup);
  if (own !== undefined) return `${place}: ${own}`;
  for (const [key, value] of Object.entries(schema)) {
    for (const [part, where] of partsOf(key, value)) {
      const fault = findFault(part, lookup, `${place}/${key}${where}`);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function partsOf(key: string, value: unknown): [unknown, string][] {
  if (maps.includes(key)) {
    return isObject(value) ? Object.entries(value).map(([name, part]) => [part, `/${name}`]) : [[undefined, '']];
  }
  if (lists.includes(key) && Array.isArray(value)) {
    return value.map((part, index) => [part, `/${index}`]);
  }
  return single.includes(key) || lists.includes(key) ? [[value, '']] : [];
}

function ownFault(schema: Schema, lookup: Readonly<Record<string, unknown>>): string | undefined {
  const { type, required, $ref, pattern, patternProperties } = schema;
  const wrong = (type === undefined ? [] : [type].flat()).find((each) => !types.includes(String(each)));
  if (wrong !== undefined) return `there is no type ${JSON.stringify(wrong)}`;
  if (required !== undefined && !isNames(required)) return 'required is no list of names';
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) return 'enum is no list';
  const missing = unknown.find((key) => Object.hasOwn(schema, key));
  if (missing !== undefined) return `${missing} is not supported`;
  if ($ref !== undefined && lookup[schema.__absolute_ref__ ?? ''] === undefined) {
    return `$ref ${JSON.stringify($ref)} leads nowhere in this schema, and nothing is fetched`;
  }
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...Object.keys(patternProperties ?? {})];
  const broken = patterns.find((each) => !isPattern(each));
  return broken === undefined ? undefined : `${JSON.stringify(broken)} is no pattern`;
}

function isPattern(text: unknown): boolean {
  try {
    return typeof text === 'string' && new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
