import { describe, expect, it } from 'vitest';
import { findJson, jsonSpans } from './find-json.ts';

/** How often a character of the text is looked at. */
function readsOf(text: string): number {
  let reads = 0;
  const counted = new Proxy(Object(text), {
    get(_, key) {
      if (key === 'length') return text.length;
      if (typeof key === 'symbol') return undefined;
      if (key === 'toString') return () => text;
      reads++;
      return text[Number(key)];
    },
  });
  jsonSpans(counted);
  return reads;
}

describe('JSON in text', () => {
  it.each([
    ['alone', ' {"a":1}\n', { a: 1 }],
    ['a plain value', '42', 42],
    ['in a fenced block', 'Here:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ['in the last of several blocks', '```\n{"a":0}\n```\nno:\n~~~json\n{"a":1}\n~~~', { a: 1 }],
    ['in prose', 'I think {"a":{"b":"}"}} is it.', { a: { b: '}' } }],
    ['a list in prose', 'These: [1, 2] [3].', [1, 2]],
    ['the longest of several', '{"a":0} and {"a":1,"b":2}', { a: 1, b: 2 }],
    ['after a bracket of prose', 'f(x} {"a":1}', { a: 1 }],
    ['with quotes in prose before it', 'say "hi {" then {"a":1}', { a: 1 }],
    ['after a quote of prose inside of brackets', 'see [the "menu and {"a":1}', { a: 1 }],
    ['after a string that breaks', '["the menu and {"a":1}', { a: 1 }],
    ['after a string that never ends', '{"b": "x\n{"a":1}', { a: 1 }],
    ['whole in what is not whole', '{"b": [1, 2], c}', [1, 2]],
    [
      'with all that a value can be',
      'So: {"a":[-1.5e3,true,null,"\\"]}",{}],"b":""}.',
      { a: [-1500, true, null, '"]}', {}], b: '' },
    ],
    ['with a comma too many: its parts', '{"a": {"b": 1},}', { b: 1 }],
    ['nowhere', 'No { brackets match.', undefined],
  ])('%s', (_name, text, value) => {
    expect(findJson(text).next().value).toEqual(value);
  });

  it.each(['{"a":[', '["{" ', '{"\\"', '{"x', '["{", 1, 1', '{"a":1,"b":{"c', '[[1],"[', '{"a": "{'])(
    'reads %j, over and over, in steps that grow with its length',
    (piece) => {
      const text = piece.repeat(20_000);
      expect(readsOf(text)).toBeLessThan(6 * text.length);
    },
  );

  it('finds what JSON.parse reads, in any prose without brackets and quotes', () => {
    const values = [{ a: [{}, [], ''] }, [[['x']]], { '"': '\\"{' }, { n: [0, -0.5, 1e-9, 12345678901] }];
    for (const value of values) {
      for (const space of [0, 2]) {
        expect([...findJson(`Well, ${JSON.stringify(value, null, space)}, or so.`)]).toEqual([value]);
      }
    }
  });
});
