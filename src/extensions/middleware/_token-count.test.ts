import { expect, test } from 'vitest';
import { type AssistantMessage, type Message, userText } from '../../protocol/message.ts';
import { headTokens, historyTokens, messageTokens, readTokens } from './_token-count.ts';

const answer = (text: string): AssistantMessage => ({
  role: 'assistant',
  model: 'p/m',
  parts: [
    { type: 'text', text },
    { type: 'tool-call', id: 'c', name: 'echo', input: { text } },
  ],
});
const result = (text: string): Message => ({
  role: 'tool',
  results: [{ callId: 'c', name: 'echo', status: 'ok', content: [{ type: 'text', text }] }],
});

test('each kind of message counts by its text, Chinese three times as much, an image as one', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'x'.repeat(100_000) } as const;
  expect(messageTokens(userText('a'.repeat(400)))).toBe(104);
  expect(messageTokens(userText('字'.repeat(400)))).toBe(304);
  expect(messageTokens({ role: 'user', parts: [{ type: 'text', text: 'a'.repeat(400) }, image] })).toBe(1604);
  expect(messageTokens(result('a'.repeat(400)))).toBe(104);
  // Text, and name and arguments of the call.
  expect(messageTokens(answer('a'.repeat(400)))).toBe(4 + 100 + Math.ceil((4 + 400 + '{"text":""}'.length) / 4));
});

test('a history that grows costs only what is new', () => {
  const messages: Message[] = [];
  let looked = 0;
  const watched = (text: string): Message =>
    Object.defineProperty({ role: 'user' } as Message, 'parts', {
      get: () => {
        looked++;
        return [{ type: 'text', text }];
      },
    });
  for (let count = 1; count <= 100; count++) {
    messages.push(watched('a'.repeat(40)));
    expect(historyTokens(messages)).toBe(count * 14);
  }
  const perMessage = looked / 100;
  expect(perMessage).toBeLessThan(5);
  const sections = [{ name: 'base', text: 'a'.repeat(400), hash: '' }];
  expect(headTokens({ sections, tools: [] })).toBe(101);
});

test('what the provider reported corrects the estimate; only what is newer is estimated', () => {
  const old = [userText('a'.repeat(4000)), answer('a'.repeat(400))];
  const newer = [result('a'.repeat(4000))];
  const messages = [...old, ...newer];
  const estimate = 500 + historyTokens(old);
  const read = (used: number, ratio = 1) => readTokens({ messages, context: { used } }, 500, ratio);
  expect(read(estimate)).toEqual({ tokens: estimate + 1004, ratio: 1 });
  const twice = read(estimate * 2);
  expect(twice).toEqual({ tokens: estimate * 2 + 2008, ratio: 2 });
  // One that reports nonsense cannot move it without bounds.
  expect(read(estimate * 50).ratio).toBe(3);
});

test('a report that cannot be of the whole request is not believed; what was learned before counts on', () => {
  const messages = [userText('a'.repeat(4000)), answer('b'), result('a'.repeat(400))];
  const estimate = 500 + historyTokens(messages);
  for (const used of [0, 1, Math.floor(estimate / 2) - 1]) {
    expect(readTokens({ messages, context: { used } }, 500, 1.5)).toEqual({
      tokens: Math.round(estimate * 1.5),
      ratio: 1.5,
    });
  }
});
