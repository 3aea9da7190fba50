import { existsSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTempHome } from './temp-home.ts';

test('a home and a workspace, removed together', async () => {
  const temp = await createTempHome({ 'src/a.txt': 'A' });
  await temp.write({ 'b.txt': Buffer.from('B') });
  expect([await temp.read('src/a.txt'), await temp.read('b.txt')]).toEqual(['A', 'B']);
  expect(statSync(temp.home).mode & 0o777).toBe(0o700);
  await temp.remove();
  expect([existsSync(temp.home), existsSync(temp.workspace)]).toEqual([false, false]);
});
