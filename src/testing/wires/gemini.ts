/** Gemini generateContent, as the scripted model server reads and speaks it. */

import { isObject } from '../../lib/is-object.ts';
import type { ModelStop } from '../../protocol/define/provider.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Answer } from '../turn.ts';
import { geminiRules, signatureOf } from './gemini-rules.ts';
import { type Block, halves, objectsOf, type RequestView, sse, textOf, type Wire } from './wire.ts';

const statusNames: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

export const gemini: Wire = {
  name: 'gemini',
  basePath: '',
  matches: (path) => path.endsWith(':streamGenerateContent'),
  rules: geminiRules,
  read(body, path) {
    const system = isObject(body.systemInstruction) ? objectsOf(body.systemInstruction.parts) : [];
    return {
      model: decodeURIComponent(/\/models\/([^:?]+):/.exec(path)?.[1] ?? ''),
      system: system.map((raw) => ({ kind: 'text', text: textOf(raw.text), raw })),
      tools: objectsOf(body.tools)
        .flatMap((tool) => objectsOf(tool.functionDeclarations))
        .map((raw) => ({ name: textOf(raw.name), schema: raw.parameters ?? raw.parametersJsonSchema ?? {}, raw })),
      entries: readContents(objectsOf(body.contents)),
    };
  },
  events: answerEvents,
  errorBody: (status, message) => ({ error: { code: status, message, status: statusNames[status] ?? 'INTERNAL' } }),
};

/** Calls and results without an id are paired by their place. */
function readContents(contents: readonly JsonObject[]): RequestView['entries'] {
  let asked: { id: string; name: string }[] = [];
  return contents.map((content, index) => {
    const parts = objectsOf(content.parts);
    if (content.role === 'model') {
      const blocks = parts.map((raw, place) => readModelPart(raw, `${index}_${place}`));
      asked = blocks.flatMap((block) => (block.kind === 'call' ? [{ id: block.id, name: block.name }] : []));
      return { role: 'assistant' as const, blocks };
    }
    const waiting = [...asked];
    return { role: 'user' as const, blocks: parts.map((raw) => readUserPart(raw, waiting)) };
  });
}

function readModelPart(raw: JsonObject, place: string): Block {
  if (isObject(raw.functionCall)) {
    const { id, name, args } = raw.functionCall;
    return { kind: 'call', id: textOf(id) || place, name: textOf(name), input: args ?? {}, raw };
  }
  if (typeof raw.text !== 'string') return { kind: 'unknown', raw };
  const onlySignature = raw.text === '' && raw.thoughtSignature !== undefined;
  return raw.thought === true || onlySignature ? { kind: 'reasoning', raw } : { kind: 'text', text: raw.text, raw };
}

function readUserPart(raw: JsonObject, waiting: { id: string; name: string }[]): Block {
  if (isObject(raw.functionResponse)) {
    const { id, name, response } = raw.functionResponse;
    const index = waiting.findIndex((call) =>
      id === undefined ? call.name === name : call.id === id && call.name === name,
    );
    const [call] = index < 0 ? [] : waiting.splice(index, 1);
    const text = responseText(response);
    const content: Block[] = text.trim() === '' ? [] : [{ kind: 'text', text, raw: text }];
    const images = objectsOf(raw.functionResponse.parts).map((part) => readUserPart(part, []));
    return { kind: 'result', id: call?.id ?? textOf(id ?? name), content: [...content, ...images], raw };
  }
  if (isObject(raw.inlineData)) {
    return { kind: 'image', mediaType: textOf(raw.inlineData.mimeType), data: textOf(raw.inlineData.data), raw };
  }
  return typeof raw.text === 'string' ? { kind: 'text', text: raw.text, raw } : { kind: 'unknown', raw };
}

/** The text of a response object with one string in it, whatever its key; else the object as JSON. */
function responseText(response: Json | undefined): string {
  const values = isObject(response) ? Object.values(response) : [];
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : JSON.stringify(response ?? null);
}

const finishReasons: Record<ModelStop, string> = {
  end: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
};

function answerEvents(answer: Answer, view: RequestView): string[] {
  const usageMetadata = usageOf(answer);
  const chunk = (parts: readonly Json[], finishReason?: string) =>
    sse({
      candidates: [{ content: { parts, role: 'model' }, index: 0, ...(finishReason ? { finishReason } : {}) }],
      usageMetadata,
      modelVersion: view.model,
      responseId: 'scripted',
    });
  const calls = answer.calls.map((call) => ({ call, args: parseObject(call.arguments) }));
  // This wire carries arguments as an object; a model that writes none is reported so.
  if (calls.some(({ args }) => args === undefined)) return [chunk([], 'MALFORMED_FUNCTION_CALL')];

  const events = halves(answer.reasoning).map((text) => chunk([{ text, thought: true }]));
  // As the service does it, the signature of the reasoning stands on the first call, else on the last text.
  let signed = answer.reasoning !== '';
  for (const [index, text] of answer.text.entries()) {
    const last = signed && calls.length === 0 && index === answer.text.length - 1;
    events.push(chunk([last ? { text, thoughtSignature: signatureOf(view.model, { text }) } : { text }]));
  }
  for (const { call, args } of calls) {
    const part = { functionCall: { id: call.id, name: call.name, args: args! } };
    events.push(chunk([signed ? { ...part, thoughtSignature: signatureOf(view.model, part) } : part]));
    signed = false;
  }
  return [...events, chunk([{ text: '' }], finishReasons[answer.stop])];
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function usageOf({ usage }: Answer): JsonObject {
  const promptTokenCount = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    promptTokenCount,
    candidatesTokenCount: usage.output,
    totalTokenCount: promptTokenCount + usage.output,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
  };
}
