import { expect, test } from 'vitest';
import { userText } from '../../protocol/message.ts';
import { createRequest } from '../../protocol/request.ts';
import { startStub } from './__fixtures__/stub-server.ts';
import { createByWire } from './_by-wire.ts';
import { providers } from './index.ts';

test.each([
  ['chat', '/v1/chat/completions'],
  ['responses', '/v1/responses'],
  ['anthropic', '/v1/v1/messages'],
  ['gemini', '/v1/v1beta/models/pear-1:streamGenerateContent?alt=sse'],
])('a provider of the user on the wire %s asks %s', async (wire, path) => {
  await using server = await startStub((response) => void response.writeHead(401).end('{}'));
  const provider = await createByWire(wire, 'team', { baseUrl: `${server.url}/v1` });
  const request = createRequest({ model: 'pear-1', session: 's', sections: [], tools: [], messages: [userText('a')] });
  const { signal } = new AbortController();
  await expect(Array.fromAsync(provider.stream(request, signal))).rejects.toMatchObject({
    code: 'E_PROVIDER_AUTH',
    params: { provider: 'team', status: 401 },
  });
  expect(server.requests.map((one) => one.path)).toEqual([path]);
});

test('a wire that is none', async () => {
  await expect(createByWire('soap', 'team', { baseUrl: 'http://127.0.0.1' })).rejects.toMatchObject({
    code: 'E_CONFIG_INVALID',
    params: { key: 'providers.team.wire' },
  });
});

const expected = [
  ['custom', 'CUSTOM', undefined, true],
  ['ollama', 'OLLAMA', 'http://127.0.0.1:11434/v1', true],
  ['openai', 'OPENAI', 'https://api.openai.com/v1', undefined],
  ['openrouter', 'OPENROUTER', 'https://openrouter.ai/api/v1', undefined],
] as const;
test.each(expected)('%s', async (name, envPrefix, defaultBaseUrl, keyless) => {
  const definition = providers.find((one) => one.name === name)!;
  expect(definition).toMatchObject({ name, envPrefix, defaultModel: expect.stringMatching(/./) });
  expect([definition.defaultBaseUrl, definition.keyless]).toEqual([defaultBaseUrl, keyless]);
  const provider = await definition.create({ apiKey: 'k', baseUrl: defaultBaseUrl ?? 'http://127.0.0.1:1' });
  expect(provider.name).toBe(name);
});
