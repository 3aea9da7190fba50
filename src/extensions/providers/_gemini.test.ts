import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { type AssistantPart, type Message, type ToolResult, userText } from '../../protocol/message.ts';
import { createRequest, type ModelRequest } from '../../protocol/request.ts';
import {
  fixtureChunks,
  partsOf,
  play,
  recorded,
  recordedNames,
  recordedRequest,
  toEvents,
} from './__fixtures__/streams.ts';
import { geminiCodec } from './_gemini.ts';
import { GeminiDecoder } from './_gemini-decoder.ts';
import { RequestBodies } from './_request-body.ts';

const model = 'gemini-2.5-flash';
const own = `gemini/${model}`;

function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return createRequest({ model, session: 's', sections: [], tools: [], messages: [userText('Hi')], ...fields });
}

function body(fields: Partial<ModelRequest>): JsonObject {
  const bytes = new RequestBodies(geminiCodec, 'gemini').body(request(fields));
  return JSON.parse(Buffer.concat(bytes).toString()) as JsonObject;
}

function partsFor(message: Message, asModel = own): JsonObject[] {
  return geminiCodec.encode(message, asModel).map((unit) => JSON.parse(unit.json) as JsonObject);
}

const text = (value: string) => ({ type: 'text', text: value }) as const;
const call = (id: string, wire?: JsonObject): AssistantPart => ({
  type: 'tool-call',
  id,
  name: 'bash',
  input: { n: 1 },
  wire,
});
const said = (parts: AssistantPart[], by = own): Message => ({ role: 'assistant', parts, model: by });
const result = (callId: string, output = 'ok'): ToolResult => ({
  callId,
  name: 'bash',
  status: 'ok',
  content: [text(output)],
});
const bash = { name: 'bash', description: 'Runs.', input: { type: 'object', properties: { n: { type: 'integer' } } } };

describe('a request', () => {
  it('is addressed by model, with the key in a header', () => {
    const options = { apiKey: 'secret' };
    expect(geminiCodec.path(request(), options)).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    expect(geminiCodec.path(request({ model: 'models/a?b' }), options)).toBe(
      '/v1beta/models/a%3Fb:streamGenerateContent?alt=sse',
    );
    expect(geminiCodec.headers(options)).toEqual({ 'x-goog-api-key': 'secret' });
    expect(geminiCodec.headers({})).toEqual({});
  });

  it('is written as system, tools and alternating contents', () => {
    const sections = [{ name: 'base', text: 'You are Rein.', hash: '1' }];
    expect(body({ model: 'gemma-3', tools: [bash], sections, maxOutput: 500 })).toEqual({
      systemInstruction: { parts: [{ text: 'You are Rein.' }] },
      tools: [{ functionDeclarations: [{ name: 'bash', description: 'Runs.', parameters: bash.input }] }],
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { maxOutputTokens: 500 },
    });
    expect(body({ model: 'gemma-3' })).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
  });

  it('case P15: leaves out only the tool whose schema cannot be said', () => {
    const tree = { ...bash, name: 'tree', input: { type: 'object', properties: { x: { $ref: '#/properties/x' } } } };
    const ping = { name: 'ping', description: '', input: { type: 'object', properties: {} } };
    expect(body({ tools: [bash, ping, tree] }).tools).toEqual([
      {
        functionDeclarations: [
          { name: 'bash', description: 'Runs.', parameters: bash.input },
          { name: 'ping', description: 'ping' },
        ],
      },
    ]);
    expect(body({ tools: [tree] })).not.toHaveProperty('tools');
  });

  it('case P14: has all responses of a turn first, in call order, then images, then what follows', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const messages: Message[] = [
      userText('Go'),
      said([call('gemini_a'), call('call_x')]),
      {
        role: 'tool',
        results: [
          { ...result('gemini_a'), content: [text('seen'), image] },
          { ...result('call_x', 'no'), status: 'error' },
        ],
      },
      userText('And now?'),
    ];
    const functionCall = { name: 'bash', args: { n: 1 } };
    expect(body({ messages }).contents).toEqual([
      { role: 'user', parts: [{ text: 'Go' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', ...functionCall } }, { functionCall }] },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'bash', response: { result: 'seen[image image/png]' } } },
          { functionResponse: { name: 'bash', response: { error: 'no' } } },
          { text: 'From the result of bash:' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { text: 'And now?' },
        ],
      },
    ]);
  });

  it('case P13: has no blank text and no empty response', () => {
    const messages: Message[] = [
      userText('Go'),
      said([text('\n\n'), call('call_x')]),
      { role: 'tool', results: [{ ...result('call_x'), content: [] }] },
      said([text(' ')]),
      userText('Hello?'),
    ];
    expect(body({ messages }).contents).toEqual([
      { role: 'user', parts: [{ text: 'Go' }] },
      { role: 'model', parts: [{ functionCall: { name: 'bash', args: { n: 1 } } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'bash', response: { result: '(no output)' } } }, { text: 'Hello?' }],
      },
    ]);
  });
});

