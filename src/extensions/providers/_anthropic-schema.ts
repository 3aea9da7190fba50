/** JSON Schemas in the forms that the Anthropic API takes. */
import { isObject } from '../../lib/is-object.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';

/** Limits on values, which the API refuses in an output schema; whoever reads the answer checks them anyway. */
const refusedLimits = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'minItems',
  'uniqueItems',
  'contains',
  'minProperties',
  'maxProperties',
  'pattern',
  '$schema',
  'default',
  'examples',
]);
const inexpressible = ['patternProperties', 'propertyNames', 'not', 'if', 'allOf', 'dependentSchemas', 'prefixItems'];

/**
 * An output schema as the API takes it: every object closed, no limits on values. Undefined where that would change
 * its meaning or where it is recursive; then the answer is only checked, not steered.
 */
export function toAnthropicSchema(schema: JsonObject): JsonObject | undefined {
  const text = JSON.stringify(schema);
  if (text.includes('"$ref"') || text.includes('"$dynamicRef"')) return undefined;
  try {
    return closed(schema) as JsonObject;
  } catch (error) {
    if (error === tooFree) return undefined;
    throw error;
  }
}

const tooFree = new Error('the schema cannot be expressed');

function closed(schema: Json): Json {
  if (!isObject(schema) || inexpressible.some((key) => key in schema)) throw tooFree;
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (refusedLimits.has(key)) continue;
    if (key === 'properties' && isObject(value)) {
      result.properties = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
    } else if (key === 'items') result.items = closed(value);
    else if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value)) result.anyOf = value.map(closed);
    else result[key] = value;
  }
  const isRecord = schema.type === 'object' || 'properties' in schema;
  if (isRecord && (!('properties' in schema) || isObject(schema.additionalProperties))) throw tooFree;
  return isRecord ? { ...result, additionalProperties: false } : result;
}

/** A tool's input schema: the API wants an object at the top and refuses choices there. */
export function toInputSchema(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  return schema.type === 'object' && !anyOf && !oneOf && !allOf ? schema : { ...rest, type: 'object' };
}
