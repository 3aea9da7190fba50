import { expect, test } from 'vitest';
import { parseRule, toolAliases } from './rule.ts';

test('a tool, with and without a pattern', () => {
  expect(parseRule('bash')).toEqual({ tool: 'bash', text: 'bash' });
  expect(parseRule(' bash(git log *) ')).toEqual({ tool: 'bash', pattern: 'git log *', text: ' bash(git log *) ' });
  expect(parseRule('bash(echo (a) b)')).toMatchObject({ pattern: 'echo (a) b' });
  expect(parseRule('bash(a\nb)')).toMatchObject({ pattern: 'a\nb' });
});

test('names known from elsewhere mean our tools', () => {
  expect(Object.keys(toolAliases).map((name) => parseRule(name)?.tool)).toEqual([
    'bash',
    'read_file',
    'edit_file',
    'write_file',
    'glob',
    'grep',
    'web_fetch',
    'task',
  ]);
  expect(parseRule('Edit(src/**)')).toMatchObject({ tool: 'edit_file', pattern: 'src/**' });
});

test('tools of MCP servers, one or all', () => {
  expect(['mcp__github__search', 'mcp__github__*', 'mcp__*'].map((text) => parseRule(text)?.tool)).toEqual([
    'mcp__github__search',
    'mcp__github__*',
    'mcp__*',
  ]);
});

test('security P7: what is no rule is refused', () => {
  const wrong = [
    '',
    '(x)',
    'bash(',
    'bash(x',
    'bash)',
    'bash()',
    'bash( )',
    'bash (x)',
    'ba sh',
    '*',
    'bash*',
    '1x',
    'bash(x) y',
  ];
  expect(wrong.filter((text) => parseRule(text) !== undefined)).toEqual([]);
});
