import { describe, expect, it } from 'vitest';
import { parseFrontMatter } from './front-matter.ts';

const fields = (...lines: string[]) => parseFrontMatter(['---', ...lines, '---', 'Body.'].join('\n')).fields;

describe('the head of a Markdown file', () => {
  it('case P27: takes colons, brackets and dashes in plain values, and folded lines', () => {
    expect(fields('name: tidy', 'description: Use when sorting: lists, tables')).toEqual({
      name: 'tidy',
      description: 'Use when sorting: lists, tables',
    });
    expect(fields('argument-hint: [name] - optional')).toEqual({ 'argument-hint': '[name] - optional' });
    expect(fields('description: >-', '  one', '  two', 'name: x')).toEqual({ description: 'one two', name: 'x' });
    expect(fields('description: |', '  one', '  two')).toEqual({ description: 'one\ntwo' });
  });

  it.each([
    ["tools: [ls, \"read file\", 'it''s']", ['ls', 'read file', "it's"]],
    ['tools: ls, grep', 'ls, grep'],
    ['tools: "a: b # c"', 'a: b # c'],
    ['tools: a # a comment', 'a'],
    ['tools:', ''],
    ['tools: []', []],
  ])('%s', (line, value) => {
    expect(fields(line)).toEqual({ tools: value });
  });

  it('reads lists over several lines', () => {
    expect(fields('tools:', '  - ls', '  # not now', '  - grep', 'name: x')).toEqual({
      tools: ['ls', 'grep'],
      name: 'x',
    });
  });

  it('is all body without a head, whatever the line ends and a byte order mark', () => {
    expect(parseFrontMatter('Just text.\n')).toEqual({ fields: {}, body: 'Just text.', problems: [] });
    expect(parseFrontMatter('\uFEFF---\r\nname: x\r\n---\r\nBody.\r\n')).toEqual({
      fields: { name: 'x' },
      body: 'Body.',
      problems: [],
    });
  });

  it('names the line of what cannot be read, and goes on', () => {
    expect(parseFrontMatter('---\nname: x\n}{\ntools: ls\n---\nBody.')).toEqual({
      fields: { name: 'x', tools: 'ls' },
      body: 'Body.',
      problems: [{ line: 3, kind: 'no-key', value: '}{' }],
    });
    expect(parseFrontMatter('---\nname: x\nBody.').problems).toEqual([{ line: 1, kind: 'unclosed' }]);
  });
});
