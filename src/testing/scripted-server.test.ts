import { expect, test } from 'vitest';
import type { ModelServer } from './scripted-server.ts';
import { startModelServer } from './scripted-server.ts';
import type { AnswerTurn, ScriptRequest } from './turn.ts';
import { sign, sse, type WireName } from './wires/wire.ts';

const user = 'What is here?';
const schema = { type: 'object', properties: { path: { type: 'string' } } };
const paths: Record<WireName, string> = {
  chat: '/chat/completions',
  responses: '/responses',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
};
const bodies: Record<WireName, object> = {
  chat: {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'ls', parameters: schema } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: user },
    ],
  },
  responses: {
    model: 'm',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'ls', parameters: schema }],
    input: [{ role: 'user', content: user }],
  },
  anthropic: {
    model: 'm',
    stream: true,
    max_tokens: 1000,
    system: 'Be brief.',
    tools: [{ name: 'ls', input_schema: schema }],
    messages: [{ role: 'user', content: user }],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'ls', parameters: schema }] }],
    contents: [{ role: 'user', parts: [{ text: user }] }],
  },
};
const wires = Object.keys(paths) as WireName[];

function ask(server: ModelServer, wire: WireName, body: object = bodies[wire]): Promise<Response> {
  return fetch(server.url(wire) + paths[wire], { method: 'POST', body: JSON.stringify(body) });
}

/** The JSON of each event. */
async function dataOf(response: Response): Promise<Record<string, never>[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (\{.*)$/gm)].map((match) => JSON.parse(match[1]!));
}

const full: AnswerTurn = {
  reasoning: 'Look first.',
  text: ['I ', 'look.'],
  calls: [
    { name: 'ls', input: { path: '.' } },
    { name: 'ls', rawArguments: '{"path":"src"}', id: 'own' },
  ],
  usage: { input: 2000, cacheRead: 10_000, output: 500 },
};

test('chat: an answer with everything in it', async () => {
  await using server = await startModelServer({ script: [full] });
  const events = (await dataOf(await ask(server, 'chat'))) as never as {
    choices: { delta: object; finish_reason: string | null }[];
    usage?: object;
  }[];
  expect(events.flatMap(({ choices }) => choices.map(({ delta }) => delta))).toEqual([
    { role: 'assistant', content: '' },
    { reasoning_content: 'Look f' },
    { reasoning_content: 'irst.' },
    { content: 'I ' },
    { content: 'look.' },
    { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'ls', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"path' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '":"."}' } }] },
    { tool_calls: [{ index: 1, id: 'own', type: 'function', function: { name: 'ls', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{"path"' } }] },
    { tool_calls: [{ index: 1, function: { arguments: ':"src"}' } }] },
    {},
  ]);
  expect(events.at(-2)!.choices[0]!.finish_reason).toBe('tool_calls');
  expect(events.at(-1)!.usage).toMatchObject({
    prompt_tokens: 12_000,
    completion_tokens: 500,
    prompt_tokens_details: { cached_tokens: 10_000 },
  });
});

test('responses: an answer with everything in it', async () => {
  await using server = await startModelServer({ script: [full] });
  const events = await dataOf(await ask(server, 'responses'));
  expect(events.at(-1)).toMatchObject({
    type: 'response.completed',
    response: {
      status: 'completed',
      output: [
        {
          type: 'reasoning',
          id: 'rs_1_0',
          encrypted_content: sign('m', 'Look first.'),
          summary: [{ text: 'Look first.' }],
        },
        { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'ls', arguments: '{"path":"."}' },
        { type: 'function_call', call_id: 'own', name: 'ls', arguments: '{"path":"src"}' },
      ],
      usage: { input_tokens: 12_000, input_tokens_details: { cached_tokens: 10_000 }, output_tokens: 500 },
    },
  });
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
});

test('anthropic: an answer with everything in it', async () => {
  await using server = await startModelServer({ script: [full] });
  const events = await dataOf(await ask(server, 'anthropic'));
  expect(events.flatMap((event) => event.content_block ?? event.delta ?? [])).toEqual([
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Look f' },
    { type: 'thinking_delta', thinking: 'irst.' },
    { type: 'signature_delta', signature: sign('m', 'Look first.') },
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'I ' },
    { type: 'text_delta', text: 'look.' },
    { type: 'tool_use', id: 'call_1', name: 'ls', input: {} },
    { type: 'input_json_delta', partial_json: '{"path' },
    { type: 'input_json_delta', partial_json: '":"."}' },
    { type: 'tool_use', id: 'own', name: 'ls', input: {} },
    { type: 'input_json_delta', partial_json: '{"path"' },
    { type: 'input_json_delta', partial_json: ':"src"}' },
    { stop_reason: 'tool_use', stop_sequence: null },
  ]);
  expect(events.at(-2)!.usage).toEqual({
    input_tokens: 2000,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 10_000,
    output_tokens: 500,
  });
});

test('gemini: an answer with everything in it', async () => {
  await using server = await startModelServer({ script: [full] });
  const events = (await dataOf(await ask(server, 'gemini'))) as never as {
    candidates: { content: { parts: object[] }; finishReason?: string }[];
    usageMetadata: object;
  }[];
  expect(events.flatMap((event) => event.candidates[0]!.content.parts)).toEqual([
    { text: 'Look f', thought: true },
    { text: 'irst.', thought: true },
    { text: 'I ' },
    { text: 'look.' },
    {
      functionCall: { id: 'call_1', name: 'ls', args: { path: '.' } },
      thoughtSignature: sign('m', JSON.stringify(['ls', { path: '.' }])),
    },
    { functionCall: { id: 'own', name: 'ls', args: { path: 'src' } } },
    { text: '' },
  ]);
  expect(events.at(-1)).toMatchObject({
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 12_000, cachedContentTokenCount: 10_000, candidatesTokenCount: 500 },
  });
});

test.each(wires)('%s: a script reads the request the same way', async (wire) => {
  let seen: ScriptRequest | undefined;
  await using server = await startModelServer({
    respond(request) {
      seen = request;
      return { text: 'Hello' };
    },
  });
  await (await ask(server, wire)).text();
  expect(seen).toMatchObject({
    model: 'm',
    system: 'Be brief.',
    tools: ['ls'],
    userTexts: [user],
    calls: [],
    results: [],
  });
  server.assertComplete();
});

test.each(wires)('%s: an error has the form of the wire, and headers', async (wire) => {
  await using server = await startModelServer({ script: [{ status: 429, headers: { 'retry-after': '7' } }] });
  const response = await ask(server, wire);
  const body = (await response.json()) as { error: { message: string } };
  expect([response.status, response.headers.get('retry-after'), body.error.message]).toEqual([
    429,
    '7',
    'Scripted error.',
  ]);
});

test.each(wires)('%s: an answer cut off by the end of the body, the connection or a reset', async (wire) => {
  const cut = (how: 'end' | 'fin' | 'rst') => ({ text: ['Hel', 'lo'], cut: { after: 2, how } });
  await using server = await startModelServer({ script: [cut('end'), cut('fin'), cut('rst')] });
  const whole = await (await ask(server, wire)).text();
  expect(whole.match(/^data:/gm)).toHaveLength(2);
  await expect(ask(server, wire).then((response) => response.text())).rejects.toThrow();
  await expect(ask(server, wire).then((response) => response.text())).rejects.toThrow();
});

test('a stalled answer stays silent until the client goes away', async () => {
  await using server = await startModelServer({ script: [{ text: ['Hel', 'lo'], stall: { after: 2 } }] });
  const response = await ask(server, 'chat');
  const reader = response.body!.getReader();
  const first = await reader.read();
  expect(Buffer.from(first.value!).toString()).toContain('"content":"Hel"');
  await reader.cancel();
});

test('raw pieces arrive byte for byte, also with cuts inside a character', async () => {
  const bytes = Buffer.from(`: ping\r\n\r\n${sse({ choices: [] }).replaceAll('\n', '\r\n')}data: 你好\r\n\r\n`);
  await using server = await startModelServer({ script: [{ raw: [...bytes].map((byte) => Buffer.of(byte)) }] });
  const received = Buffer.from(await (await ask(server, 'chat')).arrayBuffer());
  expect(received).toEqual(bytes);
});

test('ids go on after those of an earlier server', async () => {
  await using server = await startModelServer({ respond: () => ({ calls: [{ name: 'ls' }] }) });
  const call = { id: 'call_41', type: 'function', function: { name: 'ls', arguments: '{}' } };
  const body = {
    ...bodies.chat,
    messages: [
      { role: 'user', content: user },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_41', content: 'a' },
    ],
  };
  expect(await (await ask(server, 'chat', body)).text()).toContain('"call_42"');
});

test('a refused request and an unfinished script are named', async () => {
  await using server = await startModelServer({ script: [{ text: 'never asked for' }] });
  expect(() => server.assertComplete()).toThrow('1 turns of the script were not asked for.');
  const response = await ask(server, 'chat', { ...bodies.chat, colour: 'red' });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { message: 'known-fields: Unknown field: colour.' } },
  ]);
  expect(server.requests[0]!.refused).toEqual({ rule: 'known-fields', message: 'Unknown field: colour.' });
  expect(() => server.assertComplete()).toThrow('known-fields: Unknown field: colour.');
});

