/**
 * JSON Schema in the subset of OpenAPI that Gemini takes for tools: one type each, `nullable` instead of a null type,
 * no references, arrays with items. Limits it cannot say are left out; the call is checked against the full schema.
 */
import { isObject } from '../../lib/is-object.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';

export type GeminiSchema = { readonly schema: JsonObject } | { readonly error: string };

const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};
const limits: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
};
const maxDepth = 24;
const scalars = ['string', 'number', 'boolean'].map((type) => ({ type }));
/** What "anything" is called here: the API wants a type everywhere. */
const anything: JsonObject = {
  anyOf: [...scalars, { type: 'object' }, { type: 'array', items: { anyOf: [...scalars, { type: 'object' }] } }],
};

/** A tool's input schema for Gemini, or why it cannot be said. Pure; the given schema is not changed. */
export function toGeminiSchema(schema: JsonObject): GeminiSchema {
  try {
    const translated = translate(schema, { root: schema, refs: [], depth: 0 });
    if (translated.type !== 'object') return { error: 'the input is not an object' };
    return { schema: translated };
  } catch (error) {
    if (error instanceof Inexpressible) return { error: error.message };
    throw error;
  }
}

class Inexpressible extends Error {}

interface Place {
  readonly root: JsonObject;
  /** References followed on the way here. */
  readonly refs: readonly string[];
  readonly depth: number;
}

function translate(given: Json, place: Place): JsonObject {
  if (place.depth > maxDepth) throw new Inexpressible('the schema is nested too deeply');
  if (given === true || given === undefined) return anything;
  if (!isObject(given)) throw new Inexpressible('the schema allows nothing');
  if (typeof given.$ref === 'string') {
    const { $ref, ...siblings } = given;
    if (place.refs.includes($ref)) throw new Inexpressible(`the schema refers to itself (${$ref})`);
    const target = resolve(place.root, $ref);
    return translate({ ...(isObject(target) ? target : {}), ...siblings }, { ...place, refs: [...place.refs, $ref] });
  }
  const merged = Array.isArray(given.allOf) ? mergeAll(given, place) : given;
  const choices = merged.anyOf ?? merged.oneOf;
  if (Array.isArray(choices)) return translateChoice(merged, choices, place);
  return translateTyped(merged, place);
}

function translateTyped(schema: JsonObject, place: Place): JsonObject {
  const nullable = schema.nullable === true || typesOf(schema).includes('null') || valuesOf(schema)?.includes(null);
  const types = typesOf(schema).filter((type) => type !== 'null');
  const extras = { ...description(schema), ...(nullable && { nullable: true }) };
  if (types.length === 0) return { ...(nullable ? { type: 'string' } : anything), ...extras };
  const said = types.map((type) => translateOne(type, schema, place));
  return said.length === 1 ? { ...said[0], ...extras, ...valueNote(types[0]!, schema) } : { anyOf: said, ...extras };
}

function translateOne(type: string, schema: JsonObject, place: Place): JsonObject {
  const result: Record<string, Json> = { type };
  const inner = { ...place, depth: place.depth + 1 };
  for (const key of limits[type] ?? []) if (typeof schema[key] === 'number') result[key] = schema[key];
  if (typeof schema.format === 'string' && formats[type]?.includes(schema.format)) result.format = schema.format;
  const values = valuesOf(schema)?.filter((value) => typeof value === 'string' && value !== '');
  if (type === 'string' && values && values.length > 0) result.enum = values;
  if (type === 'array') result.items = translate(itemsOf(schema), inner);
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (type === 'object' && properties.length > 0) {
    result.properties = Object.fromEntries(properties.map(([name, value]) => [name, translate(value, inner)]));
    const required = Array.isArray(schema.required) ? schema.required : [];
    const known = required.filter((name) => properties.some(([property]) => property === name));
    if (known.length > 0) result.required = known;
  }
  return result;
}

/** `anyOf` and `oneOf`; null among the choices makes it nullable, and a single choice is no choice. */
function translateChoice(schema: JsonObject, choices: readonly Json[], place: Place): JsonObject {
  const { anyOf, oneOf, ...siblings } = schema;
  const isNull = (choice: Json) => isObject(choice) && (choice.type === 'null' || choice.const === null);
  const real = choices.filter((choice) => !isNull(choice));
  const nullable: JsonObject = real.length < choices.length ? { nullable: true } : {};
  const inner = { ...place, depth: place.depth + 1 };
  if (real.length === 1 && isObject(real[0]!)) return translate({ ...siblings, ...real[0], ...nullable }, inner);
  // Choices that only restrict an object further, such as which fields are required together.
  if (schema.type === 'object') return translateTyped(siblings, place);
  return { anyOf: real.map((choice) => translate(choice, inner)), ...description(schema), ...nullable };
}

function mergeAll(schema: JsonObject, place: Place): JsonObject {
  const { allOf, ...rest } = schema;
  let merged: JsonObject = rest;
  for (const part of allOf as readonly Json[]) {
    const target = isObject(part) && typeof part.$ref === 'string' ? resolve(place.root, part.$ref) : part;
    if (!isObject(target)) continue;
    if (place.depth > maxDepth || target.allOf === allOf) throw new Inexpressible('the schema refers to itself');
    const flat = Array.isArray(target.allOf) ? mergeAll(target, { ...place, depth: place.depth + 1 }) : target;
    merged = {
      ...flat,
      ...merged,
      ...((flat.properties ?? merged.properties) && {
        properties: { ...(flat.properties as JsonObject), ...(merged.properties as JsonObject) },
      }),
      required: [...asList(merged.required), ...asList(flat.required)],
    };
  }
  return merged;
}

/** A reference into the same document, as `#/$defs/name`. */
function resolve(root: JsonObject, ref: string): Json {
  if (!ref.startsWith('#')) throw new Inexpressible(`the schema refers to another document (${ref})`);
  let found: Json | undefined = root;
  for (const step of ref.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  if (found === undefined) throw new Inexpressible(`the schema refers to something missing (${ref})`);
  return found;
}

/** The types named, else the ones that the other keywords imply. */
function typesOf(schema: JsonObject): string[] {
  if (typeof schema.type === 'string') return [schema.type.toLowerCase()];
  if (Array.isArray(schema.type)) return schema.type.filter((type) => typeof type === 'string');
  if ('properties' in schema) return ['object'];
  if ('items' in schema || 'prefixItems' in schema) return ['array'];
  const values = valuesOf(schema)?.filter((value) => value !== null) ?? [];
  const types = new Set(values.map((value) => (typeof value === 'object' ? 'object' : typeof value)));
  return [...types];
}

function valuesOf(schema: JsonObject): readonly Json[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

function itemsOf(schema: JsonObject): Json {
  const tuple = schema.prefixItems ?? schema.items;
  if (!Array.isArray(tuple)) return schema.items ?? true;
  return tuple.length === 1 ? (tuple[0] as Json) : { anyOf: tuple };
}

function description(schema: JsonObject): JsonObject {
  return typeof schema.description === 'string' ? { description: schema.description } : {};
}

/** Only strings can be enumerated; other values are told in words. */
function valueNote(type: string, schema: JsonObject): JsonObject {
  const values = valuesOf(schema)?.filter((value) => value !== null);
  if (!values || values.length === 0 || type === 'string') return {};
  const said = `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`;
  return { description: typeof schema.description === 'string' ? `${schema.description} ${said}` : said };
}

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
