import { expect, test } from 'vitest';
import { deepFreeze, readOnlyView } from './freeze.ts';

test('what is frozen cannot be changed at any depth', () => {
  const value = deepFreeze({ a: [{ b: 'c' }], d: null as unknown });
  expect(() => value.a.push({ b: 'x' })).toThrow(TypeError);
  expect(() => Object.assign(value.a[0]!, { b: 'x' })).toThrow(TypeError);
  expect(() => Object.assign(value, { e: 1 })).toThrow(TypeError);
  expect(value).toEqual({ a: [{ b: 'c' }], d: null });
});

test('a view reads like the list and grows with it, and refuses every kind of writing', () => {
  const list = [1, 2];
  const view = readOnlyView(list) as number[];
  list.push(3);
  expect([view.length, view.at(-1), view.map((n) => n * 2), [...view], JSON.stringify(view)]).toEqual([
    3,
    3,
    [2, 4, 6],
    [1, 2, 3],
    '[1,2,3]',
  ]);
  expect(Array.isArray(view)).toBe(true);
  const writes = [
    () => view.push(4),
    () => view.pop(),
    () => view.splice(0, 1),
    () => view.sort(),
    () => {
      view[0] = 9;
    },
    () => {
      view.length = 0;
    },
    () => Object.defineProperty(view, '0', { value: 9 }),
    () => Object.freeze(view),
  ];
  for (const write of writes) expect(write).toThrow(TypeError);
  expect(list).toEqual([1, 2, 3]);
});
