/** OpenAI Chat Completions, as the scripted model server reads and speaks it. */

import { isObject } from '../../lib/is-object.ts';
import type { ModelStop } from '../../protocol/define/provider.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Answer } from '../turn.ts';
import { streaming, strictRules } from './common-rules.ts';
import {
  type Block,
  dataUrlImage,
  type Entry,
  halves,
  listOf,
  objectsOf,
  type RequestView,
  type Rule,
  sse,
  textOf,
  type Wire,
} from './wire.ts';

const fields =
  'model messages tools tool_choice stream stream_options max_tokens max_completion_tokens reasoning_effort verbosity temperature top_p stop n parallel_tool_calls response_format prompt_cache_key prompt_cache_retention safety_identifier user seed store metadata frequency_penalty presence_penalty logit_bias logprobs top_logprobs service_tier prediction modalities';

/** Declared tools are `{type: 'function', function: {name, parameters}}` with an object schema. */
const toolShape: Rule = {
  name: 'tool-shape',
  check({ body }) {
    const bad = listOf(body.tools).find((tool) => !isFunctionTool(tool));
    return bad === undefined ? undefined : `Not a function tool: ${JSON.stringify(bad).slice(0, 200)}`;
  },
};

/** Messages are there and their roles are known. */
const messageShape: Rule = {
  name: 'message-shape',
  check({ body }) {
    if (typeof body.model !== 'string' || body.model === '') return 'model is missing.';
    if (objectsOf(body.messages).length === 0) return 'messages is missing or empty.';
    const roles = ['system', 'developer', 'user', 'assistant', 'tool'];
    const index = listOf(body.messages).findIndex(
      (message) => !isObject(message) || !roles.includes(textOf(message.role)),
    );
    return index < 0 ? undefined : `Message ${index} has no known role.`;
  },
};

/** Tool calls stand in assistant messages only, and an empty list of them nowhere. */
const callPlaces: Rule = {
  name: 'call-places',
  check({ body }) {
    for (const [index, message] of objectsOf(body.messages).entries()) {
      if (message.tool_calls === undefined) continue;
      if (message.role !== 'assistant') return `Message ${index} is no assistant message and has tool_calls.`;
      if (listOf(message.tool_calls).length === 0) return `Message ${index} has an empty tool_calls list.`;
    }
    return undefined;
  },
};

export const chatCompletions: Wire = {
  name: 'chat',
  basePath: '/v1',
  matches: (path) => path.endsWith('/chat/completions'),
  rules: strictRules({ fields, callArguments: 'string', turns: 'messages' }, [
    streaming,
    messageShape,
    toolShape,
    callPlaces,
  ]),
  read(body) {
    const entries = objectsOf(body.messages).map(readMessage);
    return {
      model: textOf(body.model),
      system: entries.filter((entry) => entry.role === 'system').flatMap((entry) => entry.blocks),
      tools: objectsOf(body.tools).map((raw) => {
        const inner = isObject(raw.function) ? raw.function : {};
        return { name: textOf(inner.name), schema: inner.parameters ?? {}, raw };
      }),
      entries: entries.filter((entry) => entry.role !== 'system'),
    };
  },
  events: answerEvents,
  errorBody: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: null },
  }),
};

function isFunctionTool(tool: Json): boolean {
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) return false;
  const { parameters } = tool.function;
  return parameters === undefined || (isObject(parameters) && parameters.type === 'object');
}

function readMessage(message: JsonObject): Entry {
  const content = readContent(message.content, message.role === 'user');
  if (message.role === 'tool') {
    const id = textOf(message.tool_call_id);
    // A result may be an empty string; a blank text block it may not hold.
    const shown = typeof message.content === 'string' && message.content.trim() === '' ? [] : content;
    return { role: 'tool', blocks: [{ kind: 'result', id, content: shown, raw: message }] };
  }
  if (message.role === 'system' || message.role === 'developer') return { role: 'system', blocks: content };
  if (message.role === 'user') return { role: 'user', blocks: content };
  const reasoning = ['reasoning_content', 'reasoning', 'reasoning_details']
    .filter((key) => message[key] !== undefined)
    .map((key): Block => ({ kind: 'reasoning', raw: { [key]: message[key]! } }));
  const calls = objectsOf(message.tool_calls).map((raw): Block => {
    const call = isObject(raw.function) ? raw.function : {};
    return { kind: 'call', id: textOf(raw.id), name: textOf(call.name), input: call.arguments ?? null, raw };
  });
  return { role: 'assistant', blocks: [...reasoning, ...content, ...calls] };
}

function readContent(content: Json | undefined, images: boolean): Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content, raw: { type: 'text', text: content } }];
  return listOf(content).map((raw): Block => {
    if (isObject(raw) && raw.type === 'text' && typeof raw.text === 'string')
      return { kind: 'text', text: raw.text, raw };
    if (images && isObject(raw) && raw.type === 'image_url' && isObject(raw.image_url)) {
      return dataUrlImage(raw.image_url.url, raw);
    }
    return { kind: 'unknown', raw };
  });
}

const finishReasons: Record<ModelStop, string> = {
  end: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
};

function answerEvents(answer: Answer, view: RequestView, body: JsonObject): string[] {
  const head = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1_700_000_000, model: view.model };
  const chunk = (delta: Json, finish: string | null = null) =>
    sse({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  const events = [chunk({ role: 'assistant', content: '' })];
  for (const piece of halves(answer.reasoning)) events.push(chunk({ reasoning_content: piece }));
  for (const piece of answer.text) events.push(chunk({ content: piece }));
  for (const [index, call] of answer.calls.entries()) {
    const opened = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    events.push(chunk({ tool_calls: [opened] }));
    for (const piece of halves(call.arguments)) {
      events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  events.push(chunk({}, finishReasons[answer.stop]));
  if (isObject(body.stream_options) && body.stream_options.include_usage === true) {
    events.push(sse({ ...head, choices: [], usage: usageOf(answer) }));
  }
  return [...events, sse('[DONE]')];
}

function usageOf({ usage }: Answer): Json {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
