import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { costOf, promptTokens } from '../../protocol/usage.ts';
import recordings from './__fixtures__/recorded-gemini.json' with { type: 'json' };
import { digest, fixtureChunks, partsOf, play, recorded, recordedNames, toEvents } from './__fixtures__/streams.ts';
import { GeminiDecoder } from './_gemini-decoder.ts';

const decode = (chunks: readonly Json[]) => play(new GeminiDecoder(), toEvents(chunks));
const turn = fixtureChunks('gemini-turn');

function chunk(parts: readonly Json[], finishReason?: string): JsonObject {
  return { candidates: [{ content: { parts }, ...(finishReason && { finishReason }) }], responseId: 'r' };
}

describe('a whole answer', () => {
  it('becomes parts in order; calls without an id get one of their own, given ids stay recognisable', () => {
    expect(partsOf(decode(turn).out)).toEqual([
      { type: 'reasoning', text: 'Two files are needed.' },
      { type: 'text', text: 'I read both.' },
      {
        type: 'tool-call',
        id: 'call_resp-A_0',
        name: 'read_file',
        input: { path: 'pear.txt' },
        wire: { signature: 'c2lnbmVk+/==' },
      },
      { type: 'tool-call', id: 'gemini_k2', name: 'read_file', input: { path: 'plum.txt' } },
      { type: 'tool-call', id: 'call_resp-A_2', name: 'list_all', input: {} },
    ]);
    expect(decode(turn).out.at(-1)).toEqual({
      type: 'end',
      stop: 'tool-calls',
      usage: { input: 20, cacheRead: 100, cacheWrite: 0, output: 37 },
    });
  });

  it('gives other ids in another response, and keeps ids apart where a response has none', () => {
    const { responseId: _, ...nameless } = chunk([{ functionCall: { name: 'a' } }], 'STOP');
    const [first, second] = [decode([nameless]), decode([nameless])].map(({ out }) => partsOf(out)[0]);
    expect(first).not.toEqual(second);
    expect(first).toMatchObject({ id: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/) });
  });

  it('keeps a signature on its own part: text before stays apart, blank text is kept as reasoning', () => {
    const { out } = decode([
      chunk([{ text: 'Hel' }]),
      chunk([{ text: 'lo' }]),
      chunk([{ text: ' you', thoughtSignature: 'czE=' }]),
      chunk([{ text: '', thoughtSignature: 'czI=' }, { thoughtSignature: 'czM=' }]),
      chunk([{ text: 'so', thought: true, thoughtSignature: 'czQ=' }], 'STOP'),
    ]);
    expect(partsOf(out)).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'text', text: ' you', wire: { signature: 'czE=' } },
      { type: 'reasoning', text: '', wire: { signature: 'czI=', blank: '' } },
      { type: 'reasoning', text: '', wire: { signature: 'czM=', blank: '' } },
      { type: 'reasoning', text: 'so', wire: { signature: 'czQ=' } },
    ]);
  });

  it('puts arguments that come in pieces in their places', () => {
    const parts = partsOf(decode(fixtureChunks('gemini-streamed-call')).out);
    const input = JSON.parse('{"items":[{"name":"pear","count":2}],"a key":{"done":true},"__proto__":{"x":null}}');
    expect(JSON.stringify(parts)).toBe(
      JSON.stringify([{ type: 'tool-call', id: 'call_resp-B_0', name: 'write', input, wire: { signature: 'c2ln' } }]),
    );
  });

  it('closes a streamed call that lacks its last piece when the next begins or the answer ends', () => {
    const begin = { functionCall: { name: 'a', willContinue: true } };
    expect(partsOf(decode([chunk([begin, begin]), chunk([], 'STOP')]).out)).toMatchObject([
      { id: 'call_r_0' },
      { id: 'call_r_1' },
    ]);
  });

  it.each([
    ['STOP', 'end'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
  ])('that stops with %s ends as %s', (reason, stop) => {
    expect(decode([chunk([{ text: 'Hi' }], reason)]).out.at(-1)).toMatchObject({ type: 'end', stop });
  });

  it('cut by the length limit says so, also with a whole call in it (security O4)', () => {
    const call = { functionCall: { name: 'bash', args: { command: 'rm -r build' } } };
    expect(decode([chunk([call], 'MAX_TOKENS')]).out.at(-1)).toMatchObject({ type: 'end', stop: 'length' });
  });

  it('counts cached tokens once: case P28', () => {
    const usageMetadata = {
      promptTokenCount: 12_000,
      cachedContentTokenCount: 10_000,
      candidatesTokenCount: 300,
      thoughtsTokenCount: 200,
    };
    const end = decode([{ ...chunk([{ text: 'Hi' }], 'STOP'), usageMetadata }]).out.at(-1);
    if (end?.type !== 'end') throw new Error('no end');
    expect(costOf(end.usage, { input: 2, output: 8, cacheRead: 0.2 })).toBeCloseTo(0.01, 10);
    expect(promptTokens(end.usage)).toBe(12_000);
  });
});

describe('a broken stream', () => {
  it('gives no end without a finish reason, wherever it is cut (security O2, case P11)', () => {
    const full = partsOf(decode(turn).out);
    for (let length = 0; length < turn.length; length++) {
      const { out, error } = decode(turn.slice(0, length));
      expect(error?.code).toBe('E_PROVIDER_STREAM');
      expect(partsOf(out)).toEqual(full.slice(0, partsOf(out).length));
      expect(out.some((event) => event.type === 'end')).toBe(false);
    }
    const streamed = fixtureChunks('gemini-streamed-call');
    for (let length = 0; length < 4; length++) expect(partsOf(decode(streamed.slice(0, length)).out)).toEqual([]);
  });

  it.each([
    ['a malformed call', chunk([], 'MALFORMED_FUNCTION_CALL'), 'E_PROVIDER_STREAM'],
    ['a call nobody offered', chunk([], 'UNEXPECTED_TOOL_CALL'), 'E_PROVIDER_STREAM'],
    ['a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' } }, 'E_PROVIDER_CONTENT_FILTER'],
    [
      'an error',
      { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
      'E_PROVIDER_OVERLOADED',
    ],
    [
      'a cancelled call',
      { error: { code: 499, message: 'Cancelled.', status: 'CANCELLED' } },
      'E_PROVIDER_INVALID_REQUEST',
    ],
    [
      'an exhausted quota',
      { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } },
      'E_PROVIDER_RATE_LIMIT',
    ],
    ['what is no object', 'text', 'E_PROVIDER_STREAM'],
  ])('is told by %s', (_what, last: Json, code) => {
    expect(decode([...turn.slice(0, 3), last]).error?.code).toBe(code);
  });

  it('asks for no impossible place', () => {
    for (const jsonPath of ['$.list[999999999]', 'name', '$', '$.a..b', '$[0]']) {
      const call = { functionCall: { name: 'a', partialArgs: [{ jsonPath, stringValue: 'x' }] } };
      expect(decode([chunk([call], 'STOP')]).error?.code).toBe('E_PROVIDER_STREAM');
    }
  });
});

for (const name of recordedNames('gemini').filter((each) => !each.includes('429'))) {
  it(`reads the recorded stream ${name}`, () => {
    expect(recorded('gemini', name).map((events) => digest(play(new GeminiDecoder(), events)))).toEqual(
      (recordings as unknown as Record<string, Json>)[name],
    );
  });
}
