import { expect, test } from 'vitest';
import type { StoredBody, StoredEvent } from '../protocol/event.ts';
import { type Message, userText } from '../protocol/message.ts';
import { createRequest } from '../protocol/request.ts';
import { createReplayProvider, readExport, scriptFromEvents } from './script-from-events.ts';

const sections = [{ name: 'base', text: 'Be brief.', hash: 'h' }];
const tools = [{ name: 'ls', description: 'Lists.', input: { type: 'object' } }];
const usage = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
const calling: Message = {
  role: 'assistant',
  model: 'p/m',
  parts: [
    { type: 'reasoning', text: 'Hm.', wire: { signature: 'x' } },
    { type: 'text', text: 'Both.' },
    { type: 'tool-call', id: 'a', name: 'ls', input: { path: 'a' } },
    { type: 'tool-call', id: 'b', name: 'ls', input: {}, invalid: '{"pa' },
  ],
};
const done: Message = { role: 'assistant', model: 'p/m', parts: [{ type: 'text', text: 'Done.' }] };
const end = (callId: string): StoredBody => ({
  type: 'tool-call-end',
  callId,
  status: 'ok',
  content: [{ type: 'text', text: `result ${callId}` }],
});
const turnEnd: StoredBody = { type: 'turn-end', model: 'p/m', usage, cost: 0, context: { used: 10 } };
const bodies: StoredBody[] = [
  { type: 'session-start', cwd: '/x', definition: 'main' },
  { type: 'prompt', sections, tools },
  { type: 'run-start', driver: 'react', model: 'p/m' },
  { type: 'message', message: userText('What is here?') },
  { type: 'message', message: calling },
  turnEnd,
  { type: 'tool-call-start', callId: 'a' },
  end('b'),
  { type: 'message', message: userText('Also c.') },
  end('a'),
  { type: 'message', message: done },
  turnEnd,
  { type: 'run-end', stop: 'completed', usage, cost: 0 },
];
const envelope = { v: 1, time: 0, session: 's', run: 'r', agent: 'main' } as const;
const toEvents = (list: StoredBody[]) => list.map((body, seq): StoredEvent => ({ ...body, ...envelope, seq }));
const results: Message = {
  role: 'tool',
  results: ['a', 'b'].map((callId) => ({
    callId,
    name: 'ls',
    status: 'ok',
    content: [{ type: 'text', text: `result ${callId}` }],
  })),
};
const second = [userText('What is here?'), calling, results, userText('Also c.')];

test('each answer becomes a turn with its usage', () => {
  expect(scriptFromEvents(toEvents(bodies)).script).toEqual([
    {
      text: 'Both.',
      reasoning: 'Hm.',
      calls: [
        { id: 'a', name: 'ls', input: { path: 'a' } },
        { id: 'b', name: 'ls', input: {}, rawArguments: '{"pa' },
      ],
      usage,
    },
    { text: 'Done.', reasoning: '', calls: [], usage },
  ]);
});

test('the first difference of a request is named', () => {
  const { check } = scriptFromEvents(toEvents(bodies));
  expect(check({ sections, tools, messages: second.slice(0, 1) }, 0)).toBeUndefined();
  expect(check({ sections, tools, messages: second }, 1)).toBeUndefined();
  expect(check({ sections: [{ ...sections[0]!, text: 'Be long.' }], tools, messages: second }, 1)).toBe(
    'prompt section base',
  );
  expect(check({ sections, tools: [], messages: second }, 1)).toBe('tool ls');
  expect(check({ sections, tools, messages: second.with(2, userText('x')) }, 1)).toBe('message 2');
  expect(check({ sections, tools, messages: [...second, done] }, 1)).toBe('message 4');
  expect(check({ sections, tools, messages: second }, 2)).toBe('request 2 is not in the recording');
});

test('what the wire kept of another provider is no difference', () => {
  const { check } = scriptFromEvents(toEvents(bodies));
  const other: Message = { ...calling, parts: calling.parts.map((part) => ({ ...part, wire: undefined })) };
  expect(check({ sections, tools, messages: second.with(1, { ...other, model: 'q/n' }) }, 1)).toBeUndefined();
});

test('messages are not compared after a compaction', () => {
  const compaction: StoredBody = { type: 'compaction', kind: 'summary', keepFrom: 9, summary: 'S' };
  const { check } = scriptFromEvents(toEvents([...bodies.slice(0, 10), compaction, ...bodies.slice(10)]));
  expect(check({ sections, tools, messages: [userText('S')] }, 1)).toBeUndefined();
  expect(check({ sections, tools: [], messages: [] }, 1)).toBe('tool ls');
});

test('the replaying provider plays the answers and refuses a request that differs', async () => {
  const provider = createReplayProvider(toEvents(bodies));
  const ask = (messages: readonly Message[]) =>
    Array.fromAsync(
      provider.stream(
        createRequest({ model: 'm', session: 's', sections, tools, messages }),
        new AbortController().signal,
      ),
    );
  expect((await ask(second.slice(0, 1))).at(-1)).toEqual({ type: 'end', stop: 'tool-calls', usage });
  await expect(ask(second.slice(0, 2))).rejects.toMatchObject({
    code: 'E_PROVIDER_INVALID_REQUEST',
    params: { detail: 'Request 1 differs from the recording: message 2.' },
  });
});

test('an export is read up to its first child', () => {
  const events = toEvents(bodies);
  const header = { rein: 'session', v: 1, id: 's' };
  const lines = [header, ...events, { ...header, id: 's.1', parent: 's' }, events[0]];
  expect(readExport(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))).toEqual(events);
  expect(() => readExport('{}\n')).toThrow('Not an exported session');
});
