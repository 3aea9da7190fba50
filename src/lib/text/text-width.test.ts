import { expect, it } from 'vitest';
import { textWidth } from './text-width.ts';

it.each([
  ['', 0],
  ['plain', 5],
  ['naïve', 5],
  ['e\u0301', 1],
  ['中文', 4],
  ['한글', 4],
  ['カナ', 4],
  ['ｶﾅ', 2],
  ['Ｗ', 2],
  ['，。', 4],
  ['👍', 2],
  ['👍🏽', 2],
  ['👨‍👩‍👧‍👦', 2],
  ['🇩🇪', 2],
  ['❤\uFE0F', 2],
  ['❤', 1],
  ['a\u200bb', 2],
  ['\u{20000}', 2],
])('measures %j as %i cells', (text, width) => {
  expect(textWidth(text)).toBe(width);
});
