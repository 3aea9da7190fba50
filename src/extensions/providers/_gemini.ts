/** The Gemini generateContent wire: how requests are written; `_gemini-decoder.ts` reads the streams. */
import type { Json, JsonObject } from '../../protocol/json.ts';
import {
  type AssistantMessage,
  type AssistantPart,
  type ContentPart,
  contentText,
  type Message,
  type ToolResult,
} from '../../protocol/message.ts';
import type { Effort, ModelRequest } from '../../protocol/request.ts';
import { closeList, openList } from './_body-list.ts';
import type { Codec, Unit } from './_codec.ts';
import { GeminiDecoder } from './_gemini-decoder.ts';
import { fromCallId } from './_gemini-ids.ts';
import { toGeminiSchema } from './_gemini-schema.ts';

/** Documented stand-in for the signature of a call that this model did not make. */
const foreignSignature = 'skip_thought_signature_validator';
const budgets: Readonly<Record<Effort, number>> = { off: 0, low: 4096, medium: 12_288, high: 24_576 };

/** The codec; all servers of this wire are alike. */
export const geminiCodec: Codec = {
  path: ({ model }) => `/v1beta/models/${bareModel(model)}:streamGenerateContent?alt=sse`,
  headers: ({ apiKey }): Record<string, string> => (apiKey ? { 'x-goog-api-key': apiKey } : {}),
  encode,
  head,
  tail: (request) => closeList(parametersOf(request)),
  run: { open: (role) => `{"role":"${role}","parts":[`, close: ']}' },
  decoder: () => new GeminiDecoder(),
  models: { path: '/v1beta/models?pageSize=1000', read: readModels },
};

