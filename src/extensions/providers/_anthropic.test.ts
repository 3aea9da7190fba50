import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { type AssistantPart, type Message, userText } from '../../protocol/message.ts';
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
import { createAnthropicCodec } from './_anthropic.ts';
import { AnthropicDecoder } from './_anthropic-decoder.ts';
import { RequestBodies } from './_request-body.ts';

const model = 'claude-sonnet-4-5';
const own = `anthropic/${model}`;
const codec = createAnthropicCodec({});

function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return createRequest({ model, session: 's', sections: [], tools: [], messages: [], ...fields });
}

function body(fields: Partial<ModelRequest>, options = {}): JsonObject {
  const bytes = new RequestBodies(createAnthropicCodec(options), 'anthropic').body(request(fields));
  return JSON.parse(Buffer.concat(bytes).toString()) as JsonObject;
}

const text = (value: string) => ({ type: 'text', text: value }) as const;
const call = (id: string, input = {}) => ({ type: 'tool-call', id, name: 'bash', input }) as const;
const said = (parts: AssistantPart[], by = own): Message => ({ role: 'assistant', parts, model: by });
const result = (callId: string, content = [text('ok')], status: 'ok' | 'error' | 'denied' = 'ok') => ({
  callId,
  name: 'bash',
  status,
  content,
});
const bash = { name: 'bash', description: 'Runs.', input: { type: 'object', properties: {} } };

describe('a request', () => {
  it('is written as tools, system blocks and alternating messages', () => {
    const sections = [
      { name: 'base', text: 'You are Rein.', hash: '1' },
      { name: 'empty', text: ' ', hash: '2' },
    ];
    expect(body({ tools: [bash], sections, messages: [userText('Hi')] })).toEqual({
      model,
      tools: [{ name: 'bash', description: 'Runs.', input_schema: bash.input }],
      system: [text('You are Rein.')],
      messages: [{ role: 'user', content: [text('Hi')] }],
      max_tokens: 32_000,
      stream: true,
    });
    expect(body({ messages: [userText('Hi')], maxOutput: 500 })).toMatchObject({ max_tokens: 500 });
  });

  it('case P14: has all results of a turn first in one user message, whatever follows', () => {
    const messages: Message[] = [
      userText('Go'),
      said([call('t1'), call('t2')]),
      { role: 'tool', results: [result('t1'), result('t2')] },
      userText('And now?'),
      userText('Quick!'),
    ];
    expect(body({ messages }).messages).toEqual([
      { role: 'user', content: [text('Go')] },
      {
        role: 'assistant',
        content: ['t1', 't2'].map((id) => ({ type: 'tool_use', id, name: 'bash', input: {} })),
      },
      {
        role: 'user',
        content: [
          ...['t1', 't2'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: [text('ok')] })),
          text('And now?'),
          text('Quick!'),
        ],
      },
    ]);
  });

  it('case P13: has no blank text and no empty content', () => {
    const messages: Message[] = [
      userText('Go'),
      said([text('\n\n'), call('t1')]),
      { role: 'tool', results: [result('t1', [text(' ')])] },
      said([text(' ')]),
      userText('Hello?'),
    ];
    expect(body({ messages }).messages).toEqual([
      { role: 'user', content: [text('Go')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'bash', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: [text('(no output)')] }, text('Hello?')],
      },
    ]);
  });

  it('says which results are errors, with text only in those, and shows images', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } };
    const results = [
      { ...result('t1'), content: [text('a chart'), image] },
      { ...result('t2', [], 'denied'), content: [text('no: '), image] },
    ];
    const units = codec.encode({ role: 'tool', results }, own).map((unit) => JSON.parse(unit.json) as Json);
    expect(units).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: [text('a chart'), block] },
      { type: 'tool_result', tool_use_id: 't2', content: [text('no: [image image/png]')], is_error: true },
    ]);
  });

  it('sends ids and top-level choices of other makers in the form this one takes', () => {
    const foreign = said([call('fc:1/2')], 'openai/gpt-5');
    expect(codec.encode(foreign, own)[0]!.json).toContain('"id":"fc_1_2"');
    const input = { anyOf: [{ required: ['a'] }], properties: { a: { type: 'string' } } };
    expect(body({ tools: [{ ...bash, input }], messages: [userText('Hi')] }).tools).toMatchObject([
      { input_schema: { type: 'object', properties: input.properties } },
    ]);
  });
});