describe('signatures', () => {
  const parts: AssistantPart[] = [
    { type: 'reasoning', text: 'Hm' },
    { type: 'reasoning', text: 'Signed', wire: { signature: 'czE=' } },
    { type: 'text', text: 'Hi', wire: { signature: 'czI=' } },
    call('gemini_a', { signature: 'czM+/w==' }),
    call('gemini_b'),
    { type: 'reasoning', text: '', wire: { signature: 'czQ=', blank: '\n' } },
  ];
  const functionCall = { name: 'bash', args: { n: 1 } };

  it('go back on their own part to the model that made them', () => {
    for (const asModel of [own, 'gemini/gemini-3.8-flash']) {
      expect(partsFor(said(parts, asModel), asModel)).toEqual([
        { text: 'Signed', thought: true, thoughtSignature: 'czE=' },
        { text: 'Hi', thoughtSignature: 'czI=' },
        { functionCall: { id: 'a', ...functionCall }, thoughtSignature: 'czM+/w==' },
        { functionCall: { id: 'b', ...functionCall } },
        { text: '\n', thoughtSignature: 'czQ=' },
      ]);
    }
  });

  it.each(['gemini/gemini-2.5-pro', 'gateway/gemini-2.5-flash', 'anthropic/claude-opus-5'])(
    'of %s stay behind',
    (by) => {
      expect(partsFor(said(parts, by))).toEqual([
        { text: 'Hi' },
        { functionCall: { id: 'a', ...functionCall } },
        { functionCall: { id: 'b', ...functionCall } },
      ]);
    },
  );

  it('have a stand-in on the first foreign call where the model demands one', () => {
    const sent = partsFor(
      said([call('toolu_1'), call('toolu_2')], 'anthropic/claude-opus-5'),
      'gemini/gemini-3.8-flash',
    );
    expect(sent).toEqual([{ functionCall, thoughtSignature: 'skip_thought_signature_validator' }, { functionCall }]);
  });
});

describe('parameters', () => {
  it.each<[string, ModelRequest['effort'], JsonObject | undefined]>([
    ['gemini-2.0-flash', 'high', undefined],
    ['gemini-2.5-flash', undefined, { includeThoughts: true }],
    ['gemini-2.5-flash', 'off', { includeThoughts: false, thinkingBudget: 0 }],
    ['gemini-2.5-pro', 'off', { includeThoughts: false, thinkingBudget: 128 }],
    ['gemini-2.5-pro', 'high', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-3-flash-preview', 'off', { includeThoughts: false, thinkingLevel: 'minimal' }],
    ['gemini-3.8-flash', 'off', { includeThoughts: false, thinkingLevel: 'low' }],
    ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'high' }],
    ['gemini-3.1-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'medium' }],
    ['gemini-flash-latest', 'low', { includeThoughts: true, thinkingLevel: 'low' }],
  ])('of thinking for %s with effort %s', (name, effort, thinkingConfig) => {
    const sent = body({ model: name, effort }).generationConfig;
    expect(sent).toEqual(thinkingConfig && { thinkingConfig });
  });

  it.each<[ModelRequest['toolChoice'], JsonObject | undefined]>([
    ['auto', undefined],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ tool: 'bash' }, { mode: 'ANY', allowedFunctionNames: ['bash'] }],
  ])('of calling with %j', (toolChoice, functionCallingConfig) => {
    expect(body({ toolChoice, tools: [bash] }).toolConfig).toEqual(functionCallingConfig && { functionCallingConfig });
  });

  it('of the answer shape, where model and schema allow it', () => {
    const outputSchema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
    const shaped = {
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { a: { type: 'string' } } },
    };
    expect(body({ outputSchema }).generationConfig).toMatchObject(shaped);
    expect(body({ outputSchema, tools: [bash] }).generationConfig).not.toHaveProperty('responseSchema');
    expect(body({ outputSchema, tools: [bash], model: 'gemini-3.8-flash' }).generationConfig).toMatchObject(shaped);
    expect(body({ outputSchema: { type: 'string' } }).generationConfig).not.toHaveProperty('responseSchema');
  });
});

describe('the request after a recorded answer', () => {
  const names = recordedNames('gemini');
  it.each(['google-parallel-tools'].filter((name) => names.includes(`${name}.sse`)))(
    '%s is what the API took',
    (name) => {
      const accepted = recordedRequest('gemini', `${name}.next.request.json`);
      const { out } = play(new GeminiDecoder(), recorded('gemini', `${name}.sse`)[0]!);
      const parts = partsOf(out);
      const calls = parts.filter((part) => part.type === 'tool-call');
      const results = calls.map((part, index) => ({ ...result(part.id, ['5', '6'][index]), name: part.name }));
      const messages: Message[] = [
        userText('Add and multiply the number 2 and 3'),
        said(parts, 'gemini/gemini-3.1-pro-preview'),
        { role: 'tool', results },
      ];
      expect(body({ model: 'gemini-3.1-pro-preview', messages }).contents).toEqual(accepted.contents);
    },
  );

  it('holds what an invented one said', () => {
    const { out } = play(new GeminiDecoder(), toEvents(fixtureChunks('gemini-turn')));
    expect(partsFor(said(partsOf(out)))).toEqual([
      { text: 'I read both.' },
      { functionCall: { name: 'read_file', args: { path: 'pear.txt' } }, thoughtSignature: 'c2lnbmVk+/==' },
      { functionCall: { id: 'k2', name: 'read_file', args: { path: 'plum.txt' } } },
      { functionCall: { name: 'list_all', args: {} } },
    ]);
  });
});
