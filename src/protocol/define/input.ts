/** Tool inputs as plain JSON Schema, which costs nothing before a call is checked against it, and their types. */
import type { JsonObject } from '../json.ts';

/** The part of JSON Schema that built-in tools use. */
type Property = { readonly description?: string } & (
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength?: number }
  | { readonly type: 'string'; readonly enum: readonly string[] }
  | { readonly type: 'number'; readonly exclusiveMinimum?: number }
  | { readonly type: 'integer'; readonly minimum?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'array'; readonly items: Property; readonly maxItems?: number }
  | Properties
);

interface Properties {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

type ValueOf<P> = P extends { readonly enum: readonly (infer Option)[] }
  ? Option
  : P extends { readonly type: 'string' }
    ? string
    : P extends { readonly type: 'number' | 'integer' }
      ? number
      : P extends { readonly type: 'boolean' }
        ? boolean
        : P extends { readonly type: 'array'; readonly items: infer Item }
          ? ValueOf<Item>[]
          : P extends { readonly type: 'object' }
            ? ObjectOf<P>
            : never;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type ObjectOf<S> = S extends { readonly properties: infer Shape }
  ? { [Name in keyof Shape as Name extends RequiredOf<S> ? Name : never]: ValueOf<Shape[Name]> } & {
      [Name in keyof Shape as Name extends RequiredOf<S> ? never : Name]?: ValueOf<Shape[Name]> | undefined;
    }
  : never;

declare const value: unique symbol;

/** A JSON Schema object that knows the type of what fits it. */
export type InputSchema<Input> = JsonObject & { readonly [value]?: Input };

const closed = new WeakSet<object>();

/** A tool's input: what the schema does not name, a call loses. */
export function inputSchema<const S extends Properties>(schema: S): InputSchema<ObjectOf<S>> {
  closed.add(schema);
  return schema as never;
}

/** The input with what the schema names, at every depth. What does not fit the schema stays as it is. */
export function onlyNamed(input: JsonObject, schema: JsonObject): JsonObject {
  return closed.has(schema) ? (pick(input, schema as unknown as Properties) as JsonObject) : input;
}

function pick(found: unknown, schema: Property): unknown {
  if (typeof found !== 'object' || found === null) return found;
  if (schema.type === 'array') {
    return Array.isArray(found) ? found.map((item) => pick(item, schema.items)) : found;
  }
  if (schema.type !== 'object' || Array.isArray(found)) return found;
  const named = Object.entries(found).filter(([name]) => Object.hasOwn(schema.properties, name));
  return Object.fromEntries(named.map(([name, each]) => [name, pick(each, schema.properties[name]!)]));
}