describe('thinking', () => {
  const thought = { type: 'reasoning', text: 'Hm "ünï" \u2028', wire: { signature: 'c2ln+/==' } } as const;
  const redacted = { type: 'reasoning', text: '', wire: { redacted: 'cmVk' } } as const;
  const unsigned = { type: 'reasoning', text: 'Hm' } as const;

  it('goes back as it came to the model that made it, and takes no cache mark', () => {
    expect(codec.encode(said([thought, redacted, unsigned, call('t1')]), own)).toEqual([
      { role: 'assistant', json: JSON.stringify({ type: 'thinking', thinking: thought.text, signature: 'c2ln+/==' }) },
      { role: 'assistant', json: '{"type":"redacted_thinking","data":"cmVk"}' },
      { role: 'assistant', json: '{"type":"tool_use","id":"t1","name":"bash","input":{}}', markable: true },
    ]);
  });

  it.each(['anthropic/claude-opus-5', `gateway/${model}`, 'gemini/gemini-3.8-flash'])('of %s is left out', (by) => {
    expect(codec.encode(said([thought, redacted, text('Hi')], by), own)).toEqual([
      { role: 'assistant', json: '{"type":"text","text":"Hi"}', markable: true },
    ]);
  });

  it.each<[string, Partial<ModelRequest>, JsonObject]>([
    ['claude-sonnet-4-5-20250929', { effort: 'high' }, { thinking: { type: 'enabled', budget_tokens: 24_576 } }],
    ['claude-sonnet-4-5', { effort: 'high', maxOutput: 8000 }, { thinking: { type: 'enabled', budget_tokens: 6976 } }],
    ['claude-sonnet-4-5', { effort: 'low', maxOutput: 1500 }, {}],
    ['claude-sonnet-4-5', { effort: 'off' }, {}],
    ['claude-sonnet-4-5', {}, {}],
    ['claude-3-5-sonnet-20241022', { effort: 'high' }, { max_tokens: 8192 }],
    ['claude-3-7-sonnet-20250219', { effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 4096 } }],
    ['claude-opus-4-6', { effort: 'low' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    [
      'claude-opus-4-7',
      { effort: 'medium' },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    ],
    ['claude-opus-4-7', { effort: 'off' }, {}],
    ['claude-opus-5', { effort: 'off' }, { thinking: { type: 'disabled' } }],
    ['claude-opus-5', {}, { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-opus-5-5', { effort: 'off' }, { output_config: { effort: 'low' }, thinking: bound() }],
    ['claude-fable-5-1', { effort: 'high' }, { output_config: { effort: 'high' }, thinking: bound() }],
    ['claude-sonnet-5-5', { effort: 'high' }, { output_config: { effort: 'high' }, thinking: bound() }],
  ])('of %s follows %j', (name, fields, parameters) => {
    const { model: _m, messages: _s, ...sent } = body({ model: name, messages: [userText('Hi')], ...fields });
    expect(sent).toEqual({ max_tokens: fields.maxOutput ?? 32_000, stream: true, ...parameters });
  });

  it('is bound to its conversation only where that is understood', () => {
    const elsewhere = body({ model: 'claude-opus-5-5', messages: [userText('Hi')] }, { baseUrl: 'http://127.0.0.1:1' });
    expect(elsewhere.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    const options = { apiKey: 'k', baseUrl: 'http://127.0.0.1:1' };
    expect(createAnthropicCodec(options).headers(options)).toEqual({
      'x-api-key': 'k',
      'anthropic-version': '2023-06-01',
    });
    expect(codec.headers({})).toHaveProperty('anthropic-beta');
  });

  it('with a budget is not asked for inside a tool loop that began without it', () => {
    const loop = (parts: AssistantPart[], by = own): Message[] => [
      userText('Go'),
      said(parts, by),
      { role: 'tool', results: [result('t1')] },
    ];
    expect(body({ effort: 'low', messages: loop([thought, call('t1')]) }).thinking).toBeDefined();
    expect(body({ effort: 'low', messages: loop([call('t1')]) }).thinking).toBeUndefined();
    expect(body({ effort: 'low', messages: loop([thought, call('t1')], 'openai/gpt-5') }).thinking).toBeUndefined();
  });

  function bound(): JsonObject {
    return { type: 'adaptive', display: 'summarized', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
  }
});

describe('what the model may answer', () => {
  it.each<[string, Partial<ModelRequest>, Json | undefined]>([
    [model, { toolChoice: 'auto' }, undefined],
    [model, { toolChoice: 'none' }, { type: 'none' }],
    [model, { toolChoice: 'required' }, { type: 'any' }],
    [model, { toolChoice: { tool: 'bash' } }, { type: 'tool', name: 'bash' }],
    [model, { toolChoice: 'required', tools: [] }, undefined],
    ['claude-opus-5-5', { toolChoice: 'required' }, undefined],
  ])('of %s with %j', (name, fields, choice) => {
    expect(body({ model: name, tools: [bash], messages: [userText('Hi')], ...fields }).tool_choice).toEqual(choice);
  });

  it('forces no tool while thinking', () => {
    const forced = { effort: 'high', toolChoice: 'required', tools: [bash], messages: [userText('Hi')] } as const;
    expect(body(forced).thinking).toBeUndefined();
    expect(body({ ...forced, model: 'claude-opus-5' }).thinking).toEqual({ type: 'disabled' });
  });

  it('follows an output schema, closed and without limits on values, where model and schema allow it', () => {
    const outputSchema = {
      $schema: 'x',
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 1 },
        list: { type: 'array', items: { type: 'object', properties: {} } },
      },
      required: ['n'],
    };
    const ask = (schema: JsonObject, name = model) =>
      body({ model: name, outputSchema: schema, messages: [userText('Hi')] }).output_config;
    const inner = { type: 'object', properties: {}, additionalProperties: false };
    expect(ask(outputSchema)).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { n: { type: 'integer' }, list: { type: 'array', items: inner } },
          required: ['n'],
          additionalProperties: false,
        },
      },
    });
    expect(ask(outputSchema, 'claude-3-7-sonnet')).toBeUndefined();
    expect(ask({ type: 'object', additionalProperties: { type: 'string' } })).toBeUndefined();
    expect(ask({ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } })).toBeUndefined();
  });
});

