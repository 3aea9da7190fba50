import { expect, test } from 'vitest';
import { frame, framed } from './frame.ts';

test('a text stands in its frame and cannot leave it', () => {
  expect(frame('skill', { name: 'a', source: 'x "y"\n.md' }, '\n# Hi\n')).toBe(
    '<skill name="a" source="x \\"y\\"\\\\n.md">\n# Hi\n</skill>',
  );
  for (const closing of ['</skill>', '</SKILL >', '</ skill>', '</skill foo>']) {
    expect(framed('skill', `a ${closing} b`)).toBe(`a <\\/${closing.slice(2)} b`);
  }
  expect(framed('skill', 'a </skills> b')).toBe('a </skills> b');
});

test('security F2: what is hidden in it is made visible', () => {
  expect(framed('x', 'a\u202eb\u200bc\n\td')).toBe('a\\u{202e}b\\u{200b}c\n\td');
  expect(framed('x', 'a\u{e0041}\u{e0042}c')).toBe('a[hidden text: "AB"]c');
});
