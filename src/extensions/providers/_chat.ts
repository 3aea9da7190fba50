/** The Chat Completions wire, as OpenAI and everyone who is compatible speaks it; `_chat-decoder.ts` reads the streams. */
import type { Json, JsonObject } from '../../protocol/json.ts';
import {
  type AssistantMessage,
  type ContentPart,
  contentText,
  type ImagePart,
  type Message,
  type ReasoningPart,
  type ToolCallPart,
  type ToolMessage,
  toolCalls,
} from '../../protocol/message.ts';
import type { Effort, ModelRequest } from '../../protocol/request.ts';
import { closeList, openList } from './_body-list.ts';
import { ChatDecoder } from './_chat-decoder.ts';
import type { Codec, Unit } from './_codec.ts';
import { bearer, modelIds, systemText } from './_openai-family.ts';

/** How servers differ where the wire leaves it open. */
export interface ChatDialect {
  /** Parameters for an effort; none where it cannot be said. */
  effort(effort: Effort): Readonly<Record<string, unknown>>;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
}

/** Understood by most: an effort that is not `off` by the name OpenAI gave it. */
export const plainDialect: ChatDialect = {
  effort: (effort) => (effort === 'off' ? {} : { reasoning_effort: effort }),
  maxTokensField: 'max_tokens',
};

/** Paths are below a base URL that ends in `/v1` or what stands for it. */
export function createChatCodec(dialect: ChatDialect = plainDialect): Codec {
  return {
    path: () => '/chat/completions',
    headers: bearer,
    encode,
    head: (request) => head(request, dialect),
    tail: () => closeList(),
    decoder: () => new ChatDecoder(),
    models: { path: '/models', read: modelIds },
  };
}

function head(request: ModelRequest, dialect: ChatDialect): string {
  const { model, tools, maxOutput, effort, toolChoice, outputSchema } = request;
  const fields = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxOutput !== undefined && { [dialect.maxTokensField]: maxOutput }),
    ...(effort && dialect.effort(effort)),
    ...(tools.length > 0 && { tools: tools.map(toolSchema) }),
    ...(tools.length > 0 && toolChoice && toolChoice !== 'auto' && { tool_choice: choice(toolChoice) }),
    ...(outputSchema && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: outputSchema } },
    }),
  };
  const system = systemText(request.sections);
  const first = system ? JSON.stringify({ role: 'system', content: system }) : '';
  return openList(fields, 'messages') + first;
}

function toolSchema({ name, description, input }: ModelRequest['tools'][number]): JsonObject {
  return { type: 'function', function: { name, description, parameters: input } };
}

function choice(toolChoice: Exclude<ModelRequest['toolChoice'], undefined>): Json {
  return typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: { name: toolChoice.tool } };
}

function encode(message: Message, own: string): readonly Unit[] {
  if (message.role === 'user') return userUnits(message.parts);
  if (message.role === 'tool') return toolUnits(message);
  return assistantUnits(message, message.model === own);
}

function unit(message: JsonObject & { readonly role: string }): Unit {
  return { role: message.role, json: JSON.stringify(message) };
}

function userUnits(parts: readonly ContentPart[]): Unit[] {
  const shown = parts.filter((part) => part.type === 'image' || part.text.trim() !== '');
  if (shown.length === 0) return [];
  // Text alone goes as a string: many servers know no other form.
  const content = shown.some((part) => part.type === 'image')
    ? shown.map(contentPart)
    : shown.map(contentOf).join('\n\n');
  return [unit({ role: 'user', content })];
}

function contentOf(part: ContentPart): string {
  return contentText([part]);
}

function contentPart(part: ContentPart): JsonObject {
  return part.type === 'text' ? { type: 'text', text: part.text } : imagePart(part);
}

function imagePart({ mediaType, data }: ImagePart): JsonObject {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } };
}

/** Reasoning goes back only to the model that made it, in the field it came in. */
function assistantUnits(message: AssistantMessage, isOwn: boolean): Unit[] {
  const calls = toolCalls(message);
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const hasText = text.trim() !== '';
  if (!hasText && calls.length === 0) return [];
  const reasoning = isOwn ? message.parts.filter((part) => part.type === 'reasoning') : [];
  const thinking = reasoning.filter((part) => fieldOf(part) === 'content');
  const content: Json =
    thinking.length > 0
      ? [...thinking.map(thinkingPart), ...(hasText ? [{ type: 'text', text }] : [])]
      : hasText
        ? text
        : null;
  return [
    unit({
      role: 'assistant',
      content,
      ...reasoningFields(reasoning),
      ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, isOwn)) }),
    }),
  ];
}

function wireOf(part: ReasoningPart | ToolCallPart): JsonObject {
  return (part.wire ?? {}) as JsonObject;
}

function fieldOf(part: ReasoningPart): Json | undefined {
  return wireOf(part).field;
}

function thinkingPart({ text }: ReasoningPart): JsonObject {
  return { type: 'thinking', thinking: [{ type: 'text', text }] };
}

function reasoningFields(reasoning: readonly ReasoningPart[]): JsonObject {
  const fields: Record<string, Json> = {};
  for (const part of reasoning) {
    const { field, details } = wireOf(part);
    if (field === 'reasoning_content' || field === 'reasoning') fields[field] = part.text;
    if (details !== undefined) fields.reasoning_details = details;
  }
  return fields;
}

function toolCall(call: ToolCallPart, isOwn: boolean): JsonObject {
  const { id, name, input } = call;
  const { extra } = wireOf(call);
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
    ...(isOwn && extra !== undefined && { extra_content: extra }),
  };
}

/** Results hold text only on this wire; their images follow as what the user shows. */
function toolUnits({ results }: ToolMessage): Unit[] {
  const units = results.map(({ callId, content }) => {
    const text = content.length > 0 ? contentText(content) : '';
    return unit({ role: 'tool', tool_call_id: callId, content: text.trim() === '' ? '(no output)' : text });
  });
  const images = results.flatMap(({ callId, content }) => {
    const shown = content.filter((part) => part.type === 'image');
    return shown.length > 0 ? [{ type: 'text', text: `Images of result ${callId}:` }, ...shown.map(imagePart)] : [];
  });
  return images.length > 0 ? [...units, unit({ role: 'user', content: images })] : units;
}
