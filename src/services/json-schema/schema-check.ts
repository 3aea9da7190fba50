/**
 * Checks values against JSON Schemas that people, tools and servers bring: drafts 4, 6, 7, 2019-09 and 2020-12. Nothing is
 * fetched, no code is made of a schema, and a pattern that never comes to an end is stopped.
 */
import { createContext, Script } from 'node:vm';
import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import type { JsonObject } from '../../protocol/json.ts';
import { findFault } from './schema-faults.ts';

/** What is wrong with a value, a line for each place; undefined when it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Throws an error that says what is wrong with a schema that cannot be used. */
export function compileSchema(given: JsonObject): SchemaCheck {
  // What the validator notes down goes into a copy.
  const schema = structuredClone(given) as Schema;
  const draft = draftOf(given);
  const lookup = dereference(schema);
  const fault = findFault(schema, lookup);
  if (fault !== undefined) throw new Error(fault);
  const run = (value: unknown) => validate(value, schema, draft, lookup, false);
  const check = hasPatterns(given) ? bounded(run) : run;
  const describe = (value: unknown): string | undefined => {
    try {
      const { valid, errors } = check(isPlain(value) ? value : toJson(value));
      return valid ? undefined : toText(errors);
    } catch (error) {
      if (error instanceof TypeError) return 'It is no JSON.';
      if (error instanceof RangeError) return 'It is nested too deeply to be checked.';
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      return `It took longer than ${maxMs} ms to compare it with the patterns of the schema.`;
    }
  };
  if (describe({})?.startsWith('It is nested')) throw new Error('it refers to itself without an end');
  return describe;
}

function draftOf({ $schema }: JsonObject): SchemaDraft {
  if ($schema === undefined) return '2019-09';
  const [, old, recent] =
    /^https?:\/\/json-schema\.org\/(?:draft-0([467])\/schema#?|draft\/(2019-09|2020-12)\/schema#?)$/.exec(
      String($schema),
    ) ?? [];
  const draft = recent ?? (old === '6' ? '7' : old);
  if (draft === undefined) throw new Error(`$schema is ${String($schema)}, a draft that is not known`);
  return draft as SchemaDraft;
}

/** Without fields that are undefined. Throws `TypeError` for what is no JSON. */
function toJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('it is no JSON');
  return JSON.parse(text);
}

/** Whether all of it, to any depth, is what JSON knows. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'object') return value === null || Object.values(value).every(isPlain);
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

const maxMs = 500;
let place: { readonly room: { run?(): unknown }; readonly script: Script } | undefined;

/** The engine of patterns goes back and forth; only from outside can it be stopped. */
function bounded<T>(run: (value: unknown) => T): (value: unknown) => T {
  return (value) => {
    place ??= { room: createContext({}) as { run?(): unknown }, script: new Script('run()') };
    place.room.run = () => run(value);
    return place.script.runInContext(place.room, { timeout: maxMs }) as T;
  };
}

function hasPatterns(schema: JsonObject): boolean {
  return /"(pattern|format)":"|"patternProperties":/.test(JSON.stringify(schema));
}

const maxLines = 10;
/** What they say is worth a line also where the lines below say more. */
const telling = new Set(['anyOf', 'oneOf', 'not', 'if']);

function toText(errors: readonly OutputUnit[]): string {
  const said = errors.filter((error, at) => telling.has(error.keyword) || !holds(error, errors[at + 1]));
  const lines = said.map(({ instanceLocation, keyword, error }) => {
    return `- ${placeOf(instanceLocation)}: ${keyword === 'false' ? 'It is not allowed here.' : error}`;
  });
  const rest = lines.length > maxLines ? [`- and ${lines.length - maxLines} more`] : [];
  return [...new Set(lines.slice(0, maxLines)), ...rest].join('\n');
}

function holds(outer: OutputUnit, inner: OutputUnit | undefined): boolean {
  if (!inner) return false;
  if (inner.keyword === 'false') return inner.instanceLocation.startsWith(`${outer.instanceLocation}/`);
  return inner.keywordLocation.startsWith(`${outer.keywordLocation}/`);
}

/** `#/items/0/name` as `items[0].name`. */
function placeOf(pointer: string): string {
  const names = pointer.split('/').slice(1);
  if (names.length === 0) return '(the whole)';
  const plain = names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  return plain.map((name, at) => (/^\d+$/.test(name) ? `[${name}]` : at === 0 ? name : `.${name}`)).join('');
}
