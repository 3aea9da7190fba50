import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import type { ModelEvent, Provider, ProviderOptions } from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import { userText } from '../../protocol/message.ts';
import { createRequest } from '../../protocol/request.ts';
import { chatStream, startStub } from './__fixtures__/stub-server.ts';
import { createChatCodec } from './_chat.ts';
import { createWireProvider } from './_wire.ts';

const key = 'sk-pear-0123456789';

function providerAt(baseUrl: string, options: ProviderOptions = {}): Provider {
  return createWireProvider({ name: 'pear', codec: createChatCodec(), options: { baseUrl, apiKey: key, ...options } });
}

function ask(provider: Provider, signal = new AbortController().signal): AsyncIterable<ModelEvent> {
  const messages = [userText('hi')];
  return provider.stream(createRequest({ model: 'm', session: 's', sections: [], tools: [], messages }), signal);
}

/** All events, and what was thrown after them. */
async function collect(
  events: AsyncIterable<ModelEvent>,
): Promise<{ out: ModelEvent[]; text: string; thrown?: unknown }> {
  const out: ModelEvent[] = [];
  const text = () => out.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  try {
    for await (const event of events) out.push(event);
    return { out, text: text() };
  } catch (thrown) {
    return { out, text: text(), thrown };
  }
}

async function failure(events: AsyncIterable<ModelEvent>): Promise<ReinError> {
  const { thrown } = await collect(events);
  if (!ReinError.is(thrown)) throw new Error(`expected a ReinError, got ${inspect(thrown)}`);
  return thrown;
}

const say = (text: string) => (response: ServerResponse) => void response.end(chatStream(text));

test('an answer of signs of life alone is cut off by its size', async () => {
  function* signs() {
    yield chatStream('a').split('data: [DONE]')[0]!;
    for (const alive = ': alive\n\n'.repeat(400_000); ; ) yield alive;
  }
  await using server = await startStub((response) => void pipeline(Readable.from(signs()), response, () => {}));
  expect(await failure(ask(providerAt(server.url)))).toMatchObject({
    code: 'E_ANSWER_TOO_LARGE',
    params: { provider: 'pear' },
  });
});

describe('the request', () => {
  test('whole: path, headers and body', async () => {
    await using server = await startStub(say('a'));
    const { out } = await collect(ask(providerAt(`${server.url}/v1/`, { headers: { 'X-Team': 'plum' } })));
    expect(out.at(-1)).toMatchObject({ type: 'end', stop: 'end' });
    const body =
      '{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}';
    expect(server.requests).toEqual([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: {
          accept: 'text/event-stream',
          authorization: `Bearer ${key}`,
          connection: 'keep-alive',
          'content-length': String(body.length),
          'content-type': 'application/json',
          host: server.url.slice('http://'.length),
          'user-agent': `rein/${manifest.version}`,
          'x-team': 'plum',
        },
        body,
      },
    ]);
  });

  test('a User-Agent of the user replaces ours wholly; without a key none is sent', async () => {
    await using server = await startStub(say('a'));
    await collect(ask(providerAt(server.url, { userAgent: 'curl/8', apiKey: '  ' })));
    expect(server.requests[0]?.headers['user-agent']).toBe('curl/8');
    expect(server.requests[0]?.headers.authorization).toBe(undefined);
  });

  test('one connection serves many requests, one after the other', async () => {
    await using server = await startStub(say('a'));
    const provider = providerAt(server.url);
    for (let index = 0; index < 5; index++) expect((await collect(ask(provider))).text).toBe('a');
    expect(server.connections).toBe(1);
  });

  test('a connection that the server gave up meanwhile is replaced without a word', async () => {
    await using server = await startStub((response, index) => {
      if (index === 1) response.socket?.resetAndDestroy();
      else response.end(chatStream('a'));
    });
    const provider = providerAt(server.url);
    await collect(ask(provider));
    expect((await collect(ask(provider))).text).toBe('a');
    expect(server.requests).toHaveLength(3);
  });

  test('a proxy of the environment is used, but not for this machine', async () => {
    await using proxy = await startStub(say('by proxy'));
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('NO_PROXY', 'plum.example');
    await using server = await startStub(say('direct'));
    expect((await collect(ask(providerAt('http://pear.example/v1')))).text).toBe('by proxy');
    expect((await collect(ask(providerAt(server.url)))).text).toBe('direct');
    expect(proxy.requests.map(({ path, headers }) => [path, headers.host])).toEqual([
      ['http://pear.example/v1/chat/completions', 'pear.example'],
    ]);
  });

  test.each(['', 'pear', 'ftp://pear/'])('a base URL that is none: "%s"', (baseUrl) => {
    expect(() => providerAt(baseUrl)).toThrow(expect.objectContaining({ code: 'E_CONFIG_INVALID' }));
  });
});

