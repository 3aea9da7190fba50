import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareHome } from './home.ts';

test('a home is made with what is above it, for its owner alone; again is no error', async () => {
  const home = join(await mkdtemp(join(tmpdir(), 'rein-home-')), 'a', 'b');
  prepareHome(home);
  prepareHome(home);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
});

test('a place where no folder can be made is an error at once', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'rein-home-')), 'file');
  await writeFile(file, '');
  for (const home of ['/proc', '/proc/nope/h', '/dev/null', file, join(file, 'h'), `/${'x'.repeat(5000)}`]) {
    expect(() => prepareHome(home), home).toThrow(expect.objectContaining({ code: 'E_HOME_UNUSABLE' }));
  }
});
