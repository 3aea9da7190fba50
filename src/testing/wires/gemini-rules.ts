/** What a strict Gemini server refuses. */
import { isObject } from '../../lib/is-object.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { alternatingRoles, strictRules } from './common-rules.ts';
import { listOf, objectsOf, type Rule, sign, textOf } from './wire.ts';

const fields = 'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent';

const schemaFields =
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'.split(
    ' ',
  );

/** The path asks for server-sent events. */
const streaming: Rule = {
  name: 'streaming',
  check: ({ path }) => (/[?&]alt=sse(&|$)/.test(path) ? undefined : 'The query must say alt=sse.'),
};

/** `contents` is there; roles are `user` and `model`. */
const requiredFields: Rule = {
  name: 'required-fields',
  check({ body }) {
    const contents = objectsOf(body.contents);
    if (contents.length === 0) return 'contents is missing or empty.';
    const index = contents.findIndex((content) => content.role !== 'user' && content.role !== 'model');
    return index < 0 ? undefined : `contents[${index}] has the role ${JSON.stringify(contents[index]!.role)}.`;
  },
};

/** Schemas of tools use what the service knows of OpenAPI, no more. */
const toolSchemas: Rule = {
  name: 'tool-schemas',
  check({ view }) {
    for (const { name, raw } of view.tools) {
      const declared = (raw as JsonObject).parameters ?? (raw as JsonObject).parametersJsonSchema;
      const problem = declared === undefined ? undefined : schemaProblem(declared, 'parameters');
      if (problem !== undefined) return `Tool ${name}: ${problem}`;
    }
    return undefined;
  },
};

/** A message with responses has as many as the message before it has calls, and their values are objects. */
const responseCount: Rule = {
  name: 'response-count',
  check({ body }) {
    const contents = objectsOf(body.contents);
    for (const [index, content] of contents.entries()) {
      const responses = objectsOf(content.parts).filter((part) => isObject(part.functionResponse));
      const calls = objectsOf(contents[index - 1]?.parts).filter((part) => isObject(part.functionCall));
      if (responses.length > 0 && responses.length !== calls.length) {
        return `contents[${index}] has ${responses.length} function responses for ${calls.length} function calls.`;
      }
      if (responses.some((part) => !isObject((part.functionResponse as JsonObject).response))) {
        return `contents[${index}] has a function response whose value is no object.`;
      }
    }
    return undefined;
  },
};

/** What may stand in for the signature of a call that the model did not make. */
const foreignSignature = 'skip_thought_signature_validator';

/** Thought signatures go back on the part they came with, unaltered, to the model that made them. */
const signaturesUnaltered: Rule = {
  name: 'signatures-unaltered',
  check({ body, view }) {
    const parts = objectsOf(body.contents).flatMap((content) => objectsOf(content.parts));
    const bad = parts.find(
      (part) =>
        part.thoughtSignature !== undefined &&
        part.thoughtSignature !== signatureOf(view.model, part) &&
        !(isObject(part.functionCall) && part.thoughtSignature === foreignSignature),
    );
    return (
      bad && `A thought signature was altered, moved or made by another model: ${JSON.stringify(bad).slice(0, 200)}`
    );
  },
};

export const geminiRules = strictRules({ fields, callArguments: 'object', turns: 'messages' }, [
  streaming,
  requiredFields,
  toolSchemas,
  alternatingRoles,
  responseCount,
  signaturesUnaltered,
]);

/** What the server signs: a call with its arguments; of a text only that it was said. */
export function signatureOf(model: string, part: JsonObject): string {
  if (!isObject(part.functionCall)) return sign(model, 'text');
  const { name, args } = part.functionCall;
  return sign(model, JSON.stringify([name ?? '', args ?? {}]));
}

function schemaProblem(schema: Json, path: string): string | undefined {
  if (!isObject(schema)) return `${path} is no schema.`;
  const unknown = Object.keys(schema).find((key) => !schemaFields.includes(key));
  if (unknown !== undefined) return `Unknown name "${unknown}" at ${path}.`;
  if (schema.type === undefined && schema.anyOf === undefined) return `${path} has no type.`;
  if (schema.type !== undefined && typeof schema.type !== 'string') return `${path}.type is no string.`;
  if (textOf(schema.type).toLowerCase() === 'array' && schema.items === undefined) return `${path}.items is missing.`;
  if (listOf(schema.enum).some((value) => typeof value !== 'string'))
    return `${path}.enum has a value that is no string.`;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const missing = listOf(schema.required).find((name) => !(textOf(name) in properties));
  if (missing !== undefined) return `${path}.required names ${JSON.stringify(missing)}, which is not defined.`;
  const inner: [string, Json][] = [
    ...Object.entries(properties).map(([key, value]): [string, Json] => [`${path}.properties.${key}`, value]),
    ...listOf(schema.anyOf).map((value, index): [string, Json] => [`${path}.anyOf.${index}`, value]),
  ];
  if (schema.items !== undefined) inner.push([`${path}.items`, schema.items]);
  for (const [place, value] of inner) {
    const problem = schemaProblem(value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