describe('case P10: the text is whole wherever the bytes are cut', () => {
  const body = Buffer.from(
    `\uFEFF: ping\r\n\r\n${chatStream('你好👍🏽').replace('"choices"', '\r\ndata: "choices"').replaceAll('\n\n', '\r\n\r\n')}`,
  );
  test.each([
    ['at once', [body]],
    ['inside a character', [body.subarray(0, body.indexOf('你') + 1), body.subarray(body.indexOf('你') + 1)]],
    ['between CR and LF', [body.subarray(0, body.lastIndexOf('\r') + 1), body.subarray(body.lastIndexOf('\r') + 1)]],
    ['after each byte', Array.from(body, (byte) => Uint8Array.of(byte))],
  ])('%s', async (_name, pieces) => {
    await using server = await startStub(async (response) => {
      for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
      response.end();
    });
    const { text, thrown } = await collect(ask(providerAt(server.url)));
    expect({ text, thrown }).toEqual({ text: '你好👍🏽', thrown: undefined });
  });
});

describe('security O2: an answer that breaks off', () => {
  const half = chatStream('Hello').split('\n\n')[0]!;
  test.each<[string, (response: ServerResponse) => void]>([
    ['the body ends in good order', (response) => response.end(`${half}\n\n`)],
    ['the connection closes', (response) => response.write(`${half}\n\n`, () => response.socket?.end())],
    [
      'the connection is reset',
      (response) => response.write(`${half}\n\n`, () => setImmediate(() => response.socket?.resetAndDestroy())),
    ],
    ['inside an event', (response) => response.end(`${half}\n\ndata: {"choices":[{"de`)],
  ])('%s', async (_name, answer) => {
    await using server = await startStub((response) => answer(response));
    const { out, thrown } = await collect(ask(providerAt(server.url)));
    expect(thrown).toMatchObject({ code: 'E_PROVIDER_STREAM', params: { provider: 'pear', status: 200 } });
    expect(out.filter((event) => event.type !== 'text-delta')).toEqual([]);
  });
});

describe('security O3: silence has an end', () => {
  test('in the middle of an answer', async () => {
    let closed: Promise<unknown> | undefined;
    await using server = await startStub((response) => {
      closed = once(response, 'close');
      response.write(chatStream('Hello').split('\n\n')[0]!);
      response.write('\n\n');
    });
    const { text, thrown } = await collect(ask(providerAt(server.url, { idleTimeoutMs: 60 })));
    expect(text).toBe('Hello');
    expect(thrown).toMatchObject({
      code: 'E_PROVIDER_STREAM',
      params: { provider: 'pear', detail: 'silent for 60 ms' },
    });
    await closed;
  });

  test('before the answer', async () => {
    await using server = await startStub(() => {});
    const error = await failure(ask(providerAt(server.url, { idleTimeoutMs: 60 })));
    expect(error.toData()).toMatchObject({ code: 'E_PROVIDER_NETWORK', params: { detail: 'no answer within 60 ms' } });
  });
});

