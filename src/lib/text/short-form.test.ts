import { describe, expect, it } from 'vitest';
import { countGaps, shortForm } from './short-form.ts';

const mark = ({ lines, characters }: { lines: number; characters: number }) =>
  `<${lines} lines, ${characters} characters>`;
const name = { blanks: (count: number) => `<${count} blanks>`, lines: (count: number) => `<${count} empty lines>` };

describe('security I2: the short form', () => {
  it('leaves short text alone', () => {
    for (const text of ['', 'a', 'a\nb\nc\nd\ne', 'x'.repeat(120)]) {
      expect(shortForm(text, mark)).toEqual({ text, lines: 0, characters: 0 });
    }
  });
  it('shows the last line and the last characters, and counts what is between', () => {
    const many = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
    const { text, lines } = shortForm(`${many}\nrm -rf /`, mark);
    expect(text.split('\n')).toEqual([
      'line 0',
      'line 1',
      'line 2',
      expect.stringMatching(/^<197 lines, \d+ characters>$/),
      'rm -rf /',
    ]);
    expect(lines).toBe(197);
    const long = shortForm(`echo ${'a'.repeat(5000)}; rm -rf /`, mark);
    expect([long.text.startsWith('echo aaa'), long.text.endsWith('; rm -rf /'), long.characters]).toEqual([
      true,
      true,
      4895,
    ]);
  });
  it('tears no character apart', () => {
    expect(shortForm('😀'.repeat(500), mark).text.isWellFormed()).toBe(true);
  });
});

it('security I3: gaps are counted, indentation stays', () => {
  expect(countGaps(`ls${' '.repeat(300)}; rm x`, name)).toBe('ls<300 blanks>; rm x');
  expect(countGaps(`ls${'\t'.repeat(9)}; rm x`, name)).toBe('ls<9 blanks>; rm x');
  expect(countGaps(`ls${'\n'.repeat(50)}rm x`, name)).toBe('ls\n<49 empty lines>\nrm x');
  expect(countGaps(`ls\n${' '.repeat(100)}rm x`, name)).toBe('ls\n<100 blanks>rm x');
  expect(countGaps('if x:\n        y\n\nz', name)).toBe('if x:\n        y\n\nz');
});
