import { expect, test } from 'vitest';
import { anthropic } from './anthropic.ts';
import { chatCompletions } from './chat-completions.ts';
import { prefixKept } from './prefix.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const tools = [{ name: 'ls', input_schema: { type: 'object' } }];
const text = (value: string, fields = {}) => ({ type: 'text', text: value, ...fields });
const read = (body: object) => anthropic.read(body as never, '');

test('cache marks and the string form of a text make no difference', () => {
  const before = read({ tools, system: 'S', messages: [{ role: 'user', content: [text('hi', mark)] }] });
  const after = read({
    tools: [{ ...tools[0], ...mark }],
    system: [text('S', mark)],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [text('yes', mark)] },
    ],
  });
  expect(prefixKept(before, after)).toEqual({ kept: 1 });
});

test('blocks joined to the last message of a role keep the prefix', () => {
  const before = read({ messages: [{ role: 'user', content: [text('a')] }] });
  const after = read({ messages: [{ role: 'user', content: [text('a'), text('b')] }] });
  expect(prefixKept(before, after)).toEqual({ kept: 1 });
});

test('the first changed, missing or moved unit is named with its place', () => {
  const before = read({ tools, messages: [{ role: 'user', content: [text('a'), text('b')] }] });
  expect(prefixKept(before, read({ messages: [{ role: 'user', content: 'a' }] }))).toMatchObject({
    kept: 0,
    firstDifference: { place: 'tool ls' },
  });
  expect(prefixKept(before, read({ tools, messages: [{ role: 'user', content: 'a' }] })).firstDifference).toEqual({
    place: 'message 0',
    before: 'user {"type":"text","text":"b"}',
    after: undefined,
  });
});

test('the role belongs to the unit', () => {
  const chat = (role: string) => chatCompletions.read({ messages: [{ role, content: 'a' }] } as never, '');
  expect(prefixKept(chat('user'), chat('assistant'))).toEqual({
    kept: 0,
    firstDifference: {
      place: 'message 0',
      before: 'user {"type":"text","text":"a"}',
      after: 'assistant {"type":"text","text":"a"}',
    },
  });
});
