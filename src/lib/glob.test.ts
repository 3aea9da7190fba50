import { expect, it } from 'vitest';
import { createGlob } from './glob.ts';

it.each([
  ['*.ts', ['a.ts', '.ts', './a.ts'], ['a.tsx', 'b/a.ts']],
  ['**/*.ts', ['a.ts', 'b/a.ts', 'b/c/a.ts'], ['a.js', 'a.ts/b']],
  ['src/**', ['src/a', 'src/a/b', 'src'], ['srcs/a', 'a/src/b']],
  ['src/**/test/*.js', ['src/test/a.js', 'src/x/y/test/a.js'], ['src/test/x/a.js', 'test/a.js']],
  ['**/a/**/b/**/c', ['a/b/c', 'x/a/y/b/z/c', 'a/a/b/b/c'], ['b/a/c', 'a/b']],
  ['{src,lib}/*.{ts,js}', ['src/a.ts', 'lib/b.js'], ['src/a.css', 'x/a.ts']],
  ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['b', 'd']],
  ['{a}', ['{a}'], ['a']],
  ['[a-c]?.md', ['ax.md', 'b1.md'], ['d1.md', 'a.md']],
  ['[!a-c]*', ['dog', '[x'], ['ant']],
  ['[]x', ['[]x'], ['x']],
  ['\\*', ['*'], ['a']],
  ['中*', ['中文', '中'], ['文']],
  ['?', ['a', '👍'], ['ab', '']],
  ['', [''], ['a']],
])('%s matches what it should', (pattern, yes, no) => {
  const matches = createGlob(pattern);
  expect(yes.filter((path) => !matches(path))).toEqual([]);
  expect(no.filter(matches)).toEqual([]);
});

it('is fast for patterns that make regular expressions explode (security L5)', () => {
  const before = process.cpuUsage();
  expect(createGlob(`${'*a'.repeat(50)}b`)('a'.repeat(5000))).toBe(false);
  expect(createGlob(`${'**/a/'.repeat(50)}b`)('a/'.repeat(2000))).toBe(false);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});

it('refuses braces that spell out too much', () => {
  expect(() => createGlob('{a,b}'.repeat(20))).toThrow(RangeError);
});
