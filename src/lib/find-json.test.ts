import { describe, expect, it } from 'vitest';
import { findJson } from './find-json.ts';

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
    ['nowhere', 'No { brackets match.', undefined],
  ])('%s', (_name, text, value) => {
    expect(findJson(text).next().value).toEqual(value);
  });

  it('stays linear on what never closes', () => {
    const started = performance.now();
    expect([...findJson('{"a":['.repeat(50_000))]).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
