/** The Anthropic Messages wire: how requests are written; `_anthropic-decoder.ts` reads the streams. */

import type { ProviderOptions } from '../../protocol/define/provider.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import {
  type ContentPart,
  contentText,
  type Message,
  type ReasoningPart,
  type ToolResult,
} from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { AnthropicDecoder } from './_anthropic-decoder.ts';
import { parametersOf } from './_anthropic-params.ts';
import { toInputSchema } from './_anthropic-schema.ts';
import { closeList, openList } from './_body-list.ts';
import type { Codec, Unit } from './_codec.ts';

/** The maker's own host. */
export const anthropicHost = 'https://api.anthropic.com';
const cacheMark = { cache_control: { type: 'ephemeral' } };
/** What memory changes must not spoil the cache of what stands before it. */
const memorySections = new Set(['memory', 'agent_memory']);

/** The codec for one server; some fields are understood by the maker's own host only. */
export function createAnthropicCodec(options: ProviderOptions): Codec {
  const official = !options.baseUrl || options.baseUrl.startsWith(anthropicHost);
  return {
    path: () => '/v1/messages',
    headers: ({ apiKey }) => ({
      ...(apiKey && { 'x-api-key': apiKey }),
      'anthropic-version': '2023-06-01',
      ...(official && { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' }),
    }),
    encode,
    head,
    tail: (request) => closeList(parametersOf(request, { official })),
    run: { open: (role) => `{"role":"${role}","content":[`, close: ']}' },
    mark: `,${JSON.stringify(cacheMark).slice(1, -1)}`,
    decoder: () => new AnthropicDecoder(),
    models: {
      path: '/v1/models?limit=1000',
      read: (body) => ((body as { data?: { id: string }[] }).data ?? []).map((model) => model.id),
    },
  };
}

function head({ model, tools, sections, cache }: ModelRequest): string {
  const marked = cache?.marks === true;
  const declared = tools.map(({ name, description, input }, index) => ({
    name,
    description,
    input_schema: toInputSchema(input),
    ...(marked && index === tools.length - 1 && cacheMark),
  }));
  const shown = sections.filter((section) => section.text.trim() !== '');
  const last = shown.findLastIndex((section) => !memorySections.has(section.name));
  const system = shown.map(({ text }, index) => ({ type: 'text', text, ...(marked && index === last && cacheMark) }));
  const fields = {
    model,
    ...(declared.length > 0 && { tools: declared }),
    ...(system.length > 0 && { system }),
  };
  return openList(fields, 'messages');
}

/** The content blocks of a message. Blank text is refused by the API and left out. */
function encode(message: Message, own: string): readonly Unit[] {
  if (message.role === 'user') return message.parts.flatMap(contentBlock).map((block) => unit('user', block));
  if (message.role === 'tool') return message.results.map((result) => unit('user', resultBlock(result)));
  const isOwn = message.model === own;
  return message.parts.flatMap((part): Unit[] => {
    if (part.type === 'text') return contentBlock(part).map((block) => unit('assistant', block));
    if (part.type === 'reasoning') return isOwn ? reasoningUnit(part) : [];
    const { id, name, input } = part;
    return [unit('assistant', { type: 'tool_use', id: legalId(id), name, input })];
  });
}

function unit(role: string, block: JsonObject): Unit {
  return { role, json: JSON.stringify(block), markable: true };
}

function contentBlock(part: ContentPart): JsonObject[] {
  if (part.type === 'image') {
    return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }];
  }
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
}

/** A thinking block as it came; it takes no cache mark. */
function reasoningUnit({ text, wire }: ReasoningPart): Unit[] {
  const { signature, redacted } = (wire ?? {}) as Record<string, Json>;
  if (typeof redacted === 'string') {
    return [{ role: 'assistant', json: JSON.stringify({ type: 'redacted_thinking', data: redacted }) }];
  }
  if (typeof signature !== 'string') return [];
  return [{ role: 'assistant', json: JSON.stringify({ type: 'thinking', thinking: text, signature }) }];
}

function resultBlock({ callId, status, content }: ToolResult): JsonObject {
  const isError = status !== 'ok';
  // An error result may hold text only.
  const parts: readonly ContentPart[] = isError ? [{ type: 'text', text: contentText(content) }] : content;
  const blocks = parts.flatMap(contentBlock);
  return {
    type: 'tool_result',
    tool_use_id: legalId(callId),
    content: blocks.length > 0 ? blocks : [{ type: 'text', text: '(no output)' }],
    ...(isError && { is_error: true }),
  };
}

/** Ids of calls that another provider made, in the letters this one takes. */
function legalId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_');
}