describe('cache marks', () => {
  it('stand on the last tool, the last section before memory and the last block of this and the previous request', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const bodies = new RequestBodies(codec, 'anthropic');
    const sections = ['base', 'project_rules', 'agent_memory'].map((name) => ({ name, text: name, hash: name }));
    const messages: Message[] = [userText('Go')];
    const send = () => {
      const bytes = bodies.body(request({ tools: [bash, bash], sections, messages, cache: { marks: true } }));
      return JSON.parse(Buffer.concat(bytes).toString()) as JsonObject;
    };
    expect(send()).toMatchObject({ messages: [{ content: [{ ...text('Go'), ...mark }] }] });
    messages.push(said([{ type: 'reasoning', text: 'Hm', wire: { signature: 's' } }]), userText('More'));
    const second = send();
    expect(JSON.stringify(second).split('cache_control')).toHaveLength(5);
    expect(second).toMatchObject({
      tools: [{}, mark],
      system: [text('base'), { ...text('project_rules'), ...mark }, text('agent_memory')],
      messages: [
        { content: [{ ...text('Go'), ...mark }] },
        { content: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] },
        { content: [{ ...text('More'), ...mark }] },
      ],
    });
    expect((second.tools as JsonObject[])[0]).not.toHaveProperty('cache_control');
  });
});

/** Blocks of the server's own tools are not kept. */
function withoutServerTools(messages: readonly JsonObject[]): unknown[] {
  return messages.map(({ role, content }) => ({
    role,
    content: (content as JsonObject[])
      .filter(({ type }) => !/^(server_tool_use|.*_tool_result)$/.test(String(type)))
      .map(({ citations: _, ...block }) => block),
  }));
}

describe('the request after a recorded answer', () => {
  const names = recordedNames('anthropic-messages');
  const cases = ['anthropic-parallel-tools', 'anthropic-thinking-tool', 'anthropic-pause-turn'];
  it.each(cases.filter((name) => names.includes(`${name}.sse`)))('%s is what the API took', (name) => {
    const next = recordedRequest('anthropic-messages', `${name}.next.request.json`);
    const accepted = next.messages as JsonObject[];
    const { out } = play(new AnthropicDecoder(), recorded('anthropic-messages', `${name}.sse`)[0]!);
    const own = `anthropic/${String(next.model)}`;
    const asked = (accepted[0]!.content as JsonObject[]).map((block) => text(String(block.text)));
    const answered = (accepted[2]?.content ?? []) as JsonObject[];
    const results = answered.map((block) => ({
      ...result(String(block.tool_use_id)),
      content: (block.content as JsonObject[]).map((inner) => text(String(inner.text))),
    }));
    const messages: Message[] = [{ role: 'user', parts: asked }, said(partsOf(out), own)];
    if (results.length > 0) messages.push({ role: 'tool', results });
    expect(body({ model: String(next.model), messages }).messages).toEqual(withoutServerTools(accepted));
  });

  it('holds what an invented one said, byte for byte', () => {
    const { out } = play(new AnthropicDecoder(), toEvents(fixtureChunks('anthropic-turn')));
    expect(codec.encode(said(partsOf(out)), own).map((unit) => unit.json)).toEqual([
      '{"type":"thinking","thinking":"Two files, both needed.","signature":"c2lnbmVk+/=="}',
      '{"type":"redacted_thinking","data":"cmVkYWN0ZWQ="}',
      '{"type":"text","text":"I read both."}',
      '{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"pear.txt"}}',
      '{"type":"tool_use","id":"toolu_2","name":"list_all","input":{}}',
    ]);
  });
});
