import { describe, test } from 'vitest';
import anthropic from '../extensions/providers/anthropic.ts';
import custom from '../extensions/providers/custom.ts';
import gemini from '../extensions/providers/gemini.ts';
import ollama from '../extensions/providers/ollama.ts';
import openai from '../extensions/providers/openai.ts';
import openrouter from '../extensions/providers/openrouter.ts';
import type { Json } from '../protocol/json.ts';
import { providerSuite } from './provider-suite.ts';

const runner = { describe, it: test };
const models = '{"data":[{"id":"pear-1"},{"id":"pear-2"}]}';

function lines(chunks: readonly (Json | string)[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');
}

function delta(fields: Json, finish: string | null = null): Json {
  return { choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

function chatCall(index: number, name: string, input: string): Json {
  return delta({ tool_calls: [{ index, id: `k${index}`, type: 'function', function: { name, arguments: input } }] });
}

const chatUsage = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } };
const chatBodies = {
  text: lines([delta({ content: 'Hello, ' }), delta({ content: '你好.' }), delta({}, 'stop'), chatUsage, '[DONE]']),
  calls: lines([
    chatCall(0, 'first', '{"path":"pear.txt"}'),
    chatCall(1, 'second', ''),
    delta({}, 'tool_calls'),
    chatUsage,
    '[DONE]',
  ]),
  models,
};

const completed = {
  type: 'response.completed',
  response: { status: 'completed', usage: { input_tokens: 12, output_tokens: 3 } },
};
const item = (index: number, value: Json) => ({ type: 'response.output_item.done', output_index: index, item: value });
const responsesBodies = {
  text: lines([
    { type: 'response.output_text.delta', output_index: 0, delta: 'Hello, ' },
    { type: 'response.output_text.delta', output_index: 0, delta: '你好.' },
    item(0, { type: 'message', content: [{ type: 'output_text', text: 'Hello, 你好.' }] }),
    completed,
  ]),
  calls: lines([
    item(0, { type: 'function_call', call_id: 'k0', name: 'first', arguments: '{"path":"pear.txt"}' }),
    item(1, { type: 'function_call', call_id: 'k1', name: 'second', arguments: '' }),
    completed,
  ]),
  models,
};

const block = (index: number, start: Json, ...deltas: Json[]): Json[] => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const use = (index: number, name: string, input: string) =>
  block(
    index,
    { type: 'tool_use', id: `k${index}`, name, input: {} },
    { type: 'input_json_delta', partial_json: input },
  );
const message = (stop: string, ...blocks: readonly Json[]) =>
  lines([
    { type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ]);
const said = (text: string) => ({ type: 'text_delta', text });
const anthropicBodies = {
  text: message('end_turn', ...block(0, { type: 'text', text: '' }, said('Hello, '), said('你好.'))),
  calls: message('tool_use', ...use(0, 'first', '{"path":"pear.txt"}'), ...use(1, 'second', '')),
  models,
};

const candidate = (parts: readonly Json[], finishReason?: string) => ({
  candidates: [{ content: { parts, role: 'model' }, ...(finishReason && { finishReason }) }],
  usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 15 },
});
const geminiBodies = {
  text: lines([candidate([{ text: 'Hello, ' }]), candidate([{ text: '你好.' }], 'STOP')]),
  calls: lines([
    candidate(
      [{ functionCall: { name: 'first', args: { path: 'pear.txt' } } }, { functionCall: { name: 'second', args: {} } }],
      'STOP',
    ),
  ]),
  models: '{"models":[{"name":"models/pear-1"},{"name":"models/pear-2"}]}',
};

for (const { name, create } of [custom, ollama, openrouter]) {
  providerSuite(name, { create, model: 'pear-1', bodies: chatBodies }, runner);
}
providerSuite(openai.name, { create: openai.create, model: 'gpt-5.1', bodies: responsesBodies }, runner);
providerSuite(anthropic.name, { create: anthropic.create, model: 'pear-1', bodies: anthropicBodies }, runner);
providerSuite(gemini.name, { create: gemini.create, model: 'pear-1', bodies: geminiBodies }, runner);
