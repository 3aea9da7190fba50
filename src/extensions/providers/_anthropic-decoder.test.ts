import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { costOf, promptTokens } from '../../protocol/usage.ts';
import recordings from './__fixtures__/recorded-anthropic-messages.json' with { type: 'json' };
import { digest, fixtureChunks, partsOf, play, recorded, recordedNames, toEvents } from './__fixtures__/streams.ts';
import { AnthropicDecoder } from './_anthropic-decoder.ts';

const whole = (body: Json) => ({ type: 'message_start', message: body });
const decode = (chunks: readonly Json[]) => play(new AnthropicDecoder(), toEvents(chunks));
const turn = fixtureChunks('anthropic-turn');

/** A stream of one block that ends with `stop`. */
function answer(block: JsonObject, deltas: readonly JsonObject[], stop: string, usage: JsonObject = {}): JsonObject[] {
  return [
    { type: 'message_start', message: { content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop }, usage },
    { type: 'message_stop' },
  ];
}

const toolBlock = { type: 'tool_use', id: 't1', name: 'bash', input: {} };
const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

describe('a whole answer', () => {
  it('becomes parts in order, with deltas to show and blocks of server tools left out', () => {
    expect(decode(turn)).toEqual({
      out: [
        { type: 'reasoning-delta', text: 'Two files, ' },
        { type: 'reasoning-delta', text: 'both needed.' },
        {
          type: 'part',
          part: { type: 'reasoning', text: 'Two files, both needed.', wire: { signature: 'c2lnbmVk+/==' } },
        },
        { type: 'part', part: { type: 'reasoning', text: '', wire: { redacted: 'cmVkYWN0ZWQ=' } } },
        { type: 'text-delta', text: 'I read ' },
        { type: 'text-delta', text: 'both.' },
        { type: 'part', part: { type: 'text', text: 'I read both.' } },
        { type: 'tool-input-delta', callId: 'toolu_1', name: 'read_file', text: '{"path":"pe' },
        { type: 'tool-input-delta', callId: 'toolu_1', name: 'read_file', text: 'ar.txt"}' },
        { type: 'part', part: { type: 'tool-call', id: 'toolu_1', name: 'read_file', input: { path: 'pear.txt' } } },
        { type: 'part', part: { type: 'tool-call', id: 'toolu_2', name: 'list_all', input: {} } },
        { type: 'end', stop: 'tool-calls', usage: { input: 20, cacheRead: 100, cacheWrite: 5, output: 42 } },
      ],
    });
  });

  it('needs no message_stop once a stop reason was told, as some gateways leave it out', () => {
    expect(decode(turn.slice(0, -1)).out.at(-1)).toEqual(decode(turn).out.at(-1));
  });

  it('takes blocks that come whole with the start of the message', () => {
    const message = { content: [toolBlock], stop_reason: 'tool_use', usage: { input_tokens: 3, output_tokens: 2 } };
    expect(decode([{ type: 'message_start', message }, { type: 'message_stop' }]).out).toEqual([
      { type: 'part', part: { type: 'tool-call', id: 't1', name: 'bash', input: {} } },
      { type: 'end', stop: 'tool-calls', usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 2 } },
    ]);
  });

  it.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'length'],
    ['refusal', 'content-filter'],
  ])('that stops with %s ends as %s', (reason, stop) => {
    const { out } = decode(answer({ type: 'text', text: 'Hi' }, [], reason));
    expect(out.at(-1)).toMatchObject({ type: 'end', stop });
  });

  it('with broken arguments keeps the call, with the text the model sent (security O5)', () => {
    for (const text of ['{"command": "ls', '["ls"]', '"ls"', 'null']) {
      const { out } = decode(answer(toolBlock, [json(text)], 'tool_use'));
      expect(partsOf(out)).toEqual([{ type: 'tool-call', id: 't1', name: 'bash', input: {}, invalid: text }]);
    }
  });

  it('cut by the length limit says so, also where the call in it parses (security O4)', () => {
    const { out } = decode(answer(toolBlock, [json('{"command":"rm -r build"}')], 'max_tokens'));
    expect(out.at(-1)).toMatchObject({ type: 'end', stop: 'length' });
  });

  it('counts cached tokens once: case P28', () => {
    const usage = { input_tokens: 2000, cache_read_input_tokens: 10_000, output_tokens: 500 };
    const end = decode(answer({ type: 'text', text: 'Hi' }, [], 'end_turn', usage)).out.at(-1);
    if (end?.type !== 'end') throw new Error('no end');
    expect(costOf(end.usage, { input: 2, output: 8, cacheRead: 0.2 })).toBeCloseTo(0.01, 10);
    expect(promptTokens(end.usage)).toBe(12_000);
  });
});

describe('a broken stream', () => {
  it('gives no unfinished part and no end, wherever it is cut (security O2, case P11)', () => {
    const full = partsOf(decode(turn).out);
    for (let length = 0; length < turn.length - 2; length++) {
      const { out, error } = decode(turn.slice(0, length));
      expect(error?.code).toBe('E_PROVIDER_STREAM');
      expect(out.some((event) => event.type === 'end')).toBe(false);
      expect(partsOf(out)).toEqual(full.slice(0, partsOf(out).length));
    }
  });

  it.each([
    ['a second message inside the first', [turn[0]!, turn[0]!]],
    ['content of a block that never began', [turn[0]!, { type: 'content_block_delta', index: 0, delta: json('{') }]],
    ['a stop without a reason', [turn[0]!, { type: 'message_stop' }]],
    ['an event that is no object', ['text']],
  ])('is told by %s', (_what, chunks: Json[]) => {
    expect(decode(chunks).error?.code).toBe('E_PROVIDER_STREAM');
  });

  it.each([
    ['overloaded_error', 'Overloaded', 'E_PROVIDER_OVERLOADED'],
    ['api_error', 'Internal server error', 'E_PROVIDER_OVERLOADED'],
    ['rate_limit_error', 'Too many requests', 'E_PROVIDER_RATE_LIMIT'],
    ['authentication_error', 'invalid x-api-key', 'E_PROVIDER_AUTH'],
    ['invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum', 'E_PROVIDER_CONTEXT_OVERFLOW'],
    ['invalid_request_error', 'tools.0: bad', 'E_PROVIDER_INVALID_REQUEST'],
  ])('by an error event of %s (%s) throws %s', (type, message, code) => {
    const { out, error } = decode([...turn.slice(0, 13), { type: 'error', error: { type, message } }]);
    expect(error?.code).toBe(code);
    expect(partsOf(out)).toHaveLength(3);
  });
});

for (const name of recordedNames('anthropic-messages')) {
  it(`reads the recorded stream ${name}`, () => {
    const all = recorded('anthropic-messages', name, whole).map((events) =>
      digest(play(new AnthropicDecoder(), events)),
    );
    expect(all).toEqual((recordings as unknown as Record<string, Json>)[name]);
  });
}
