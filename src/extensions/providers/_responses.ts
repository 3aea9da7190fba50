/** The OpenAI Responses wire: how requests are written; `_responses-decoder.ts` reads the streams. */
import type { Json, JsonObject } from '../../protocol/json.ts';
import {
  type AssistantMessage,
  type AssistantPart,
  type ContentPart,
  contentText,
  type Message,
  type ToolResult,
} from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { closeList, openList } from './_body-list.ts';
import type { Codec, Unit } from './_codec.ts';
import { bearer, modelIds, openaiEffort, systemText } from './_openai-family.ts';
import { ResponsesDecoder } from './_responses-decoder.ts';

/** Nothing is kept at the server: reasoning travels encrypted and comes back with the history. */
export function createResponsesCodec(): Codec {
  return {
    path: () => '/responses',
    headers: bearer,
    encode,
    head,
    // What names the session stands here, since sessions share what stands before.
    tail: ({ cache }) => closeList(cache?.key ? { prompt_cache_key: cache.key } : {}),
    decoder: () => new ResponsesDecoder(),
    models: { path: '/models', read: modelIds },
  };
}

/** Models that do not reason refuse the wish for their reasoning. */
const plainModels = /^(gpt-[34]|chatgpt|.*-chat)/;

function head(request: ModelRequest): string {
  const { model, sections, tools, effort, maxOutput, toolChoice, outputSchema } = request;
  const instructions = systemText(sections);
  const fields = {
    model,
    stream: true,
    store: false,
    ...(!plainModels.test(model) && { include: ['reasoning.encrypted_content'] }),
    ...(effort && !plainModels.test(model) && { reasoning: { effort: openaiEffort(effort, model) } }),
    ...(maxOutput !== undefined && { max_output_tokens: maxOutput }),
    ...(tools.length > 0 && { tools: tools.map(toolSchema) }),
    ...(tools.length > 0 && toolChoice && toolChoice !== 'auto' && { tool_choice: choice(toolChoice) }),
    ...(outputSchema && {
      text: { format: { type: 'json_schema', name: 'answer', schema: outputSchema, strict: false } },
    }),
    ...(instructions && { instructions }),
  };
  return openList(fields, 'input');
}

function toolSchema({ name, description, input }: ModelRequest['tools'][number]): JsonObject {
  return { type: 'function', name, description, parameters: input, strict: false };
}

function choice(toolChoice: Exclude<ModelRequest['toolChoice'], undefined>): Json {
  return typeof toolChoice === 'string' ? toolChoice : { type: 'function', name: toolChoice.tool };
}

function encode(message: Message, own: string): readonly Unit[] {
  if (message.role === 'user') return userUnits(message.parts);
  if (message.role === 'tool') return message.results.map(resultUnit);
  return assistantUnits(message, message.model === own);
}

function unit(role: string, item: Json): Unit {
  return { role, json: JSON.stringify(item) };
}

function userUnits(parts: readonly ContentPart[]): Unit[] {
  const content = parts.flatMap(inputPart);
  return content.length > 0 ? [unit('user', { role: 'user', content })] : [];
}

function inputPart(part: ContentPart): JsonObject[] {
  if (part.type === 'image') {
    return [{ type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}` }];
  }
  return part.text.trim() === '' ? [] : [{ type: 'input_text', text: part.text }];
}

function assistantUnits({ parts }: AssistantMessage, isOwn: boolean): Unit[] {
  // Reasoning without the item it led to is refused.
  const lastItem = parts.findLastIndex((part) => part.type !== 'reasoning' && encodePart(part, isOwn) !== undefined);
  return parts.flatMap((part, index) => {
    if (part.type === 'reasoning' && index > lastItem) return [];
    const item = encodePart(part, isOwn);
    return item === undefined ? [] : [unit('assistant', item)];
  });
}

function encodePart(part: AssistantPart, isOwn: boolean): Json | undefined {
  // Whole items, as they came: reasoning with its encrypted content, and what else the server wants back.
  if (part.type === 'reasoning') return isOwn ? part.wire : undefined;
  if (part.type === 'tool-call') {
    return { type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.input) };
  }
  if (part.text.trim() === '') return undefined;
  const own = isOwn ? ((part.wire ?? {}) as JsonObject) : {};
  return { role: 'assistant', content: [{ type: 'output_text', text: part.text }], ...own };
}

function resultUnit({ callId, content }: ToolResult): Unit {
  const hasImages = content.some((part) => part.type === 'image');
  const output: Json = hasImages
    ? content.flatMap(inputPart)
    : contentText(content).trim() === ''
      ? '(no output)'
      : contentText(content);
  return unit('tool', { type: 'function_call_output', call_id: callId, output });
}