describe('an abort ends the stream at once with its own reason and closes the connection', () => {
  const reason = { why: 'enough' };

  test('before it began', async () => {
    await using server = await startStub(say('a'));
    expect((await collect(ask(providerAt(server.url), AbortSignal.abort(reason)))).thrown).toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    ['while waiting for the answer', ''],
    ['in the middle of the answer', `${chatStream('Hello').split('\n\n')[0]!}\n\n`],
  ])('%s', async (_name, beginning) => {
    const abort = new AbortController();
    let closed: Promise<unknown> | undefined;
    await using server = await startStub((response) => {
      closed = once(response, 'close');
      if (beginning) response.write(beginning);
      else abort.abort(reason);
    });
    const out: ModelEvent[] = [];
    const thrown = await (async () => {
      for await (const event of ask(providerAt(server.url), abort.signal)) {
        out.push(event);
        abort.abort(reason);
      }
    })().catch((error: unknown) => error);
    expect(thrown).toBe(reason);
    await closed;
  });

  test('a reader that leaves early closes it too', async () => {
    let closed: Promise<unknown> | undefined;
    await using server = await startStub((response) => {
      closed = once(response, 'close');
      response.write(`${chatStream('Hello').split('\n\n')[0]!}\n\n`);
    });
    for await (const _event of ask(providerAt(server.url))) break;
    await closed;
  });
});

describe('failures', () => {
  test('case P25, security O1: the status is named, the request is sent once', async () => {
    await using server = await startStub((response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"bad key"}}');
    });
    const error = await failure(ask(providerAt(server.url)));
    expect(error.toData()).toMatchObject({
      code: 'E_PROVIDER_AUTH',
      params: { provider: 'pear', status: 401, detail: 'bad key' },
    });
    expect(error.retryable).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  test('security O1, O7: the wish to wait is passed on', async () => {
    await using server = await startStub((response) => void response.writeHead(429, { 'retry-after': '3' }).end('{}'));
    expect((await failure(ask(providerAt(server.url)))).params).toMatchObject({ status: 429, retryAfterMs: 3000 });
  });

  test('security E5: no key in an error, however it is looked at', async () => {
    await using server = await startStub((response, _index, request) => {
      response
        .writeHead(400)
        .end(JSON.stringify({ error: { message: `you sent ${JSON.stringify(request.headers)}` } }));
    });
    const provider = providerAt(server.url, { headers: { 'x-second': 'another-secret-value' } });
    const error = await failure(ask(provider));
    const shown = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error.toData()), error.stack].join();
    expect(shown).not.toContain(key);
    expect(shown).not.toContain('another-secret-value');
  });

  test.each([
    ['an error in JSON', '{"error":{"message":"Overloaded","type":"overloaded_error"}}', 'E_PROVIDER_OVERLOADED'],
    ['an error inside the stream', 'data: {"error":{"message":"later","code":429}}\n\n', 'E_PROVIDER_RATE_LIMIT'],
    ['a page', '<html>Sign in</html>', 'E_PROVIDER_STREAM'],
    ['nothing', '', 'E_PROVIDER_STREAM'],
  ])('a 200 that is none: %s', async (_name, body, code) => {
    await using server = await startStub((response) => void response.end(body));
    expect((await failure(ask(providerAt(server.url)))).toData()).toMatchObject({ code, params: { provider: 'pear' } });
  });

  test('what was said before an error inside the stream was said', async () => {
    const text = `${chatStream('Hello').split('\n\n')[0]!}\n\ndata: {"error":{"message":"Overloaded"}}\n\n`;
    await using server = await startStub((response) => void response.end(text));
    const { out, thrown } = await collect(ask(providerAt(server.url)));
    expect(out).toEqual([{ type: 'text-delta', text: 'Hello' }]);
    expect(thrown).toMatchObject({ code: 'E_PROVIDER_OVERLOADED', params: { provider: 'pear', status: 200 } });
  });

  test('nobody listens', async () => {
    const server = await startStub(say('a'));
    await server[Symbol.asyncDispose]();
    const error = await failure(ask(providerAt(server.url)));
    expect(error.code).toBe('E_PROVIDER_NETWORK');
    expect(error.params.detail).toContain('ECONNREFUSED');
  });

  test('a key that no header can carry', async () => {
    await using server = await startStub(say('a'));
    expect((await failure(ask(providerAt(server.url, { apiKey: 'a\nb' })))).code).toBe('E_PROVIDER_INVALID_REQUEST');
  });
});

