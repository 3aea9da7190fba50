import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../../protocol/message.ts';
import { userText } from '../../protocol/message.ts';
import { createRequest } from '../../protocol/request.ts';
import { type ModelServer, startModelServer, type Turn } from '../../testing/index.ts';
import { collect, longScript, steer, takeTurn } from './__fixtures__/conversation.ts';
import anthropic from './anthropic.ts';
import gemini from './gemini.ts';

const tools = [{ name: 'bash', description: 'Runs.', input: { type: 'object', properties: {} } }];
const sections = ['base', 'agent_memory'].map((name) => ({ name, text: `Section ${name}`, hash: name }));
const servers: ModelServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const signal = new AbortController().signal;

describe.each([
  {
    definition: anthropic,
    name: 'anthropic',
    defaultBaseUrl: 'https://api.anthropic.com',
    defaultModel: 'claude-sonnet-5-5',
    envPrefix: 'ANTHROPIC',
    models: ['claude-sonnet-4-5', 'claude-sonnet-4-5-next'],
    keyHeader: 'x-api-key',
    // The call takes several events: its beginning arrives.
    cut: { after: 3, seen: ['tool-input-delta'] },
  },
  {
    definition: gemini,
    name: 'gemini',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com',
    defaultModel: 'gemini-3.8-flash',
    envPrefix: 'GEMINI',
    models: ['gemini-3.8-flash', 'gemini-3.8-flash-next'],
    keyHeader: 'x-goog-api-key',
    // The call is one event: it arrives whole.
    cut: { after: 1, seen: ['tool-input-delta', 'part'] },
  },
] as const)('the $name provider', ({ definition, models: [model, other], keyHeader, cut, ...about }) => {
  async function start(script: readonly Turn[]) {
    const server = await startModelServer({ script, models: ['m-1', 'm-2'] });
    servers.push(server);
    const provider = await definition.create({ apiKey: 'key-123', baseUrl: server.url(about.name) });
    return { server, provider };
  }

  const hi = () => createRequest({ model, session: 's', sections: [], tools: [], messages: [userText('Hi')] });

  it('is named, has a default model and a host', () => {
    const { create: _, ...rest } = definition;
    expect(rest).toEqual({ ...about, [Symbol.for('rein.provider')]: true });
  });

  it('sends the key in a header only and streams the answer', async () => {
    const { server, provider } = await start([{ text: ['Hello'], usage: { input: 7, cacheRead: 3, output: 2 } }]);
    expect(await collect(provider.stream(hi(), signal))).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'part', part: { type: 'text', text: 'Hello' } },
      { type: 'end', stop: 'end', usage: { input: 7, cacheRead: 3, cacheWrite: 0, output: 2 } },
    ]);
    const [request] = server.requests;
    expect(request!.headers).toMatchObject({ [keyHeader]: 'key-123' });
    expect(request!.path + JSON.stringify(request!.body)).not.toContain('key-123');
  });

  it('lists models and tells whether the server can be reached', async () => {
    const { server, provider } = await start([]);
    expect((await provider.listModels(signal)).map((info) => info.id)).toEqual(['m-1', 'm-2']);
    expect(await provider.testConnection(signal)).toEqual({ ok: true, detail: 'OK (2 models)' });
    await server.close();
    expect(await provider.testConnection(signal)).toMatchObject({ ok: false });
  });

  it('keeps every unit of the request before at its place over 50 turns, with parallel calls, steering and marks', async () => {
    const { server, provider } = await start(longScript(50));
    const messages: Message[] = [];
    for (let turn = 0; turn < 50; turn++) {
      steer(messages, turn);
      const effort = turn % 2 === 0 ? 'high' : 'low';
      await takeTurn(provider, messages, { model, tools, sections, effort, cache: { marks: true } });
    }
    server.assertComplete();
    const [report] = server.prefixReport();
    expect(report).toMatchObject({ requests: 50 });
    expect(report!.steps.filter((step) => step.kept < 1)).toEqual([]);
  });

  it('cases P13 and P14: a strict server takes blank text, parallel results, a queued message and another model', async () => {
    const { server, provider } = await start([
      { reasoning: 'Hm', text: '\n\n', calls: [{ name: 'bash' }, { name: 'bash', input: { n: 1 } }] },
      { text: ' ' },
      { reasoning: 'Hm', calls: [{ name: 'bash' }] },
      { text: 'Done' },
    ]);
    const messages: Message[] = [userText('Go')];
    await takeTurn(provider, messages, { model, tools });
    messages.push(userText('Queued'));
    await takeTurn(provider, messages, { model, tools });
    messages.push(userText('Again'));
    await takeTurn(provider, messages, { model, tools });
    // Reasoning of the first model must not reach the second.
    const stop = await takeTurn(provider, messages, { model: other, tools });
    expect(stop).toBe('end');
    server.assertComplete();
  });

  it.each(['end', 'fin', 'rst'] as const)('security O2: an answer cut by %s is an interrupted stream', async (how) => {
    const calls = [{ name: 'bash', input: { command: 'ls' } }];
    const { provider } = await start([{ calls, cut: { after: cut.after, how } }]);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of provider.stream(hi(), signal)) seen.push(event.type);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'E_PROVIDER_STREAM' });
    expect(seen).toEqual(cut.seen);
  });

  it('security O4: a whole call in an answer cut by its length ends as length', async () => {
    const { provider } = await start([{ calls: [{ name: 'bash', input: { command: 'ls' } }], stop: 'length' }]);
    expect(await takeTurn(provider, [userText('Go')], { model })).toBe('length');
  });

  it.each([
    [401, 'E_PROVIDER_AUTH'],
    [429, 'E_PROVIDER_RATE_LIMIT'],
    [503, 'E_PROVIDER_OVERLOADED'],
  ])('an answer with status %i is %s', async (status, code) => {
    const { provider } = await start([{ status }]);
    await expect(collect(provider.stream(hi(), signal))).rejects.toMatchObject({
      code,
      params: { provider: about.name, status },
    });
  });
});
