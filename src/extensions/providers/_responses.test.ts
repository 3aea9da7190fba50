import { describe, expect, test } from 'vitest';
import type { Json } from '../../protocol/json.ts';
import type { AssistantMessage, Message } from '../../protocol/message.ts';
import { userText } from '../../protocol/message.ts';
import { createRequest, type ModelRequest } from '../../protocol/request.ts';
import { fixtureChunks, partsOf, play, toEvents } from './__fixtures__/streams.ts';
import { RequestBodies } from './_request-body.ts';
import { createResponsesCodec } from './_responses.ts';
import { ResponsesDecoder } from './_responses-decoder.ts';

const reasoningItem = {
  id: 'rs1',
  type: 'reasoning',
  encrypted_content: 'gAAA+sealed/==',
  summary: [
    { type: 'summary_text', text: 'Two files.' },
    { type: 'summary_text', text: 'Read both.' },
  ],
};

function decode(chunks: readonly Json[]) {
  return play(new ResponsesDecoder(), toEvents(chunks));
}

function bodyOf(messages: readonly Message[], fields: Partial<ModelRequest> = {}): unknown {
  const request = createRequest({ model: 'gpt-5.1', session: 's', sections: [], tools: [], messages, ...fields });
  return JSON.parse(Buffer.concat(new RequestBodies(createResponsesCodec(), 'openai').body(request)).toString());
}

function itemsOf(messages: readonly Message[]): unknown {
  return (bodyOf(messages) as { input: unknown }).input;
}

test('a whole turn: deltas and parts in order, then the end', () => {
  expect(decode(fixtureChunks('responses-turn')).out).toEqual([
    { type: 'reasoning-delta', text: 'Two files.' },
    { type: 'reasoning-delta', text: '\n\n' },
    { type: 'reasoning-delta', text: 'Read both.' },
    { type: 'part', part: { type: 'reasoning', text: 'Two files.\n\nRead both.', wire: reasoningItem } },
    { type: 'text-delta', text: 'Reading ' },
    { type: 'text-delta', text: '你好.' },
    { type: 'part', part: { type: 'text', text: 'Reading 你好.', wire: { phase: 'commentary' } } },
    { type: 'tool-input-delta', callId: 'k1', name: 'read_file', text: '{"path":' },
    { type: 'tool-input-delta', callId: 'k1', name: 'read_file', text: '"pear.txt"}' },
    { type: 'part', part: { type: 'tool-call', id: 'k1', name: 'read_file', input: { path: 'pear.txt' } } },
    { type: 'part', part: { type: 'tool-call', id: 'k2', name: 'read_file', input: { path: 'plum.txt' } } },
    { type: 'end', stop: 'tool-calls', usage: { input: 2000, cacheRead: 10_000, cacheWrite: 0, output: 500 } },
  ]);
});

test('case P11, security O2: an answer cut anywhere is no answer', () => {
  const chunks = fixtureChunks('responses-turn');
  for (let at = 0; at < chunks.length; at++) {
    const { out, error } = decode(chunks.slice(0, at));
    expect(error?.code).toBe('E_PROVIDER_STREAM');
    expect(out.some((event) => event.type === 'end')).toBe(false);
  }
});

describe('how an answer ends', () => {
  const item = (content: Json) => ({
    type: 'response.output_item.done',
    output_index: 0,
    item: { type: 'message', content },
  });
  const text = item([{ type: 'output_text', text: 'a' }]);
  const end = (type: string, response: object) => ({ type: `response.${type}`, response }) as Json;
  test.each<[string, Json[], string]>([
    ['completed', [text, end('completed', { status: 'completed' })], 'end'],
    [
      'length',
      [text, end('incomplete', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })],
      'length',
    ],
    [
      'filter',
      [text, end('incomplete', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } })],
      'content-filter',
    ],
    [
      'refusal',
      [item([{ type: 'refusal', refusal: 'No.' }]), end('completed', { status: 'completed' })],
      'content-filter',
    ],
    [
      'items at the end only',
      [end('completed', { output: [{ type: 'function_call', call_id: 'k', name: 'ls', arguments: '' }] })],
      'tool-calls',
    ],
  ])('%s', (_name, chunks, stop) => {
    const { out } = decode(chunks);
    expect(out.at(-1)).toEqual({ type: 'end', stop, usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 } });
    expect(partsOf(out)).toHaveLength(1);
  });

  test.each([
    [{ type: 'error', error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'm' } }, 'E_PROVIDER_RATE_LIMIT'],
    [{ type: 'error', code: 'server_error', message: 'm' }, 'E_PROVIDER_OVERLOADED'],
    [end('failed', { error: { code: 'context_length_exceeded', message: 'm' } }), 'E_PROVIDER_CONTEXT_OVERFLOW'],
  ])('%j', (chunk, code) => {
    expect(decode([text, chunk as Json]).error?.code).toBe(code);
  });
});

test('case P12: what is no JSON object is named invalid', () => {
  const call = (input: string) => ({ item: { type: 'function_call', call_id: 'k', name: 'ls', arguments: input } });
  for (const [input, expected] of [
    ['', { input: {} }],
    ['{"a', { input: {}, invalid: '{"a' }],
    ['[1]', { input: {}, invalid: '[1]' }],
  ] as const) {
    const { out } = decode([{ type: 'response.output_item.done', ...call(input) }]);
    expect(partsOf(out)).toEqual([{ type: 'tool-call', id: 'k', name: 'ls', ...expected }]);
  }
});

