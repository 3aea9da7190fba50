import { expect, test } from 'vitest';
import type { ModelEvent } from '../../protocol/define/provider.ts';
import { type Message, userText } from '../../protocol/message.ts';
import { createRequest, type ModelRequest } from '../../protocol/request.ts';
import offline from './offline.ts';

const provider = await offline.create({});

function request(messages: readonly Message[], tools = ['ls', 'glob', 'grep', 'read_file']): ModelRequest {
  const schemas = tools.map((name) => ({ name, description: '', input: {} }));
  return createRequest({ model: 'rules', session: 's1', sections: [], tools: schemas, messages });
}

async function collect(asked: ModelRequest, signal = new AbortController().signal): Promise<ModelEvent[]> {
  return Array.fromAsync(provider.stream(asked, signal));
}

test('needs no key, costs nothing, is always there', async () => {
  const { signal } = new AbortController();
  expect([offline.keyless, offline.envPrefix, offline.name, offline.defaultModel]).toEqual([
    true,
    undefined,
    'offline',
    'rules',
  ]);
  expect(await provider.listModels(signal)).toEqual([{ id: 'rules', prices: { input: 0, output: 0 } }]);
  expect(await provider.testConnection(signal)).toEqual({ ok: true, detail: 'OK' });
});

test('calls tools in parallel, only those that are there, each with an id of its own', async () => {
  const events = await collect(request([userText('Analyze this repository')], ['ls', 'glob']));
  const calls = events.flatMap((event) =>
    event.type === 'part' && event.part.type === 'tool-call' ? [event.part] : [],
  );
  expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['ls', 'glob']));
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  expect(events.at(-1)).toEqual({
    type: 'end',
    stop: 'tool-calls',
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
  });
});

test('ids differ from turn to turn', async () => {
  const ids = new Set<string>();
  const messages: Message[] = [userText('Where is foo?')];
  for (let turn = 0; turn < 2; turn++) {
    const parts = (await collect(request(messages))).flatMap((event) => (event.type === 'part' ? [event.part] : []));
    messages.push({ role: 'assistant', parts, model: 'offline/rules' });
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
    for (const { id } of calls) {
      expect(ids.has(id)).toBe(false);
      ids.add(id);
    }
    const content = [{ type: 'text', text: 'src/a.ts:1:function foo() {' }] as const;
    const results = calls.map(({ id, name }) => ({ callId: id, name, status: 'ok', content }) as const);
    messages.push({ role: 'tool', results });
  }
  expect(ids.size).toBeGreaterThan(3);
});

test('deltas are modest, well-formed and add up to the text', async () => {
  const events = await collect(request([userText('请写 😀'.repeat(3))], []));
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  const parts = events.flatMap((event) => (event.type === 'part' ? [event.part] : []));
  expect(parts).toEqual([{ type: 'text', text: deltas.join('') }]);
  expect(deltas.every((text) => text.isWellFormed() && text.length <= 400)).toBe(true);
});

test('ends at once when aborted, with the reason of the signal', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  abort.abort(reason);
  await expect(collect(request([userText('Analyze this repository')]), abort.signal)).rejects.toBe(reason);
});

test('ends between two deltas when aborted', async () => {
  const abort = new AbortController();
  const seen: ModelEvent[] = [];
  const run = async () => {
    for await (const event of provider.stream(request([userText('hello')], []), abort.signal)) {
      seen.push(event);
      abort.abort(new Error('enough'));
    }
  };
  await expect(run()).rejects.toThrow('enough');
  expect(seen.length).toBe(1);
});
