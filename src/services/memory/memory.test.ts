import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readMemory } from './memory.ts';

it('reads a file without its comments, and nothing from what is no regular file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-memory-'));
  const [file, pipe] = ['MEMORY.md', 'pipe'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(file, '<!-- for people -->\nTea.\n');
  execFileSync('mkfifo', [pipe]);
  const paths = [file, pipe, '/dev/zero', folder, join(folder, 'none'), join(file, 'below')];
  expect(await Promise.all(paths.map(readMemory))).toEqual(
    paths.map((path) => ({ path, text: path === file ? 'Tea.' : '' })),
  );
});