const answer: AssistantMessage = {
  role: 'assistant',
  model: 'openai/gpt-5.1',
  parts: partsOf(decode(fixtureChunks('responses-turn')).out),
};

test('the whole request', () => {
  const messages: Message[] = [
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'Look' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ],
    },
    answer,
    {
      role: 'tool',
      results: [
        { callId: 'k1', name: 'read_file', status: 'ok', content: [{ type: 'text', text: 'pear' }] },
        {
          callId: 'k2',
          name: 'read_file',
          status: 'ok',
          content: [{ type: 'image', mediaType: 'image/png', data: 'BBBB' }],
        },
      ],
    },
  ];
  const body = bodyOf(messages, {
    sections: [
      { name: 'base', text: 'You are Rein.', hash: '1' },
      { name: 'blank', text: ' \n', hash: '2' },
      { name: 'rules', text: 'Be brief.', hash: '3' },
    ],
    tools: [{ name: 'read_file', description: 'Reads.', input: { type: 'object' } }],
    effort: 'off',
    maxOutput: 1000,
    toolChoice: { tool: 'read_file' },
    outputSchema: { type: 'object' },
    cache: { key: 'k', marks: true },
    extra: [userText('now')],
  });
  expect(body).toEqual({
    model: 'gpt-5.1',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'none' },
    max_output_tokens: 1000,
    prompt_cache_key: 'k',
    tools: [
      { type: 'function', name: 'read_file', description: 'Reads.', parameters: { type: 'object' }, strict: false },
    ],
    tool_choice: { type: 'function', name: 'read_file' },
    text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: false } },
    instructions: 'You are Rein.\n\nBe brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      reasoningItem,
      { role: 'assistant', content: [{ type: 'output_text', text: 'Reading 你好.' }], phase: 'commentary' },
      { type: 'function_call', call_id: 'k1', name: 'read_file', arguments: '{"path":"pear.txt"}' },
      { type: 'function_call', call_id: 'k2', name: 'read_file', arguments: '{"path":"plum.txt"}' },
      { type: 'function_call_output', call_id: 'k1', output: 'pear' },
      {
        type: 'function_call_output',
        call_id: 'k2',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,BBBB' }],
      },
      { role: 'user', content: [{ type: 'input_text', text: 'now' }] },
    ],
  });
});

test('reasoning goes back byte-identical, before its call, and to its maker only', () => {
  const [unit] = createResponsesCodec().encode(answer, 'openai/gpt-5.1');
  expect(unit?.json).toBe(JSON.stringify(fixtureChunks('responses-turn')[6]!.item));
  for (const other of ['openai/gpt-5.2', 'custom/gpt-5.1']) {
    const texts = createResponsesCodec()
      .encode(answer, other)
      .map(({ json }) => json);
    expect(texts.some((json) => json.includes('sealed') || json.includes('phase'))).toBe(false);
    expect(texts).toHaveLength(3);
  }
});

test('reasoning that nothing follows, or that the server could not look up, stays at home', () => {
  const reasoning = { type: 'reasoning' as const, text: '', wire: reasoningItem };
  expect(itemsOf([userText('a'), { role: 'assistant', model: 'openai/gpt-5.1', parts: [reasoning] }])).toHaveLength(1);
  const item = { type: 'reasoning', id: 'rs2', summary: [], encrypted_content: null };
  const { out } = decode([{ type: 'response.output_item.done', output_index: 0, item }]);
  expect(partsOf(out)).toEqual([{ type: 'reasoning', text: '' }]);
});

test('case P13: nothing blank is sent', () => {
  const blank: Message[] = [
    userText(' '),
    {
      role: 'assistant',
      model: 'openai/gpt-5.1',
      parts: [
        { type: 'text', text: '\n\n' },
        { type: 'tool-call', id: 't1', name: 'ls', input: {} },
      ],
    },
    { role: 'tool', results: [{ callId: 't1', name: 'ls', status: 'ok', content: [] }] },
    { role: 'assistant', model: 'openai/gpt-5.1', parts: [{ type: 'text', text: ' ' }] },
    userText('go on'),
  ];
  expect(itemsOf(blank)).toEqual([
    { type: 'function_call', call_id: 't1', name: 'ls', arguments: '{}' },
    { type: 'function_call_output', call_id: 't1', output: '(no output)' },
    { role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
  ]);
});

test.each([
  ['gpt-5', 'off', 'minimal'],
  ['gpt-5-mini-2025-08-07', 'off', 'minimal'],
  ['gpt-5.2', 'off', 'none'],
  ['o3', 'off', 'low'],
  ['gpt-5.1', 'high', 'high'],
  ['gpt-4.1', 'high', undefined],
] as const)('effort of %s %s', (model, effort, expected) => {
  const body = bodyOf([userText('a')], { model, effort }) as { reasoning?: { effort: string }; include?: string[] };
  expect(body.reasoning?.effort).toBe(expected);
  expect(body.include !== undefined).toBe(model !== 'gpt-4.1');
});
