import { expect, it } from 'vitest';
import { isObject } from './is-object.ts';

it('is true of what has named fields, and of nothing else', () => {
  const values = [
    {},
    { a: 1 },
    Object.create(null),
    new Date(0),
    [],
    [{}],
    null,
    undefined,
    0,
    '',
    'a',
    true,
    () => {},
  ];
  expect(values.map(isObject)).toEqual([...Array(4).fill(true), ...Array(9).fill(false)]);
});
