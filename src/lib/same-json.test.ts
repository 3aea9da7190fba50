import { expect, test } from 'vitest';
import { isSameJson } from './same-json.ts';

test.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  ['x', 'x', true],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: 1 }, { a: 1, b: null }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
])('%j and %j: %s', (a, b, same) => {
  expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([same, same]);
});
