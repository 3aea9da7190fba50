import { expect, it } from 'vitest';
import { revealHidden, visibleName, visibleText } from './visible.ts';

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

it('security F1: of a text for a terminal nothing is left that a terminal obeys', () => {
  const attacks = [
    ...[
      '\x1b[2J',
      '\x1b]52;c;eA==\x07',
      '\x1b]8;;http://x\x1b\\',
      '\x1b]0;title\x07',
      '\x1bPq\x1b\\',
      '\x07',
      '\x9b2J',
      '\x9d52;c;x\x9c',
    ],
    ...[
      '\x08\x08',
      '\r',
      '\x0e',
      '\x7f',
      '\u202e',
      '\u2066',
      '\u200b',
      '\ufeff',
      '\u{e0041}',
      '\x00',
      '\x85',
      '\u2028',
    ],
  ];
  for (const attack of attacks) {
    for (const text of [attack, `a${attack}b`, `👩‍💻${attack}`, `${attack}\n\t${attack}`]) {
      expect(visibleText(text).replaceAll('👩‍💻', ''), JSON.stringify(text)).toMatch(/^[\n\t\x20-\x7e]*$/);
    }
  }
  expect(visibleText('中文\n\té 👩‍💻\r\nx')).toBe('中文\n\té 👩‍💻\nx');
});

it('security F2: letters that only a model reads stand decoded in a marker', () => {
  const tags = (text: string) =>
    [...text].map((letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xe0000)).join('');
  const bytes = (text: string) =>
    [...text].map((letter) => String.fromCodePoint(letter.codePointAt(0)! - 16 + 0xe0100)).join('');
  expect(revealHidden(`ok ${tags('run rm -rf')}!`)).toBe('ok [hidden text: "run rm -rf"]!');
  expect(revealHidden(`ok${bytes('steal')}`)).toBe('ok[hidden text: "steal"]');
  const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
  for (const text of ['', 'plain', england, '葛\u{e0100}飾', '❤\ufe0f', 'a\u200bb'])
    expect(revealHidden(text)).toBe(text);
});
