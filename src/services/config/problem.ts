/** Turns what the schema says of a configuration file into an error that names file, key and what to write instead. */
import type { z } from 'zod';
import { nearest } from '../../lib/nearest.ts';
import { type ConfigFile, configSchema } from '../../protocol/config.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** Checks the content of a configuration file. Throws `E_CONFIG_INVALID` for the first thing that is wrong. */
export function checkConfig(value: unknown, file: string): ConfigFile {
  const result = configSchema().safeParse(value);
  if (result.success) return result.data;
  throw toError(result.error.issues[0]!, value, file);
}

/**
 * Checks what the keys at these paths hold, and nothing else of a file. Throws `E_CONFIG_INVALID` for the first thing
 * that is wrong there.
 */
export function checkConfigAt(value: unknown, file: string, paths: readonly (readonly string[])[]): void {
  const { error } = configSchema().safeParse(value);
  const issue = error?.issues.find((each) => {
    const keys = each.code === 'unrecognized_keys' ? each.keys : [undefined];
    return keys.some((key) => {
      const at = [...each.path, ...(key === undefined ? [] : [key])].map(String);
      return paths.some((path) => path.every((step, index) => index >= at.length || step === at[index]));
    });
  });
  if (issue) throw toError(issue, value, file);
}

/** `E_CONFIG_INVALID`; `text` is a key of the dictionary, the rest its parameters. */
export function configError(file: string, key: string, detail: { text: `config.${string}` } & JsonObject): ReinError {
  return new ReinError('E_CONFIG_INVALID', { file, key: key || '.', detail });
}

function toError(issue: z.core.$ZodIssue, value: unknown, file: string): ReinError {
  const key = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys': {
      const unknown = issue.keys[0]!;
      const meant = nearest(unknown, keysAt(issue.path));
      const path = key ? `${key}.${unknown}` : unknown;
      return configError(file, path, meant ? { text: 'config.unknownKeyMeant', meant } : { text: 'config.unknownKey' });
    }
    case 'invalid_type':
      return configError(file, key, { text: 'config.wrongType', expected: issue.expected });
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      return configError(file, key, { text: 'config.notOneOf', value: show(at(value, issue.path)), allowed });
    }
    case 'custom': {
      const shown = show(at(value, issue.path));
      if (issue.params?.problem === 'rule') return configError(file, key, { text: 'config.noRule', value: shown });
      if (issue.params?.problem === 'check') return configError(file, key, { text: 'config.noCheck' });
      if (issue.params?.problem === 'url') return configError(file, key, { text: 'config.noUrl', value: shown });
      return configError(file, key, { text: 'config.noPattern', value: shown });
    }
    default:
      return configError(file, key, { text: 'config.wrongValue', value: show(at(value, issue.path)) });
  }
}

/** Names the schema allows at a path. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let node: z.core.$ZodType = configSchema();
  for (const step of ['', ...path]) {
    if (step !== '') node = childOf(node, step);
    while ('innerType' in node._zod.def) node = node._zod.def.innerType as z.core.$ZodType;
  }
  const { def } = node._zod as { def: { shape?: object } };
  return Object.keys(def.shape ?? {}).filter((name) => !name.startsWith('$'));
}

function childOf(node: z.core.$ZodType, step: PropertyKey): z.core.$ZodType {
  const def = node._zod.def as { shape?: Record<PropertyKey, z.core.$ZodType>; valueType?: unknown; element?: unknown };
  return (def.shape?.[step] ?? def.valueType ?? def.element) as z.core.$ZodType;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((node, step) => (node as Record<PropertyKey, unknown> | undefined)?.[step], value);
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
