import { chatCompletions } from './chat-completions.ts';
import { testRules } from './rule-test.ts';

const tool = { type: 'function', function: { name: 'ls', description: 'Lists.', parameters: { type: 'object' } } };
const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')}`;
const call = (id: string, name = 'ls', args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const user = { role: 'user', content: 'hi' };
const calling = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const holding = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  tools: [tool],
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'image_url', image_url: { url: png } },
      ],
    },
    { role: 'assistant', content: 'Both.', tool_calls: [call('a'), call('b')] },
    result('a'),
    result('b', ''),
    { role: 'assistant', content: 'Done.' },
    user,
  ],
};
const history = (...messages: unknown[]) => ({ ...holding, messages });

testRules(chatCompletions, '/v1/chat/completions', {
  holding: [holding],
  breaking: {
    'well-formed-text': [
      history({ role: 'user', content: 'half \ud83d' }),
      history(user, calling(call('a', 'ls', '{"\\ud800":1}')), result('a', '\udc00')),
      Buffer.from('{"model":"m","stream":true,"messages":[{"role":"user","content":"\xff"}]}', 'latin1'),
    ],
    'known-fields': [{ ...holding, colour: 'red' }],
    streaming: [{ ...holding, stream: false }],
    'message-shape': [
      { ...holding, messages: [] },
      { ...holding, model: undefined },
      history({ role: 'robot', content: 'x' }),
    ],
    'tool-shape': [
      { ...holding, tools: [{ name: 'ls' }] },
      { ...holding, tools: [{ type: 'function', function: { name: 'ls', parameters: { type: 'string' } } }] },
    ],
    'tool-names': [
      { ...holding, tools: [{ type: 'function', function: { name: 'a b' } }] },
      { ...holding, tools: [{ type: 'function', function: { name: 'x'.repeat(65) } }] },
      { ...holding, tools: [tool, tool] },
      history(user, calling(call('a', '')), result('a')),
    ],
    'call-places': [
      history({ ...user, tool_calls: [call('a')] }),
      history(user, { role: 'assistant', content: 'x', tool_calls: [] }),
    ],
    'known-blocks': [
      history({ role: 'user', content: [{ type: 'video' }] }),
      history(user, calling(call('a')), result('a', [{ type: 'image_url', image_url: { url: png } }])),
    ],
    'call-ids': [
      history(user, calling(call('a'), call('a')), result('a'), result('a')),
      history(user, calling(call('a')), result('a'), calling(call('a')), result('a')),
      history(user, calling(call('')), result('')),
    ],
    pairing: [
      history(user, calling(call('a'))),
      history(user, calling(call('a')), user),
      history(user, calling(call('a')), user, result('a')),
      history(user, calling(call('a')), { role: 'assistant', content: 'x' }, result('a')),
      history(user, calling(call('a'), call('b')), result('a'), user),
      history(user, result('a')),
      history(user, calling(call('a')), result('a'), result('a')),
    ],
    'no-blank-text': [
      history({ role: 'user', content: ' \n' }),
      history({ role: 'user', content: [] }),
      history(user, { role: 'assistant', content: null }),
      history(user, { role: 'assistant', content: '', tool_calls: [call('a')] }, result('a')),
      history({ role: 'system', content: '' }, user),
      history(user, calling(call('a')), result('a', [{ type: 'text', text: ' ' }])),
    ],
    arguments: [
      history(user, calling(call('a', 'ls', '{"command": "ls')), result('a')),
      history(user, calling(call('a', 'ls', '')), result('a')),
      history(user, calling(call('a', 'ls', '[]')), result('a')),
      history(user, calling(call('a', 'ls', '"x"')), result('a')),
      history(user, calling(call('a', 'ls', {})), result('a')),
    ],
    'image-bytes': [
      history({ role: 'user', content: [{ type: 'image_url', image_url: { url: png.replace('png', 'jpeg') } }] }),
      history({
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,eyJvayI6dHJ1ZX0=' } }],
      }),
    ],
  },
});