describe('the connection test never throws', () => {
  const signal = new AbortController().signal;
  test.each<[string, (response: ServerResponse) => void, { ok: boolean; detail: string }]>([
    ['models', (response) => response.end('{"data":[{"id":"a"},{"id":"b"}]}'), { ok: true, detail: 'OK (2 models)' }],
    ['no models', (response) => response.end('{"data":[]}'), { ok: true, detail: 'OK' }],
    [
      'refused',
      (response) => response.writeHead(403).end('{"error":{"message":"no"}}'),
      { ok: false, detail: 'HTTP 403: no' },
    ],
    [
      'no list',
      (response) => response.end('<html>'),
      { ok: false, detail: 'HTTP 200: the model list is not what this wire expects' },
    ],
    ['cut', (response) => response.socket?.destroy(), { ok: false, detail: expect.stringMatching(/^network: /) }],
  ])('%s', async (_name, answer, expected) => {
    await using server = await startStub((response) => answer(response));
    expect(await providerAt(server.url).testConnection(signal)).toEqual(expected);
  });

  test('aborted', async () => {
    await using server = await startStub(say('a'));
    const { ok, detail } = await providerAt(server.url).testConnection(AbortSignal.abort());
    expect({ ok, detail }).toEqual({ ok: false, detail: 'network: This operation was aborted' });
  });

  test('what is known of the listed models comes along', async () => {
    await using server = await startStub((response) => void response.end('{"data":[{"id":"gpt-4o"},{"id":"pear-1"}]}'));
    const codec = createChatCodec();
    const models = [{ id: 'pear-1', window: 32_000 }];
    const provider = createWireProvider({ name: 'pear', codec, options: { baseUrl: server.url }, models });
    expect(await provider.listModels(signal)).toEqual([
      { id: 'gpt-4o', window: 128_000, maxOutput: 16_384, prices: { input: 2.5, output: 10, cacheRead: 1.25 } },
      { id: 'pear-1', window: 32_000 },
    ]);
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/models' });
  });
});

const chunkOf = (delta: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

describe('pieces of one text', () => {
  const callOf = (index: number, text: string, id?: string) =>
    chunkOf({ tool_calls: [{ index, ...(id && { id }), function: { ...(id && { name: 'bash' }), arguments: text } }] });

  test('that come together are shown together, each text for itself', async () => {
    const deltas = [
      ...['Hm', '?'].map((piece) => chunkOf({ reasoning_content: piece })),
      ...['Hel', 'lo', '.'].map((content) => chunkOf({ content })),
      ...[callOf(0, '{"a"', 'one'), callOf(0, ':1}'), callOf(1, '{', 'two'), callOf(1, '}')],
    ];
    await using server = await startStub((response) => void response.end(deltas.join('') + chatStream('')));
    const { out } = await collect(ask(providerAt(server.url)));
    expect(out.filter(({ type }) => type.endsWith('delta'))).toEqual([
      { type: 'reasoning-delta', text: 'Hm?' },
      { type: 'text-delta', text: 'Hello.' },
      { type: 'tool-input-delta', callId: 'one', name: 'bash', text: '{"a":1}' },
      { type: 'tool-input-delta', callId: 'two', name: 'bash', text: '{}' },
    ]);
  });

  test('are shown when they come: none waits for the next', async () => {
    const seen = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using server = await startStub(async (response) => {
      response.write(chunkOf({ content: 'Hel' }));
      await seen[0]!.promise;
      response.write(chunkOf({ content: 'lo' }));
      await seen[1]!.promise;
      response.end(chatStream('.'));
    });
    const shown: string[] = [];
    for await (const event of ask(providerAt(server.url))) {
      if (event.type === 'text-delta') seen[shown.push(event.text) - 1]?.resolve();
    }
    expect(shown).toEqual(['Hel', 'lo', '.']);
  });
});

test('a stream of 20,000 chunks costs little', async () => {
  const chunk = chunkOf({ content: 'word ' });
  await using server = await startStub((response) => void response.end(chunk.repeat(20_000) + chatStream('.')));
  const provider = providerAt(server.url);
  const before = process.cpuUsage();
  const { text, out } = await collect(ask(provider));
  expect(text).toHaveLength(100_001);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1.5);
  // One for each read of the network, not one for each chunk.
  expect(out.length).toBeLessThan(1000);
});
