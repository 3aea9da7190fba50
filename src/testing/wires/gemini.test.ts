import { gemini } from './gemini.ts';
import { signatureOf } from './gemini-rules.ts';
import { testRules } from './rule-test.ts';

const pngBytes = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64');
const image = (mimeType = 'image/png', data = pngBytes) => ({ inlineData: { mimeType, data } });
const user = (...parts: unknown[]) => ({ role: 'user', parts });
const model = (...parts: unknown[]) => ({ role: 'model', parts });
const call = (name: string, fields = {}, args: unknown = {}) => ({ functionCall: { name, args, ...fields } });
const result = (name: string, fields = {}) => ({ functionResponse: { name, response: { output: 'ok' }, ...fields } });
const signed = (part: { functionCall: unknown }, by = 'm', of = part) => ({
  ...part,
  thoughtSignature: signatureOf(by, of as never),
});
const hi = user({ text: 'hi' });
const declare = (...functionDeclarations: unknown[]) => ({ ...holding, tools: [{ functionDeclarations }] });
const withSchema = (parameters: unknown) => declare({ name: 'find', description: 'Finds.', parameters });
const withProperty = (schema: unknown) => withSchema({ type: 'object', properties: { p: schema } });

const holding = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  generationConfig: { maxOutputTokens: 100 },
  tools: [
    {
      functionDeclarations: [
        { name: 'ping', description: 'Pings.' },
        {
          name: 'find',
          description: 'Finds.',
          parameters: {
            type: 'OBJECT',
            properties: {
              tags: { type: 'array', items: { type: 'string' }, nullable: true },
              additionalProperties: { type: 'integer' },
            },
            required: ['tags'],
          },
        },
      ],
    },
  ],
  contents: [
    user({ text: 'hi' }, image()),
    model({ text: 'Hm.', thought: true }, { text: 'Both.' }, signed(call('ls', { id: 'a' })), call('ls', { id: 'b' })),
    user(result('ls', { id: 'a' }), result('ls', { id: 'b', response: { output: '' } }), { text: 'Go on.' }),
    model(call('ls'), call('cat')),
    user(result('ls'), result('cat')),
    model({ text: 'Done.' }, { text: '', thoughtSignature: signatureOf('m', { text: '' }) }),
    hi,
  ],
};
const history = (...contents: unknown[]) => ({ ...holding, contents });

const path = '/v1beta/models/m:streamGenerateContent?alt=sse';
testRules(gemini, path, {
  paths: { streaming: '/v1beta/models/m:streamGenerateContent' },
  holding: [holding],
  breaking: {
    'well-formed-text': [history(user({ text: 'half \ud83d' }))],
    'known-fields': [{ ...holding, stream: true }],
    streaming: [holding],
    'required-fields': [
      history(),
      history({ parts: [{ text: 'hi' }] }),
      history({ role: 'assistant', parts: [{ text: 'x' }] }),
    ],
    'tool-names': [
      declare({ name: 'a b' }),
      declare({ name: 'x' }, { name: 'x' }),
      history(hi, model(call('a:b')), user(result('a:b'))),
    ],
    'tool-schemas': [
      withSchema({ $schema: 'x', type: 'object' }),
      withSchema({ type: 'object', additionalProperties: false }),
      withProperty({ type: ['array', 'null'], items: { type: 'string' } }),
      withProperty({ $ref: '#/properties/tags' }),
      withProperty({ type: 'array' }),
      withProperty({ type: 'array', items: { type: 'array' } }),
      withProperty({ anyOf: [{ type: 'string' }, { type: 'array' }] }),
      withProperty({ type: 'integer', enum: [1, 2] }),
      withProperty({ description: 'Anything.' }),
      withSchema({ type: 'object', properties: {}, required: ['a'] }),
    ],
    'known-blocks': [history(user({ video: 1 })), history(hi, model(image()), hi)],
    'alternating-roles': [
      history(hi, hi),
      history(model({ text: 'x' }), hi),
      history(hi, model({ text: 'x' }), model({ text: 'y' })),
    ],
    'call-ids': [
      history(
        hi,
        model(call('ls', { id: 'a' }), call('ls', { id: 'a' })),
        user(result('ls', { id: 'a' }), result('ls', { id: 'a' })),
      ),
    ],
    'response-count': [
      history(hi, model(call('ls'), call('cat')), user(result('ls'))),
      history(hi, model(call('ls')), user(result('ls'), result('ls'))),
      history(user(result('ls'))),
      history(hi, model(call('ls')), user(result('ls', { response: 'ok' }))),
    ],
    pairing: [
      history(hi, model(call('ls'))),
      history(hi, model(call('ls')), hi),
      history(hi, model(call('ls')), user(result('cat'))),
      history(hi, model(call('ls', { id: 'a' })), user(result('ls', { id: 'b' }))),
      history(hi, model(call('ls')), user({ text: 'x' }, result('ls'))),
    ],
    'no-blank-text': [history(user({ text: ' ' })), history(user()), history(hi, model({ text: '' }), hi)],
    arguments: [
      history(hi, model(call('ls', {}, '{}')), user(result('ls'))),
      history(hi, model(call('ls', {}, [])), user(result('ls'))),
    ],
    'image-bytes': [history(user(image('image/jpeg'))), history(user(image('image/png', 'eyJvayI6')))],
    'signatures-unaltered': [
      history(hi, model(signed(call('ls'), 'other')), user(result('ls'))),
      history(hi, model(signed(call('ls'), 'm', call('cat'))), user(result('ls'))),
    ],
  },
});
