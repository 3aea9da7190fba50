import { expect, test } from 'vitest';
import { closeList, openList } from './_body-list.ts';

test.each([
  [{}, {}, '{"messages":[1]}'],
  [{ model: 'm' }, {}, '{"model":"m","messages":[1]}'],
  [{}, { stream: true }, '{"messages":[1],"stream":true}'],
  [{ model: 'm', left: undefined }, { stream: true, out: undefined }, '{"model":"m","messages":[1],"stream":true}'],
])('%j and %j around a list', (before, after, text) => {
  expect(`${openList(before, 'messages')}1${closeList(after)}`).toBe(text);
});
