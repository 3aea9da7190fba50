import { describe, expect, test } from 'vitest';
import type { Json } from '../../protocol/json.ts';
import { costOf, promptTokens } from '../../protocol/usage.ts';
import { fixtureChunks, partsOf, play, toEvents } from './__fixtures__/streams.ts';
import { ChatDecoder } from './_chat-decoder.ts';
import type { SseEvent } from './_codec.ts';

const done: SseEvent = { event: '', data: '[DONE]' };

function decode(chunks: readonly Json[], last: readonly SseEvent[] = [done]) {
  return play(new ChatDecoder(), [...toEvents(chunks), ...last]);
}

function delta(fields: Json, finish: string | null = null): Json {
  return { choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

function callPiece(piece: Json): Json {
  return delta({ tool_calls: [piece] });
}

function calls(pieces: readonly Json[], finish = 'tool_calls') {
  return partsOf(decode([...pieces.map(callPiece), delta({}, finish)]).out);
}

test('a whole turn: deltas in order, then parts, then the end', () => {
  expect(decode(fixtureChunks('chat-turn')).out).toEqual([
    { type: 'reasoning-delta', text: 'Two files, ' },
    { type: 'reasoning-delta', text: 'read both.' },
    { type: 'text-delta', text: 'Reading ' },
    { type: 'text-delta', text: '你好.' },
    { type: 'tool-input-delta', callId: 'k1', name: 'read_file', text: '{"path":' },
    { type: 'tool-input-delta', callId: 'k1', name: 'read_file', text: '"pear.txt"}' },
    { type: 'tool-input-delta', callId: 'k2', name: 'read_file', text: '{"path":"plum.txt"}' },
    { type: 'part', part: { type: 'reasoning', text: 'Two files, read both.', wire: { field: 'reasoning_content' } } },
    { type: 'part', part: { type: 'text', text: 'Reading 你好.' } },
    { type: 'part', part: { type: 'tool-call', id: 'k1', name: 'read_file', input: { path: 'pear.txt' } } },
    { type: 'part', part: { type: 'tool-call', id: 'k2', name: 'read_file', input: { path: 'plum.txt' } } },
    { type: 'end', stop: 'tool-calls', usage: { input: 2000, cacheRead: 10_000, cacheWrite: 0, output: 500 } },
  ]);
});

describe('case P09: calls are told apart', () => {
  const pear = { type: 'tool-call', id: 'k1', name: 'read_file', input: { path: 'pear.txt' } };
  const plum = { type: 'tool-call', id: 'k2', name: 'read_file', input: { path: 'plum.txt' } };
  const whole = (id: string, path: string, more: object = {}) => ({
    id,
    function: { name: 'read_file', arguments: `{"path":"${path}"}` },
    ...more,
  });
  const pieces = (index: number, id: string, path: string, repeat: object = {}) => [
    { index, id, function: { name: 'read_file', arguments: '' } },
    ...['{"pa', 'th":', `"${path}`, '"}'].map((text) => ({ index, ...repeat, function: { arguments: text } })),
  ];
  test.each<[string, Json[]]>([
    ['one index for both', [whole('k1', 'pear.txt', { index: 0 }), whole('k2', 'plum.txt', { index: 0 })]],
    ['no index', [whole('k1', 'pear.txt'), whole('k2', 'plum.txt')]],
    ['index 0 and 1 in five pieces', [...pieces(0, 'k1', 'pear.txt'), ...pieces(1, 'k2', 'plum.txt')]],
    ['one index, pieces', [...pieces(0, 'k1', 'pear.txt'), ...pieces(0, 'k2', 'plum.txt')]],
    [
      'pieces that take turns',
      pieces(0, 'k1', 'pear.txt').flatMap((piece, at) => [piece, pieces(1, 'k2', 'plum.txt')[at]!]),
    ],
    [
      'empty id on later pieces',
      [...pieces(3, 'k1', 'pear.txt', { id: '' }), ...pieces(7, 'k2', 'plum.txt', { id: '' })],
    ],
    ['id on each piece', [...pieces(0, 'k1', 'pear.txt', { id: 'k1' }), ...pieces(1, 'k2', 'plum.txt', { id: 'k2' })]],
  ])('%s', (_name, given) => {
    expect(calls(given)).toEqual([pear, plum]);
  });

  test('a name given again as an empty string or in full does not change it', () => {
    const again = (name: string): Json[] => [
      { index: 0, id: 'k1', function: { name: 'read_file', arguments: '{"path":' } },
      { index: 0, function: { name, arguments: '"pear.txt"}' } },
    ];
    expect(calls(again(''))).toEqual([pear]);
    expect(calls(again('read_file'))).toEqual([pear]);
  });

  test('missing and repeated ids are replaced by new ones', () => {
    const nameless = { index: 0, function: { name: 'read_file', arguments: '{"path":"pear.txt"}' } };
    for (const given of [
      [nameless, nameless],
      [whole('same', 'a', { index: 0 }), whole('same', 'b', { index: 1 })],
    ]) {
      const ids = calls(given).map((part) => part.type === 'tool-call' && part.id);
      expect(new Set(ids).size).toBe(2);
      expect(ids.every(Boolean)).toBe(true);
    }
  });
});

describe('case P11, security O2: an answer without its end is no answer', () => {
  const hello = [delta({ content: 'Hel' }), delta({ content: 'lo' })];
  const cutCall = [callPiece({ index: 0, id: 'k1', function: { name: 'bash', arguments: '{"command":"ls"}' } })];
  test.each([
    ['(a) the connection closes', hello, []],
    ['(a) after a call that looks complete', cutCall, []],
    ['(b) [DONE] without a finish reason', hello, [done]],
    ['(b) after a call', cutCall, [done]],
    ['a piece cut in two', hello, [{ event: '', data: '{"choices":[{"de' }]],
  ])('%s', (_name, chunks, last) => {
    const { out, error } = decode(chunks, last);
    expect(error?.code).toBe('E_PROVIDER_STREAM');
    expect(partsOf(out)).toEqual([]);
    expect(out.some((event) => event.type === 'end')).toBe(false);
  });

  test('(c) a finish reason without [DONE] is an end, also with usage behind it', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    const finished = [...hello, delta({}, 'stop')];
    for (const chunks of [finished, [...finished, { choices: [], usage }]]) {
      const { out } = decode(chunks, []);
      expect(partsOf(out)).toEqual([{ type: 'text', text: 'Hello' }]);
      expect(out.at(-1)).toMatchObject({ type: 'end', stop: 'end' });
    }
  });
});

describe('case P12, security O5: arguments are an object or are named invalid', () => {
  test.each([
    ['', { input: {} }],
    ['{}', { input: {} }],
    ['{"command": "ls', { input: {}, invalid: '{"command": "ls' }],
    ['"ls"', { input: {}, invalid: '"ls"' }],
    ['["ls"]', { input: {}, invalid: '["ls"]' }],
    ['null', { input: {}, invalid: 'null' }],
  ])('%s', (text, expected) => {
    const piece = { index: 0, id: 'k1', function: { name: 'bash', arguments: text } };
    expect(calls([piece])).toEqual([{ type: 'tool-call', id: 'k1', name: 'bash', ...expected }]);
  });

  test('security O4: the length limit says so, whatever parses', () => {
    const piece = { index: 0, id: 'k1', function: { name: 'bash', arguments: '{"command":"ls"}' } };
    expect(decode([callPiece(piece), delta({}, 'length')]).out.at(-1)).toMatchObject({ stop: 'length' });
  });
});

test.each([
  ['stop', 'end'],
  ['tool_calls', 'end'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['something new', 'end'],
])('finish reason %s', (finish, stop) => {
  expect(decode([delta({ content: 'a' }, finish)]).out.at(-1)).toMatchObject({ type: 'end', stop });
});

test.each([
  ['an error field', { error: { message: 'Overloaded', code: 503 } }, 'E_PROVIDER_OVERLOADED'],
  [
    'an error beside a choice',
    { ...(delta({}) as object), error: { message: 'Rate limit exceeded', code: 429 } },
    'E_PROVIDER_RATE_LIMIT',
  ],
  ['an error as a text', { error: 'context_length_exceeded' }, 'E_PROVIDER_CONTEXT_OVERFLOW'],
  ['an error object', { object: 'error', message: 'internal server error' }, 'E_PROVIDER_OVERLOADED'],
  ['a finish reason that means failure', delta({}, 'error'), 'E_PROVIDER_STREAM'],
])('inside a stream: %s', (_name, chunk, code) => {
  expect(decode([delta({ content: 'a' }), chunk as Json]).error?.code).toBe(code);
});

test('reasoning comes back in the form it came in', () => {
  const details = [
    delta({ reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0 }] }),
    delta({ reasoning: '.', reasoning_details: [{ type: 'reasoning.text', text: '.', index: 0 }] }),
    delta({ reasoning_details: [{ type: 'reasoning.text', signature: 'sig==', text: null, index: 0 }] }),
    delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 1 }] }),
    delta({ content: 'a' }, 'stop'),
  ];
  expect(partsOf(decode(details).out)[0]).toEqual({
    type: 'reasoning',
    text: 'Hm.',
    wire: {
      field: 'reasoning',
      details: [
        { type: 'reasoning.text', text: 'Hm.', index: 0, signature: 'sig==' },
        { type: 'reasoning.encrypted', data: 'x', index: 1 },
      ],
    },
  });
});

