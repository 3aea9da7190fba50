import { expect, test } from 'vitest';
import { readEventData } from './_event-data.ts';

test('an object, also in a list of its own', () => {
  expect(readEventData('{"a":[1]}')).toEqual({ a: [1] });
  expect(readEventData('[{"a":1}]')).toEqual({ a: 1 });
});

test.each(['', 'no', '{"a":', '[]', '[1]', '1', 'null', '"text"'])('%j breaks the stream', (data) => {
  expect(() => readEventData(data)).toThrow(expect.objectContaining({ code: 'E_PROVIDER_STREAM' }));
});
