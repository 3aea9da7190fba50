import { describe, test } from 'vitest';
import custom from '../extensions/providers/custom.ts';
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

for (const { name, create } of [custom, ollama, openrouter]) {
  providerSuite(name, { create, model: 'pear-1', bodies: chatBodies }, runner);
}
providerSuite(openai.name, { create: openai.create, model: 'gpt-5.1', bodies: responsesBodies }, runner);
