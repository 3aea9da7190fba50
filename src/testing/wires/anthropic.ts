/** Anthropic Messages, as the scripted model server reads and speaks it. */

import { isObject } from '../../lib/is-object.ts';
import type { ModelStop } from '../../protocol/define/provider.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Answer } from '../turn.ts';
import { anthropicRules } from './anthropic-rules.ts';
import { type Block, halves, listOf, objectsOf, type RequestView, sign, sse, textOf, type Wire } from './wire.ts';

const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export const anthropic: Wire = {
  name: 'anthropic',
  basePath: '',
  matches: (path) => path.endsWith('/v1/messages'),
  rules: anthropicRules,
  read: (body) => ({
    model: textOf(body.model),
    system: readContent(body.system, 'system'),
    tools: objectsOf(body.tools).map((raw) => ({ name: textOf(raw.name), schema: raw.input_schema ?? {}, raw })),
    entries: objectsOf(body.messages).map((message) => {
      const role = message.role === 'assistant' ? 'assistant' : 'user';
      return { role, blocks: readContent(message.content, role) };
    }),
  }),
  events: answerEvents,
  errorBody: (status, message) => ({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message } }),
};

type Place = 'system' | 'user' | 'assistant' | 'result';

function readContent(content: Json | undefined, place: Place): Block[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content, raw: { type: 'text', text: content } }];
  return listOf(content).map((raw) => (isObject(raw) ? readBlock(raw, place) : { kind: 'unknown', raw }));
}

function readBlock(raw: JsonObject, place: Place): Block {
  if (raw.type === 'text') return { kind: 'text', text: textOf(raw.text), raw };
  if (raw.type === 'image' && place !== 'assistant' && place !== 'system' && isObject(raw.source)) {
    return { kind: 'image', mediaType: textOf(raw.source.media_type), data: textOf(raw.source.data), raw };
  }
  if (raw.type === 'tool_use' && place === 'assistant') {
    return { kind: 'call', id: textOf(raw.id), name: textOf(raw.name), input: raw.input ?? null, raw };
  }
  if ((raw.type === 'thinking' || raw.type === 'redacted_thinking') && place === 'assistant') {
    return { kind: 'reasoning', raw };
  }
  if (raw.type === 'tool_result' && place === 'user') {
    // A result may be an empty string; a blank text block it may not hold.
    const blank = typeof raw.content === 'string' && raw.content.trim() === '';
    return {
      kind: 'result',
      id: textOf(raw.tool_use_id),
      content: blank ? [] : readContent(raw.content, 'result'),
      raw,
    };
  }
  return { kind: 'unknown', raw };
}

const stopReasons: Record<ModelStop, string> = {
  end: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
};

function answerEvents(answer: Answer, view: RequestView): string[] {
  const event = (type: string, fields: JsonObject = {}) => sse({ type, ...fields }, type);
  const usage = {
    input_tokens: answer.usage.input,
    cache_creation_input_tokens: answer.usage.cacheWrite,
    cache_read_input_tokens: answer.usage.cacheRead,
  };
  const message = { id: 'msg_scripted', type: 'message', role: 'assistant', model: view.model, content: [] };
  const events = [
    event('message_start', {
      message: { ...message, stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    }),
  ];
  let index = 0;
  const block = (start: JsonObject, deltas: readonly JsonObject[]) => {
    events.push(event('content_block_start', { index, content_block: start }));
    for (const delta of deltas) events.push(event('content_block_delta', { index, delta }));
    events.push(event('content_block_stop', { index }));
    index += 1;
  };
  if (answer.reasoning !== '') {
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...halves(answer.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: sign(view.model, answer.reasoning) },
    ]);
  }
  if (answer.text.length > 0) {
    block(
      { type: 'text', text: '' },
      answer.text.map((text) => ({ type: 'text_delta', text })),
    );
  }
  for (const call of answer.calls) {
    block(
      { type: 'tool_use', id: call.id, name: call.name, input: {} },
      halves(call.arguments).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    );
  }
  events.push(
    event('message_delta', {
      delta: { stop_reason: stopReasons[answer.stop], stop_sequence: null },
      usage: { ...usage, output_tokens: answer.usage.output },
    }),
    event('message_stop'),
  );
  return events;
}
