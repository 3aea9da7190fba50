import { responses } from './responses.ts';
import { testRules } from './rule-test.ts';
import { sign } from './wire.ts';

const tool = { type: 'function', name: 'ls', description: 'Lists.', parameters: { type: 'object' }, strict: false };
const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')}`;
const image = (url = png) => ({ type: 'input_image', image_url: url });
const text = (value: string) => ({ type: 'input_text', text: value });
const user = (...content: unknown[]) => ({ role: 'user', content });
const said = (value: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: value }],
});
const call = (id: string, name = 'ls', args: unknown = '{}') => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: args,
});
const result = (id: string, output: unknown = 'ok') => ({ type: 'function_call_output', call_id: id, output });
const reasoning = (value: string, secret: unknown = sign('m', value)) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: value }],
  encrypted_content: secret,
});
const hi = { role: 'user', content: 'hi' };

const holding = {
  model: 'm',
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  instructions: 'Be brief.',
  tools: [tool],
  input: [
    user(text('hi'), image()),
    reasoning('Both, then.'),
    said('Both.'),
    call('a'),
    call('b'),
    result('a', ''),
    result('b', [text('ok'), image()]),
    call('c'),
    result('c'),
    said('Done.'),
    hi,
  ],
};
const history = (...input: unknown[]) => ({ ...holding, input });

testRules(responses, '/v1/responses', {
  holding: [holding, { ...holding, input: 'hi' }, history({ role: 'developer', content: 'Be brief.' }, hi)],
  breaking: {
    'well-formed-text': [history({ role: 'user', content: 'half \ud83d' })],
    'known-fields': [{ ...holding, messages: [] }],
    streaming: [{ ...holding, stream: false }],
    'required-fields': [{ ...holding, model: undefined }, { ...holding, input: undefined }, history()],
    'tool-shape': [
      { ...holding, tools: [{ type: 'function', function: tool }] },
      { ...holding, tools: [{ ...tool, parameters: { type: 'array' } }] },
    ],
    'tool-names': [
      { ...holding, tools: [{ ...tool, name: 'a b' }] },
      { ...holding, tools: [tool, tool] },
      history(hi, call('a', 'mcp.x'), result('a')),
    ],
    'known-blocks': [
      history(user({ type: 'text', text: 'hi' })),
      history({ type: 'video' }),
      history(hi, { role: 'assistant', content: [text('x')] }, hi),
    ],
    'call-ids': [
      history(hi, call('a'), call('a'), result('a'), result('a')),
      history(hi, call('a'), result('a'), call('a'), result('a')),
    ],
    pairing: [
      history(hi, call('a')),
      history(hi, call('a'), hi, result('a')),
      history(hi, call('a'), call('b'), result('a'), call('c'), result('b'), result('c')),
      history(hi, call('a'), call('b'), result('a'), hi),
      history(hi, result('a')),
      history(hi, call('a'), result('a'), result('a')),
    ],
    'reasoning-followed': [
      history(hi, reasoning('x')),
      history(hi, reasoning('x'), hi),
      history(hi, call('a'), result('a'), reasoning('x'), hi),
    ],
    'reasoning-unaltered': [
      history(hi, reasoning('x', sign('m', 'y')), said('z'), hi),
      history(hi, reasoning('x', sign('other', 'x')), said('z'), hi),
      history(hi, reasoning('x', null), said('z'), hi),
    ],
    'no-blank-text': [
      history({ role: 'user', content: ' ' }),
      history(user()),
      history(hi, said('\n'), hi),
      history(hi, call('a'), result('a', [text('')])),
    ],
    arguments: [
      history(hi, call('a', 'ls', ''), result('a')),
      history(hi, call('a', 'ls', '"x"'), result('a')),
      history(hi, call('a', 'ls', {}), result('a')),
    ],
    'image-bytes': [
      history(user(image(png.replace('png', 'gif')))),
      history(user(image('data:image/png;base64,eyJvayI6'))),
    ],
  },
});
