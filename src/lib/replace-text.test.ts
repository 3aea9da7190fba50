import { expect, it } from 'vitest';
import { replaceText } from './replace-text.ts';

const once = (text: string, wanted: string, by: string) => {
  const result = replaceText(text, wanted, by, false);
  return result.ok ? [result.level, result.text] : result;
};

it('keeps the line endings of the place it changes (case P01)', () => {
  expect(once('tea\r\ncoffee\r\nmilk\r\n', 'tea\ncoffee', 'tea\ncocoa')).toEqual([
    'line-endings',
    'tea\r\ncocoa\r\nmilk\r\n',
  ]);
  expect(once('tea\r\ncoffee\r\nmilk\r\n', 'coffee', 'coffee\ncocoa')).toEqual([
    'exact',
    'tea\r\ncoffee\r\ncocoa\r\nmilk\r\n',
  ]);
  expect(once('tea\ncoffee\nmilk\n', 'tea\r\ncoffee', 'tea\r\ncocoa\r\nrum')).toEqual([
    'line-endings',
    'tea\ncocoa\nrum\nmilk\n',
  ]);
  expect(once('a\r\nb\nc\n', 'c', 'd')).toEqual(['exact', 'a\r\nb\nd\n']);
  expect(once('a\r\nb\nc\n', 'a\nb\nc', 'a\nb\nd')).toEqual(['line-endings', 'a\r\nb\nd\n']);
  expect(once('a\r\nb\r\n', 'a\r\nb', 'a\nb')).toEqual(['exact', 'a\nb\r\n']);
  expect(once('a\r\nb\r\nc', 'b\n', '')).toEqual(['line-endings', 'a\r\nc']);
});

it('inserts dollars and backslashes as they are (case P02, security J9)', () => {
  const by = "$$ $& $1 $' $` \\n \\";
  expect(once('pid=NONE\n', 'NONE', by)).toEqual(['exact', `pid=${by}\n`]);
  expect(replaceText('NONE NONE', 'NONE', by, true)).toEqual({
    ok: true,
    text: `${by} ${by}`,
    level: 'exact',
    lines: [1, 1],
  });
});

it('changes nothing outside a tolerant match, and inside it only lines that change (case P03)', () => {
  const text = 'keep   \nprice – “5”\nold text  \nend\n';
  expect(once(text, 'old text\nend', 'new text\nend')).toEqual([
    'trailing-blanks',
    'keep   \nprice – “5”\nnew text\nend\n',
  ]);
  expect(once('keep   \na  \nb\t\n', 'a\nb\n', 'a\nc\n')).toEqual(['trailing-blanks', 'keep   \na  \nc\n']);
});

it('indents like the file when the indentation was misquoted', () => {
  const text = 'def f():\n\tif x:\n\t\treturn 1\n\treturn 2\n';
  expect(once(text, 'if x:\n    return 1\n', 'if x:\n    y = 3\n    return y\n')).toEqual([
    'indentation',
    'def f():\n\tif x:\n\t\ty = 3\n\t\treturn y\n\treturn 2\n',
  ]);
  expect(once('  a\n    b\n', 'a\nb', 'a\nc')).toMatchObject({ ok: false, reason: 'missing' });
});

it('counts matches that are not unique, at the level where they are', () => {
  expect(once('a\nb\na\n', 'a', 'c')).toEqual({ ok: false, reason: 'ambiguous', level: 'exact', lines: [1, 3] });
  expect(once('a \nb\na\t\nb\n', 'a\nb', 'c')).toEqual({
    ok: false,
    reason: 'ambiguous',
    level: 'trailing-blanks',
    lines: [1, 3],
  });
  expect(replaceText('a \r\nb\r\na\t\r\nb\r\n', 'a\nb', 'c\nb', true)).toMatchObject({
    ok: true,
    text: 'c\r\nb\r\nc\r\nb\r\n',
  });
});

it('says where something like it is when it is missing', () => {
  expect(once('one\n  two\n', 'two\nthree', 'x')).toEqual({ ok: false, reason: 'missing', near: 2 });
  expect(once('one\n', 'nine', 'x')).toEqual({ ok: false, reason: 'missing' });
  expect(once('one\n\n', ' \n ', 'x')).toMatchObject({ ok: false, reason: 'missing' });
});

it('handles a large file quickly', () => {
  const text = Array.from({ length: 100_000 }, (_, line) => `  line ${line} \r\n`).join('');
  const before = process.cpuUsage();
  expect(once(text, 'line 99990\nline 99991', 'x')).toEqual([
    'indentation',
    expect.stringContaining('line 99989 \r\n  x\r\n  line 99992'),
  ]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1500);
});
