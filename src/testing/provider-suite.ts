/** What every model provider must do. Run it with any test runner that has `describe` and `it`. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { ModelEvent, Provider, ProviderOptions } from '../protocol/define/provider.ts';
import { ReinError } from '../protocol/errors.ts';
import { userText } from '../protocol/message.ts';
import { createRequest } from '../protocol/request.ts';
import { type CannedAnswer, type CannedServer, startCannedServer } from './canned-server.ts';
import type { TestRunner } from './store-suite.ts';

export interface ProviderUnderTest {
  /** Makes the provider against `options.baseUrl`, a server on the loopback without a path. */
  create(options: ProviderOptions & { readonly baseUrl: string }): Provider | Promise<Provider>;
  readonly model: string;
  /** Whole bodies as the provider's server would send them. */
  readonly bodies: {
    /** An answer that says `Hello, 你好.` in at least two pieces and stops by itself; usage 12 in, 3 out. */
    readonly text: string;
    /** An answer with two calls, `first` with `{"path":"pear.txt"}` and `second` without arguments. */
    readonly calls: string;
    /** A list of two models. */
    readonly models: string;
  };
}

const key = 'suite-key-0123456789';
const parts = (events: readonly ModelEvent[]) => events.flatMap((event) => (event.type === 'part' ? [event.part] : []));

const cases: Readonly<Record<string, (subject: ProviderUnderTest) => Promise<void>>> = {
  'says text in deltas, then as a part, then ends': (subject) =>
    against(subject, ok(subject.bodies.text), async (provider) => checkText(await collect(subject, provider))),

  'reads the same from single bytes': (subject) =>
    against(subject, { ...ok(subject.bodies.text), bytewise: true }, async (provider) =>
      checkText(await collect(subject, provider)),
    ),

  'brings calls with their own ids and objects as input': (subject) =>
    against(subject, ok(subject.bodies.calls), async (provider) => {
      const events = await collect(subject, provider);
      const calls = parts(events).filter((part) => part.type === 'tool-call');
      assert.deepEqual(
        calls.map(({ name: tool, input, invalid }) => ({ tool, input, invalid })),
        [
          { tool: 'first', input: { path: 'pear.txt' }, invalid: undefined },
          { tool: 'second', input: {}, invalid: undefined },
        ],
      );
      assert.equal(new Set(calls.map(({ id }) => id).filter(Boolean)).size, 2);
      const end = events.at(-1);
      assert.equal(end?.type === 'end' && end.stop, 'tool-calls');
    }),

  'throws when the answer is cut, and brings no call of it': (subject) =>
    against(subject, { ...ok(subject.bodies.calls), cutAt: 0.5 }, async (provider) => {
      assert.equal((await failure(subject, provider)).code, 'E_PROVIDER_STREAM');
    }),

  'names a refused key without showing it': (subject) =>
    against(subject, { status: 401, body: `{"error":{"message":"bad key ${key}"}}` }, async (provider) => {
      const error = await failure(subject, provider);
      assert.equal(error.code, 'E_PROVIDER_AUTH');
      assert.equal(error.params.status, 401);
      assert.ok(!inspect(error, { depth: 9 }).includes(key));
    }),

  'passes on how long to wait': (subject) =>
    against(subject, { status: 429, headers: { 'retry-after': '2' }, body: '{}' }, async (provider) => {
      const error = await failure(subject, provider);
      assert.deepEqual([error.code, error.params.retryAfterMs], ['E_PROVIDER_RATE_LIMIT', 2000]);
    }),

  'ends at once with the reason of an abort': (subject) =>
    against(subject, { ...ok(subject.bodies.text), stallAt: 0.5 }, async (provider, server) => {
      const abort = new AbortController();
      const reason = new Error('enough');
      const events = collect(subject, provider, abort.signal);
      await server.asked;
      abort.abort(reason);
      await assert.rejects(events, (error) => error === reason);
    }),

  'sends the User-Agent it is given, whole': (subject) =>
    against(subject, ok(subject.bodies.text), async (provider, server) => {
      await collect(subject, provider);
      assert.equal((await server.asked)['user-agent'], 'suite/1');
    }),

  'lists models and tests its connection without throwing': async (subject) => {
    const { signal } = new AbortController();
    await against(subject, { status: 200, body: subject.bodies.models }, async (provider) => {
      assert.equal((await provider.listModels(signal)).length, 2);
      assert.equal((await provider.testConnection(signal)).ok, true);
    });
    await against(subject, { status: 403, body: '{"error":{"message":"no"}}' }, async (provider) => {
      const { ok: works, detail } = await provider.testConnection(signal);
      assert.deepEqual([works, detail], [false, 'HTTP 403: no']);
    });
  },
};

/** Registers the cases for one provider. */
export function providerSuite(name: string, subject: ProviderUnderTest, { describe, it }: TestRunner): void {
  describe(name, () => {
    for (const [title, run] of Object.entries(cases)) it(title, () => run(subject));
  });
}

const ok = (body: string): CannedAnswer => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });

/** Runs `work` with a provider whose server gives `answer`. */
async function against(
  { create }: ProviderUnderTest,
  answer: CannedAnswer,
  work: (provider: Provider, server: CannedServer) => Promise<void>,
): Promise<void> {
  const server = await startCannedServer(answer);
  try {
    await work(await create({ baseUrl: server.url, apiKey: key, userAgent: 'suite/1' }), server);
  } finally {
    await server.close();
  }
}

async function collect(
  { model }: ProviderUnderTest,
  provider: Provider,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const messages = [userText('hi')];
  const request = createRequest({ model, session: 'suite', sections: [], tools: [], messages });
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

async function failure(subject: ProviderUnderTest, provider: Provider): Promise<ReinError> {
  const error = await collect(subject, provider).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(ReinError.is(error), `a ReinError was expected, not ${inspect(error)}`);
  return error;
}

function checkText(events: readonly ModelEvent[]): void {
  const said = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  assert.equal(said, 'Hello, 你好.');
  assert.deepEqual(
    parts(events).map((part) => (part.type === 'text' ? part.text : part.type)),
    ['Hello, 你好.'],
  );
  const usage = { input: 12, cacheRead: 0, cacheWrite: 0, output: 3 };
  assert.deepEqual(
    events.filter((event) => event.type === 'end'),
    [{ type: 'end', stop: 'end', usage }],
  );
  assert.equal(events.at(-1)?.type, 'end');
}