/** A model's name as one or more path segments, without the `models/` that the list puts before it. */
function bareModel(model: string): string {
  return model
    .replace(/^models\//, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}

function readModels(body: unknown): string[] {
  const { models = [] } = body as { models?: { name: string; supportedGenerationMethods?: string[] }[] };
  return models
    .filter((model) => model.supportedGenerationMethods?.includes('generateContent') ?? true)
    .map((model) => model.name.replace(/^models\//, ''));
}

/** Major version; the names without one (`gemini-flash-latest`) are the newest. 0 for models of another family. */
function generationOf(model: string): number {
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(model);
  if (found) return Number(found[1]);
  return model.includes('gemini-') ? 99 : 0;
}

function head({ tools, sections }: ModelRequest): string {
  const declarations = tools.flatMap(({ name, description, input }) => {
    const translated = toGeminiSchema(input);
    // One schema that cannot be said must not cost all the others.
    if ('error' in translated) return [];
    const hasInput = translated.schema.properties !== undefined;
    return [{ name, description: description || name, ...(hasInput && { parameters: translated.schema }) }];
  });
  const parts = sections.filter(({ text }) => text.trim() !== '').map(({ text }) => ({ text }));
  const fields = {
    ...(parts.length > 0 && { systemInstruction: { parts } }),
    ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
  };
  return openList(fields, 'contents');
}

function parametersOf(request: ModelRequest): JsonObject {
  const { maxOutput, outputSchema, tools, model } = request;
  const thinking = thinkingOf(request);
  // Older models take an output schema or tools, not both; then the answer is only checked, not steered.
  const mayShape = outputSchema && (tools.length === 0 || generationOf(model) >= 3);
  const shape = mayShape ? toGeminiSchema(outputSchema) : undefined;
  const generation = {
    ...(maxOutput && { maxOutputTokens: maxOutput }),
    ...(thinking && { thinkingConfig: thinking }),
    ...(shape && 'schema' in shape && { responseMimeType: 'application/json', responseSchema: shape.schema }),
  };
  const calling = callingOf(request);
  return {
    ...(Object.keys(generation).length > 0 && { generationConfig: generation }),
    ...(calling && { toolConfig: { functionCallingConfig: calling } }),
  };
}

function thinkingOf({ model, effort }: ModelRequest): JsonObject | undefined {
  const generation = generationOf(model);
  if (generation < 2.5) return undefined;
  const includeThoughts = effort !== 'off';
  if (!effort) return { includeThoughts };
  const isPro = model.includes('-pro');
  if (generation < 3)
    return { includeThoughts, thinkingBudget: isPro ? Math.max(128, budgets[effort]) : budgets[effort] };
  return { includeThoughts, thinkingLevel: levelOf(effort, isPro, generation) };
}

/** The pro models and the newer others always think, and the first pro model knows no middle. */
function levelOf(effort: Effort, isPro: boolean, generation: number): string {
  if (effort === 'off') return isPro || generation >= 3.8 ? 'low' : 'minimal';
  return effort === 'medium' && isPro && generation < 3.1 ? 'high' : effort;
}

function callingOf({ toolChoice, tools }: ModelRequest): JsonObject | undefined {
  if (tools.length === 0 || !toolChoice || toolChoice === 'auto') return undefined;
  if (toolChoice === 'none') return { mode: 'NONE' };
  return { mode: 'ANY', ...(toolChoice !== 'required' && { allowedFunctionNames: [toolChoice.tool] }) };
}

function encode(message: Message, own: string): readonly Unit[] {
  if (message.role === 'user') return message.parts.flatMap(contentUnit);
  if (message.role === 'assistant') return encodeAnswer(message, own);
  // All responses of a turn first, in call order; images cannot stand inside one on every model.
  const images = message.results.flatMap(imagesOf);
  return [...message.results.map(responseUnit), ...images];
}

function encodeAnswer(message: AssistantMessage, own: string): Unit[] {
  const isOwn = message.model === own;
  const isSigned = isOwn && message.parts.some((part) => part.type === 'tool-call' && signatureOf(part));
  let missing = generationOf(own) >= 3 && !isSigned;
  return message.parts.flatMap((part): Unit[] => {
    const signature = isOwn ? signatureOf(part) : undefined;
    if (part.type === 'reasoning') return signature ? [unit('model', reasoning(part, signature))] : [];
    const thoughtSignature = signature && { thoughtSignature: signature };
    if (part.type === 'text') {
      return part.text.trim() === '' ? [] : [unit('model', { text: part.text, ...thoughtSignature })];
    }
    const stand = missing ? { thoughtSignature: foreignSignature } : {};
    missing = false;
    const functionCall = { ...idField(part.id), name: part.name, args: part.input };
    return [unit('model', { functionCall, ...stand, ...thoughtSignature })];
  });
}

function signatureOf(part: AssistantPart): string | undefined {
  const wire = part.wire as { signature?: Json } | undefined;
  return typeof wire?.signature === 'string' ? wire.signature : undefined;
}

/** A signed thought, or a signed part of blank text, which the decoder keeps as reasoning without a text. */
function reasoning({ text, wire }: AssistantPart & { type: 'reasoning' }, thoughtSignature: string): JsonObject {
  const { blank } = wire as { blank?: string };
  return blank === undefined ? { text, thought: true, thoughtSignature } : { text: blank, thoughtSignature };
}

function responseUnit({ callId, name, status, content }: ToolResult): Unit {
  const text = contentText(content) || '(no output)';
  const response: JsonObject = status === 'ok' ? { result: text } : { error: text };
  return unit('user', { functionResponse: { ...idField(callId), name, response } });
}

function imagesOf({ name, content }: ToolResult): Unit[] {
  const images = content.filter((part) => part.type === 'image');
  if (images.length === 0) return [];
  return [unit('user', { text: `From the result of ${name}:` }), ...images.flatMap(contentUnit)];
}

function contentUnit(part: ContentPart): Unit[] {
  if (part.type === 'image') return [unit('user', { inlineData: { mimeType: part.mediaType, data: part.data } })];
  return part.text.trim() === '' ? [] : [unit('user', { text: part.text })];
}

/** Only an id that the API gave is known to it. */
function idField(callId: string): { id?: string } {
  const id = fromCallId(callId);
  return id === undefined ? {} : { id };
}

function unit(role: 'user' | 'model', part: JsonObject): Unit {
  return { role, json: JSON.stringify(part) };
}