describe('case P28: every token is counted once', () => {
  const prices = { input: 2, cacheRead: 0.2, output: 8 };
  test.each([
    ['OpenAI', { prompt_tokens: 12000, completion_tokens: 500, prompt_tokens_details: { cached_tokens: 10000 } }],
    [
      'DeepSeek',
      { prompt_tokens: 12000, completion_tokens: 500, prompt_cache_hit_tokens: 10000, prompt_cache_miss_tokens: 2000 },
    ],
    ['Moonshot', { prompt_tokens: 12000, completion_tokens: 500, cached_tokens: 10000 }],
    [
      'reasoning beside the completion',
      {
        prompt_tokens: 12000,
        completion_tokens: 100,
        total_tokens: 12500,
        prompt_tokens_details: { cached_tokens: 10000 },
        completion_tokens_details: { reasoning_tokens: 400 },
      },
    ],
    [
      'reasoning inside the completion',
      {
        prompt_tokens: 12000,
        completion_tokens: 500,
        total_tokens: 12500,
        prompt_tokens_details: { cached_tokens: 10000 },
        completion_tokens_details: { reasoning_tokens: 400 },
      },
    ],
  ])('%s', (_name, usage) => {
    const end = decode([delta({ content: 'a' }, 'stop'), { choices: [], usage }]).out.at(-1);
    if (end?.type !== 'end') throw new Error('no end');
    expect(end.usage).toEqual({ input: 2000, cacheRead: 10_000, cacheWrite: 0, output: 500 });
    expect(costOf(end.usage, prices)).toBeCloseTo(0.01, 10);
    expect(promptTokens(end.usage)).toBe(12_000);
  });
});

test('110 KB of arguments in 5,000 pieces cost linear time', () => {
  const piece = 'x'.repeat(22);
  const chunks = [
    callPiece({ index: 0, id: 'k1', function: { name: 'write_file', arguments: '{"content":"' } }),
    ...Array.from({ length: 5000 }, () => callPiece({ index: 0, function: { arguments: piece } })),
    callPiece({ index: 0, function: { arguments: '"}' } }),
    delta({}, 'tool_calls'),
  ];
  const events = [...toEvents(chunks), done];
  const before = process.cpuUsage();
  const [part] = partsOf(play(new ChatDecoder(), events).out);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(0.5);
  expect(part).toEqual({ type: 'tool-call', id: 'k1', name: 'write_file', input: { content: piece.repeat(5000) } });
});
