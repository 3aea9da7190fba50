import { expect, it } from 'vitest';
import { callTool } from '../../testing/call-tool.ts';
import { createTempWorkspace } from '../../testing/temp-workspace.ts';
import glob from './glob.ts';
import grep from './grep.ts';

it('grep shows lines, files or counts', async () => {
  await using host = createTempWorkspace({ 'notes.txt': 'use --dry-run first\n', 'a/b.ts': 'x\nx\n', 'a/c.ts': 'x\n' });
  const run = async (input: Record<string, unknown>) => (await callTool(grep, host, input)).text;
  expect(await run({ pattern: '--dry-run' })).toBe('notes.txt:1:use --dry-run first');
  expect(await run({ pattern: '-77' })).toBe('No matches.');
  expect(await run({ pattern: 'x', output_mode: 'files' })).toBe('a/b.ts\na/c.ts');
  expect(await run({ pattern: 'X', output_mode: 'count', ignore_case: true, include: 'b.*' })).toBe('a/b.ts:2');
  expect(await run({ pattern: '(' })).toContain('The pattern cannot be used');
});

it('grep says when it stops early', async () => {
  await using host = createTempWorkspace({ many: 'x\n'.repeat(1000), wide: `${'y'.repeat(400)}\n`.repeat(240) });
  const lines = (await callTool(grep, host, { pattern: 'x' })).text.split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([251, expect.stringContaining('stopped at 250 matching lines')]);
  const { text } = await callTool(grep, host, { pattern: 'y' });
  expect(text.length).toBeLessThan(50_200);
  expect(text).toMatch(/stopped at 1\d\d matching lines, there are more/);
});

it('glob finds files that are not ignored, by path or by name', async () => {
  await using host = createTempWorkspace({
    '.gitignore': 'out\n',
    'src/a.ts': '',
    'src/b/c.ts': '',
    'out/d.ts': '',
    'e.md': '',
  });
  const run = async (input: Record<string, unknown>) => (await callTool(glob, host, input)).text;
  expect(await run({ pattern: '*.ts' })).toBe('src/a.ts\nsrc/b/c.ts');
  expect(await run({ pattern: 'src/*.{ts,md}' })).toBe('src/a.ts');
  expect(await run({ pattern: '*.ts', path: 'src/b' })).toBe('src/b/c.ts');
  expect(await run({ pattern: '*.rs' })).toBe('No files match *.rs.');
  expect(await run({ pattern: '{a,b}'.repeat(20) })).toContain('The pattern cannot be used');
});

it('glob shows the first 500 files and says that there are more', async () => {
  await using host = createTempWorkspace();
  for (let n = 0; n < 501; n++) host.put(`f${n}`, '');
  const lines = (await callTool(glob, host, { pattern: '*' })).text.split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([501, expect.stringContaining('stopped at 500 files')]);
});
