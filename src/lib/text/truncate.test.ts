import { expect, it } from 'vitest';
import { keepEnd, keepEnds, keepStart, shorten } from './truncate.ts';

const family = '👨‍👩‍👧‍👦';
const flag = '🇩🇪';
const accent = 'e\u0301';
const samples = [
  'plain words',
  '中文字符也在这里',
  `a${family}b${family}`,
  flag.repeat(4),
  accent.repeat(9),
  '\ud800 lone \udc00',
  '',
];

it('leaves a text that fits as it is', () => {
  for (const text of samples) {
    const size = Buffer.byteLength(text);
    expect(keepStart(text, size)).toEqual({ text, dropped: 0 });
    expect(keepEnd(text, size)).toEqual({ text, dropped: 0 });
    expect(keepEnds(text, size, () => '!')).toBe(text);
    expect(shorten(text, size)).toBe(text);
  }
});

it('cuts at every size only between characters, from both sides, and counts what it drops', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const text of samples) {
    const borders = new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length));
    const size = Buffer.byteLength(text);
    for (let max = 0; max < size; max++) {
      const start = keepStart(text, max);
      const end = keepEnd(text, max);
      expect(text.startsWith(start.text) && borders.has(start.text.length)).toBe(true);
      expect(text.endsWith(end.text) && borders.has(text.length - end.text.length)).toBe(true);
      for (const { text: kept, dropped } of [start, end]) {
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(max);
        expect(Buffer.byteLength(kept) + dropped).toBe(size);
      }
    }
  }
});

it('keeps both ends and says what lies between', () => {
  expect(keepEnds('0123456789', 4, (dropped) => `[${dropped}]`)).toBe('01[6]89');
  expect(shorten('abcdefgh', 6)).toBe('abc…');
});

it('cuts a million characters without walking over all of them twice', () => {
  const text = 'é'.repeat(1_000_000);
  const before = process.cpuUsage();
  expect(keepStart(text, 1001).text).toBe('é'.repeat(500));
  expect(keepEnd(text, 1001).text).toBe('é'.repeat(500));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
});
