import { describe, expect, test } from 'vitest';
import type { AssistantMessage, Message } from '../../protocol/message.ts';
import { userText } from '../../protocol/message.ts';
import { createRequest, type ModelRequest } from '../../protocol/request.ts';
import { fixtureChunks, partsOf, play, toEvents } from './__fixtures__/streams.ts';
import { createChatCodec } from './_chat.ts';
import { ChatDecoder } from './_chat-decoder.ts';
import { RequestBodies } from './_request-body.ts';

const codec = createChatCodec();

function bodyOf(messages: readonly Message[], fields: Partial<ModelRequest> = {}) {
  const request = createRequest({ model: 'pear-1', session: 's', sections: [], tools: [], messages, ...fields });
  return JSON.parse(Buffer.concat(new RequestBodies(codec, 'custom').body(request)).toString());
}

const answer: AssistantMessage = {
  role: 'assistant',
  model: 'custom/pear-1',
  parts: partsOf(play(new ChatDecoder(), toEvents(fixtureChunks('chat-turn'))).out),
};
const callsSent = [
  { id: 'k1', type: 'function', function: { name: 'read_file', arguments: '{"path":"pear.txt"}' } },
  { id: 'k2', type: 'function', function: { name: 'read_file', arguments: '{"path":"plum.txt"}' } },
];

test('the whole request', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const messages: Message[] = [
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    answer,
    {
      role: 'tool',
      results: [
        { callId: 'k1', name: 'read_file', status: 'ok', content: [{ type: 'text', text: 'pear' }] },
        { callId: 'k2', name: 'read_file', status: 'ok', content: [image] },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'and' }, image] },
  ];
  const body = bodyOf(messages, {
    sections: [
      { name: 'base', text: 'You are Rein.', hash: '1' },
      { name: 'rules', text: 'Be brief.', hash: '2' },
    ],
    tools: [{ name: 'read_file', description: 'Reads.', input: { type: 'object' } }],
    effort: 'high',
    maxOutput: 1000,
    toolChoice: { tool: 'read_file' },
    outputSchema: { type: 'object' },
    extra: [userText('now')],
  });
  const url = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  expect(body).toEqual({
    model: 'pear-1',
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 1000,
    reasoning_effort: 'high',
    tools: [
      { type: 'function', function: { name: 'read_file', description: 'Reads.', parameters: { type: 'object' } } },
    ],
    tool_choice: { type: 'function', function: { name: 'read_file' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
    messages: [
      { role: 'system', content: 'You are Rein.\n\nBe brief.' },
      { role: 'user', content: 'a\n\nb' },
      {
        role: 'assistant',
        content: 'Reading 你好.',
        reasoning_content: 'Two files, read both.',
        tool_calls: callsSent,
      },
      { role: 'tool', tool_call_id: 'k1', content: 'pear' },
      { role: 'tool', tool_call_id: 'k2', content: '[image image/png]' },
      { role: 'user', content: [{ type: 'text', text: 'Images of result k2:' }, url] },
      { role: 'user', content: [{ type: 'text', text: 'and' }, url] },
      { role: 'user', content: 'now' },
    ],
  });
});

test('without tools nothing is said about them; without a system prompt there is no system message', () => {
  expect(bodyOf([userText('a')], { toolChoice: 'required' })).toEqual({
    model: 'pear-1',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'a' }],
  });
});

describe('what only its maker reads goes back to the same provider and model alone', () => {
  const parts = [
    {
      type: 'reasoning',
      text: 'Hm.',
      wire: { field: 'reasoning', details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's==' }] },
    },
    { type: 'tool-call', id: 'k1', name: 'ls', input: {}, wire: { extra: { google: { thought_signature: 't==' } } } },
  ] as const;
  const message: AssistantMessage = { role: 'assistant', model: 'custom/pear-1', parts };
  const call = { id: 'k1', type: 'function', function: { name: 'ls', arguments: '{}' } };

  test('its own', () => {
    expect(bodyOf([message]).messages).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning: 'Hm.',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's==' }],
        tool_calls: [{ ...call, extra_content: { google: { thought_signature: 't==' } } }],
      },
    ]);
  });

  test.each([
    ['custom/pear-2', 'another model'],
    ['ollama/pear-1', 'another provider'],
  ])('%s: %s', (model) => {
    expect(bodyOf([{ ...message, model }]).messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [call] },
    ]);
  });

  test('as a content part', () => {
    const thinking = { type: 'reasoning', text: 'Hm.', wire: { field: 'content' } } as const;
    expect(bodyOf([{ ...message, parts: [thinking, { type: 'text', text: 'Yes.' }] }]).messages[0].content).toEqual([
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Yes.' },
    ]);
  });
});

test('case P12: a call whose arguments were broken is replayed with an object', () => {
  const parts = [{ type: 'tool-call', id: 'k1', name: 'bash', input: {}, invalid: '{"command": "ls' }] as const;
  expect(
    bodyOf([{ role: 'assistant', model: 'custom/pear-1', parts }]).messages[0].tool_calls[0].function.arguments,
  ).toBe('{}');
});

test('case P13: nothing blank is sent', () => {
  const messages: Message[] = [
    userText('a'),
    {
      role: 'assistant',
      model: 'custom/pear-1',
      parts: [
        { type: 'text', text: '\n\n' },
        { type: 'tool-call', id: 't1', name: 'ls', input: {} },
      ],
    },
    { role: 'tool', results: [{ callId: 't1', name: 'ls', status: 'ok', content: [{ type: 'text', text: '' }] }] },
    { role: 'assistant', model: 'custom/pear-1', parts: [{ type: 'text', text: ' ' }] },
    userText(' '),
    userText('b'),
  ];
  expect(bodyOf(messages).messages).toEqual([
    { role: 'user', content: 'a' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 't1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 't1', content: '(no output)' },
    { role: 'user', content: 'b' },
  ]);
});
