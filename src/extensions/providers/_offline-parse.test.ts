import { expect, test } from 'vitest';
import { isPartial, parseCounts, parseListing, parseMatches, parsePaths, parseRead } from './_offline-parse.ts';

test('a listing: kinds, sizes, links and the heading', () => {
  const text =
    '.:\n.github/\nREADME.md  17 bytes\nbig.bin  1.5 MB\nlink -> src/a.ts\npipe  (no regular file)\n[3 more of 8 entries; use glob to narrow]';
  expect(parseListing(text)).toEqual([
    { name: '.github', folder: true },
    { name: 'README.md', folder: false },
    { name: 'big.bin', folder: false },
    { name: 'link', folder: false },
    { name: 'pipe', folder: false },
  ]);
  expect(parseListing('src is an empty folder.')).toEqual([]);
});

test('paths, without notes', () => {
  expect(
    parsePaths('a/b.ts\n./c d.md\n[stopped at 500 files, there are more; narrow the pattern or the path]'),
  ).toEqual(['a/b.ts', 'c d.md']);
  expect(parsePaths('No files match **/*.x in ..')).toEqual([]);
});

test('counts and matches, also with colons in the text', () => {
  expect([...parseCounts('a.ts:3\nb c.ts:12\n[2 more files; narrow the pattern, the path or include]')]).toEqual([
    ['a.ts', 3],
    ['b c.ts', 12],
  ]);
  expect(parseMatches('a.ts:3:  x: 1:2\nNo matches.')).toEqual([{ path: 'a.ts', line: 3, text: '  x: 1:2' }]);
});

test('numbered lines with the total', () => {
  expect(parseRead('7\tone\n8\t\n9\t10\tten\r\n[lines 7-9 of 40; go on with offset 10]')).toEqual({
    lines: ['one', '', '10\tten'],
    first: 7,
    total: 40,
  });
  expect(parseRead('a.ts is empty (0 lines).')).toEqual({ lines: [], first: 0, total: 0 });
});

test('partial only by a note of its own at the end', () => {
  expect(isPartial('a.ts:1:x\n[stopped at 250 matching lines, there are more; narrow the pattern]')).toBe(true);
  expect(isPartial('a.ts:1: if (more files) stopped')).toBe(false);
});
