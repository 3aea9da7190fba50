/** From a tool definition to what the engine sees of it: a schema and a parse function. */
import { z } from 'zod';
import { onlyNamed } from '../../protocol/define/input.ts';
import type { DefinedTool, ParsedInput, Tool, ToolDefinition } from '../../protocol/define/tool.ts';
import type { ToolHost } from '../../protocol/host.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { ToolSchema } from '../../protocol/prompt.ts';
import { compileSchema, type SchemaCheck } from '../../services/json-schema/schema-check.ts';

const maxInputCharacters = 10_000_000;
const maxInputDepth = 100;

/**
 * Binds a definition to a host. Fields of its `context` schema are taken out of what the model is shown, dropped when
 * the model sends them, and filled from the host's values at each call.
 */
export function bindTool(defined: DefinedTool, host: ToolHost): Tool {
  const definition = defined as unknown as ToolDefinition<JsonObject, Json>;
  const { schema, trusted } = shownOf(definition);
  const { risk, idempotent = false, timeoutSeconds, ask, delegate } = definition;
  const execute = definition.execute?.bind(definition);
  return {
    schema,
    risk,
    idempotent,
    timeoutSeconds,
    parse: (input) => parseInput(definition.input, omit(input, trusted)),
    queueKey: definition.queueKey && ((input) => definition.queueKey?.(input, host)),
    execute:
      execute && (async (input, call) => execute(input, { ...call, context: trustedValues(definition, call.context) })),
    ask: ask?.bind(definition),
    delegate: delegate?.bind(definition),
  };
}

interface Shown {
  readonly schema: ToolSchema;
  /** Fields that the host fills in. */
  readonly trusted: readonly string[];
}

/** Tools are bound once a session; what the model is told of them is the same object in all sessions. */
const shown = new WeakMap<object, Shown>();

function shownOf(definition: ToolDefinition<JsonObject, Json>): Shown {
  const known = shown.get(definition);
  if (known) return known;
  const { name, description, input, context } = definition;
  const trusted = contextFields(context);
  const made = { schema: { name, description, input: withoutFields(toJsonSchema(input), trusted) }, trusted };
  shown.set(definition, made);
  return made;
}

function trustedValues(definition: ToolDefinition<JsonObject, Json>, values: unknown): Json {
  if (!definition.context) return {};
  const parsed = definition.context.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(`the host gave no usable context: ${z.prettifyError(parsed.error)}`);
}

/** More text than any tool takes, or nesting that no schema asks for. */
function isTooBig(input: unknown): boolean {
  let left = maxInputCharacters;
  let level = [input];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxInputDepth) return true;
    for (const value of level) left -= typeof value === 'string' ? value.length : 1;
    if (left < 0) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}

function parseInput(schema: ToolDefinition['input'], input: JsonObject): ParsedInput {
  if (isTooBig(input))
    return { ok: false, error: 'The input is too large or nested too deeply. Do it in smaller steps.' };
  if (!isZod(schema)) return checkInput(schema, onlyNamed(input, schema));
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, input: parsed.data };
  return { ok: false, error: `The input does not fit the tool's schema. ${z.prettifyError(parsed.error)}` };
}

function checkInput(schema: JsonObject, input: JsonObject): ParsedInput {
  const problem = checkOf(schema)(input);
  if (problem === undefined) return { ok: true, input };
  return { ok: false, error: `The input does not fit the tool's schema.\n${problem}` };
}

function isZod(value: unknown): value is z.ZodType<JsonObject> {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/** Made at the first call of a tool, for all sessions. */
const checks = new WeakMap<JsonObject, SchemaCheck>();

function checkOf(schema: JsonObject): SchemaCheck {
  const known = checks.get(schema) ?? compileOrRefuse(schema);
  checks.set(schema, known);
  return known;
}

/** A schema that cannot be used refuses every input: nothing runs unchecked. */
function compileOrRefuse(schema: JsonObject): SchemaCheck {
  try {
    return compileSchema(schema);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return () => `The schema of the tool itself cannot be used, so the tool cannot be called: ${detail}`;
  }
}

/** JSON Schema (draft 7) as models take it: no `$schema`, no bounds that only say "a safe integer". */
function toJsonSchema(input: z.ZodType<JsonObject> | JsonObject): JsonObject {
  if (!isZod(input)) return input;
  const options = {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  } as const;
  const { $schema, ...made } = z.toJSONSchema(input, options);
  return made as JsonObject;
}

function contextFields(context: z.ZodType | undefined): readonly string[] {
  if (!context) return [];
  const schema = z.toJSONSchema(context, { io: 'input', unrepresentable: 'any' });
  return Object.keys(schema.properties ?? {});
}

function withoutFields(schema: JsonObject, fields: readonly string[]): JsonObject {
  if (fields.length === 0) return schema;
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => !fields.includes(name as string))
    : [];
  return { ...schema, properties: omit((schema.properties ?? {}) as JsonObject, fields), required };
}

function omit(object: JsonObject, fields: readonly string[]): JsonObject {
  if (!fields.some((field) => Object.hasOwn(object, field))) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}
