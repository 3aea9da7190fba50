import { expect, it } from 'vitest';
import { visibleName } from './visible.ts';

it.each([
  ['plain – “name” 中文 é', 'plain – “name” 中文 é'],
  ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
  ['\x1b[31m', '\\u{1b}[31m'],
  ['txt.\u202eexe', 'txt.\\u{202e}exe'],
  ['a\u200bb', 'a\\u{200b}b'],
  ['\u{e0041}', '\\u{e0041}'],
  ['\ud800', '\\u{d800}'],
  ['\u2028', '\\u{2028}'],
])('shows %j as %j', (name, shown) => {
  expect(visibleName(name)).toBe(shown);
});
