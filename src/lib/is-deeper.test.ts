import { expect, test } from 'vitest';
import { isDeeper } from './is-deeper.ts';

const nested = (levels: number): unknown => JSON.parse('{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2));

test('counts lists and objects inside each other', () => {
  expect([1, null, 'a', undefined].map((value) => isDeeper(value, 0))).toEqual([false, false, false, false]);
  expect([0, 1, 2].map((levels) => isDeeper({ a: 1, b: [], c: 2 }, levels))).toEqual([true, true, false]);
  expect([99, 100, 101].map((levels) => isDeeper(nested(100), levels))).toEqual([true, false, false]);
});

test('no depth is too much for it', () => {
  expect(isDeeper(nested(200_000), 100)).toBe(true);
  expect(isDeeper(nested(200_000), 200_000)).toBe(false);
});
