import { expect, test } from 'vitest';
import { foldLines, unfoldLines, withoutJoin } from './several-lines.ts';

const read = (...pieces: string[]) => {
  const fold = foldLines();
  return pieces.map((piece) => fold(piece));
};
const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`;

test.each([
  ['typed', 'a\rb\n', 'a\rb\n'],
  ['typed with Alt', 'a\x1b\rb\x1b\nc\r', 'a␤b␤c\r'],
  ['the keys that move', '\x1b[D\x1b[1;5C\x1bb', '\x1b[D\x1b[1;5C\x1bb'],
  ['pasted', `${pasted('a\rb\r\nc\nd')}\r`, 'a␤b␤c␤d\r'],
  ['pasted twice', `${pasted('a\r')}x${pasted('\rb')}`, 'a␤x␤b'],
  ['pasted keys that would act', pasted('a\x03\x04\x1b[31mb\tc\x7f'), 'a[31mb\tc'],
  ['pasted nothing', pasted(''), ''],
  ['an end without a beginning', 'a\x1b[201~b', 'a\x1b[201~b'],
])('%s', (_, keys, folded) => {
  expect(read(keys).join('')).toBe(folded);
  // However it comes in pieces.
  expect(read(...keys).join('')).toBe(folded);
});

test('what is sent has its line ends again, and a line end of its own is not in the text', () => {
  expect(unfoldLines('a␤b␤')).toBe('a\nb\n');
  expect([withoutJoin('a\\'), withoutJoin('a'), withoutJoin('\\')]).toEqual(['a', undefined, '']);
});
