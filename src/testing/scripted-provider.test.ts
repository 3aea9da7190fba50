import { expect, test } from 'vitest';
import type { ModelEvent } from '../protocol/define/provider.ts';
import type { ReinError } from '../protocol/errors.ts';
import { userText } from '../protocol/message.ts';
import { createRequest } from '../protocol/request.ts';
import { createScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';

const request = createRequest({
  model: 'm',
  session: 's',
  sections: [{ name: 'base', text: 'Be brief.', hash: 'h' }],
  tools: [{ name: 'ls', description: 'Lists.', input: { type: 'object' } }],
  messages: [userText('What is here?')],
});

async function collect(provider: ScriptedProvider, signal = new AbortController().signal): Promise<ModelEvent[]> {
  return Array.fromAsync(provider.stream(request, signal));
}

function failure(provider: ScriptedProvider): Promise<Partial<ReinError>> {
  return collect(provider).then(
    () => ({}),
    (error: ReinError) => ({ code: error.code, params: error.params }),
  );
}

test('an answer with everything in it', async () => {
  const usage = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
  const calls = [
    { name: 'ls', input: { path: '.' } },
    { name: 'ls', rawArguments: '{"path' },
    { name: 'ls', rawArguments: '' },
  ];
  const provider = createScriptedProvider({ script: [{ text: ['I ', 'look.'], reasoning: 'Hm.', calls, usage }] });
  expect(await collect(provider)).toEqual([
    { type: 'reasoning-delta', text: 'Hm.' },
    { type: 'part', part: { type: 'reasoning', text: 'Hm.' } },
    { type: 'text-delta', text: 'I ' },
    { type: 'text-delta', text: 'look.' },
    { type: 'part', part: { type: 'text', text: 'I look.' } },
    { type: 'tool-input-delta', callId: 'call_1', name: 'ls', text: '{"path":"."}' },
    { type: 'part', part: { type: 'tool-call', id: 'call_1', name: 'ls', input: { path: '.' } } },
    { type: 'tool-input-delta', callId: 'call_2', name: 'ls', text: '{"path' },
    { type: 'part', part: { type: 'tool-call', id: 'call_2', name: 'ls', input: {}, invalid: '{"path' } },
    { type: 'tool-input-delta', callId: 'call_3', name: 'ls', text: '' },
    { type: 'part', part: { type: 'tool-call', id: 'call_3', name: 'ls', input: {} } },
    { type: 'end', stop: 'tool-calls', usage },
  ]);
  provider.assertComplete();
  expect(provider.requests).toMatchObject([
    { model: 'm', system: 'Be brief.', tools: ['ls'], userTexts: ['What is here?'], calls: [], results: [], request },
  ]);
});

test.each([
  [{ status: 401 }, 'E_PROVIDER_AUTH', {}],
  [{ status: 429, headers: { 'Retry-After': '2' } }, 'E_PROVIDER_RATE_LIMIT', { retryAfterMs: 2000 }],
  [{ status: 529 }, 'E_PROVIDER_OVERLOADED', {}],
  [{ status: 400 }, 'E_PROVIDER_INVALID_REQUEST', {}],
])('status %j fails as %s', async (turn, code, params) => {
  const provider = createScriptedProvider({ script: [turn] });
  expect(await failure(provider)).toEqual({ code, params: { provider: 'scripted', status: turn.status, ...params } });
  provider.assertComplete();
});

test('a cut answer yields its first events, then fails', async () => {
  const provider = createScriptedProvider({ script: [{ text: ['a', 'b'], cut: { after: 1, how: 'rst' } }] });
  const events: ModelEvent[] = [];
  await expect(async () => {
    for await (const event of provider.stream(request, new AbortController().signal)) events.push(event);
  }).rejects.toMatchObject({ code: 'E_PROVIDER_STREAM' });
  expect(events).toEqual([{ type: 'text-delta', text: 'a' }]);
});

test('a stalled answer ends with the reason of the signal', async () => {
  const provider = createScriptedProvider({ script: [{ text: 'a', stall: { after: 1 } }] });
  const controller = new AbortController();
  const stream = provider.stream(request, controller.signal)[Symbol.asyncIterator]();
  expect(await stream.next()).toMatchObject({ value: { type: 'text-delta', text: 'a' } });
  const next = stream.next();
  controller.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});

test('what a script cannot answer is a problem that is named', async () => {
  const provider = createScriptedProvider({ script: [{ raw: ['data: x'] }, { text: 'never asked for' }] });
  expect(() => provider.assertComplete()).toThrow('2 turns of the script were not asked for.');
  expect(await failure(provider)).toMatchObject({ code: 'E_PROVIDER_INVALID_REQUEST' });
  expect(() => provider.assertComplete()).toThrow('A raw turn needs the model server');
});
