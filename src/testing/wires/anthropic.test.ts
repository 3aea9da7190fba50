import { anthropic } from './anthropic.ts';
import { testRules } from './rule-test.ts';
import { sign } from './wire.ts';

const tool = { name: 'ls', description: 'Lists.', input_schema: { type: 'object' } };
const pngBytes = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64');
const image = (data = pngBytes, media_type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});
const text = (value: string, fields = {}) => ({ type: 'text', text: value, ...fields });
const mark = { cache_control: { type: 'ephemeral' } };
const use = (id: string, name = 'ls', input: unknown = {}) => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
const thinking = (value: string, signature = sign('m', value)) => ({ type: 'thinking', thinking: value, signature });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const hi = { role: 'user', content: 'hi' };

const holding = {
  model: 'm',
  stream: true,
  max_tokens: 4096,
  system: [text('Be brief.', mark)],
  tools: [tool],
  messages: [
    user(text('hi'), image()),
    assistant(thinking('Both, then.'), text('Both.'), use('a'), use('b', 'ls', { path: '.' })),
    user(result('a', ''), { ...result('b', [text('ok'), image()]), ...mark }, text('Go on.')),
    { role: 'assistant', content: 'Done.' },
    hi,
  ],
};
const history = (...messages: unknown[]) => ({ ...holding, messages });

testRules(anthropic, '/v1/messages', {
  holding: [holding, { ...holding, system: 'Be brief.', thinking: { type: 'enabled', budget_tokens: 2048 } }],
  breaking: {
    'well-formed-text': [
      history({ role: 'user', content: 'half \ud83d' }),
      Buffer.from('{"model":"m","stream":true,"max_tokens":1,"messages":[{"role":"user","content":"\xe4"}]}', 'latin1'),
    ],
    'known-fields': [{ ...holding, stop: 'x' }],
    streaming: [{ ...holding, stream: undefined }],
    'required-fields': [
      { ...holding, max_tokens: undefined },
      { ...holding, max_tokens: 0 },
      { ...holding, model: undefined },
      history(),
      history({ role: 'system', content: 'x' }),
    ],
    'tool-shape': [{ ...holding, tools: [{ name: 'ls', input_schema: {} }] }],
    'tool-names': [
      { ...holding, tools: [{ ...tool, name: 'a.b' }] },
      { ...holding, tools: [tool, tool] },
      history(hi, assistant(use('a', 'x'.repeat(65))), user(result('a'))),
    ],
    'known-blocks': [
      history(user({ type: 'video' })),
      history(user(use('a'))),
      history(hi, assistant(result('a'))),
      history(user(thinking('x'))),
    ],
    'alternating-roles': [
      history(hi, hi),
      history(assistant(text('x')), hi),
      history(hi, assistant(use('a'), use('b')), user(result('a')), user(result('b'))),
      history(hi, assistant(text('x')), assistant(text('y')), hi),
    ],
    'results-first': [history(hi, assistant(use('a')), user(text('wait'), result('a')))],
    'call-ids': [
      history(hi, assistant(use('a'), use('a')), user(result('a'), result('a'))),
      history(hi, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))),
    ],
    'call-id-form': [history(hi, assistant(use('a|b')), user(result('a|b')))],
    pairing: [
      history(hi, assistant(use('a'))),
      history(hi, assistant(use('a')), hi),
      history(hi, assistant(use('a'), use('b')), user(result('a')), assistant(text('x')), hi),
      history(user(result('a'))),
      history(hi, assistant(use('a')), user(result('a'), result('a'))),
      history(hi, assistant(use('a')), user(text('x')), assistant(text('y')), user(result('a'))),
    ],
    'cache-marks': [
      history(hi, assistant({ ...thinking('x'), ...mark }, text('y')), hi),
      history(user(text(' ', mark))),
      history(user(...['1', '2', '3', '4'].map((value) => text(value, mark)))),
    ],
    'no-blank-text': [
      history(hi, assistant(text('\n\n'), use('a')), user(result('a'))),
      history(hi, assistant(text(' ')), hi),
      history(user()),
      history({ role: 'user', content: '' }),
      history(hi, assistant(use('a')), user(result('a', [text('')]))),
      { ...holding, system: '' },
    ],
    arguments: [
      history(hi, assistant(use('a', 'ls', '{}')), user(result('a'))),
      history(hi, assistant(use('a', 'ls', [])), user(result('a'))),
    ],
    'image-bytes': [history(user(image(pngBytes, 'image/jpeg'))), history(user(image('eyJvayI6dHJ1ZX0=')))],
    'thinking-unaltered': [
      history(hi, assistant(thinking('x', sign('m', 'y')), text('z')), hi),
      history(hi, assistant(thinking('x', sign('other', 'x')), text('z')), hi),
      history(hi, assistant(thinking('x', ''), text('z')), hi),
    ],
    'thinking-budget': [
      { ...holding, thinking: { type: 'enabled', budget_tokens: 512 } },
      { ...holding, thinking: { type: 'enabled', budget_tokens: 4096 } },
    ],
  },
});