test('a request after the end of the script is a problem', async () => {
  await using server = await startModelServer({ script: [] });
  expect((await ask(server, 'chat')).status).toBe(400);
  expect(server.problems).toEqual([{ rule: 'script', message: 'The script has 0 turns; another request arrived.' }]);
});

test('the model lists of all wires', async () => {
  await using server = await startModelServer({ script: [], models: ['a', 'b'] });
  const get = async (url: string, headers = {}) => (await fetch(url, { headers })).json();
  expect(await get(`${server.url('chat')}/models`)).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }] });
  expect(await get(`${server.url('anthropic')}/v1/models`, { 'anthropic-version': '2023-06-01' })).toMatchObject({
    data: [{ type: 'model', id: 'a' }, { id: 'b' }],
    has_more: false,
  });
  expect(await get(`${server.url('gemini')}/v1beta/models`)).toMatchObject({
    models: [{ name: 'models/a' }, { name: 'models/b' }],
  });
  expect((await fetch(`${server.url('chat')}/nothing`)).status).toBe(404);
});

test('prefixReport compares the requests of each conversation', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello' }) });
  const body = bodies.chat as { messages: object[] };
  const longer = [...body.messages, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'More.' }];
  for (const messages of [body.messages, longer, [{ role: 'system', content: 'Changed.' }, ...longer.slice(1)]]) {
    await (await ask(server, 'chat', { ...body, messages })).text();
  }
  await (await ask(server, 'chat', { ...body, messages: [{ role: 'user', content: 'Other.' }] })).text();
  expect(server.prefixReport()).toEqual([
    {
      conversation: user,
      requests: 3,
      steps: [
        { kept: 1 },
        {
          kept: expect.closeTo(0.39, 1),
          firstDifference: {
            place: 'system 0',
            before: '{"type":"text","text":"Be brief."}',
            after: '{"type":"text","text":"Changed."}',
          },
        },
      ],
    },
    { conversation: 'Other.', requests: 1, steps: [] },
  ]);
});
