import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempHome } from '../../testing/temp-home.ts';
import { KeptFiles } from './_kept-files.ts';

test('long lines are broken between characters, all else stays as it is', async () => {
  await using place = await createTempHome();
  const kept = async (text: string) =>
    readFile((await new KeptFiles(place.home).keep('s', 'call', text))!, 'utf8').then((found) => found.split('\n'));
  expect(await kept('a\r\n\nb\n')).toEqual(['a\r', '', 'b', '']);
  expect((await kept('x'.repeat(500))).map((line) => line.length)).toEqual([500]);
  expect((await kept('x'.repeat(1001))).map((line) => line.length)).toEqual([500, 500, 1]);
  const torn = await kept(`${'x'.repeat(499)}${'\u{1f600}'.repeat(600)}`);
  expect(torn.map((line) => [...line].length)).toEqual([500, 500, 99]);
  expect(torn.every((line) => line.isWellFormed())).toBe(true);
});

test('breaking lines costs the length of the text, not that of its lines too', async () => {
  await using place = await createTempHome();
  const text = `${'x'.repeat(490)}\n`.repeat(8000);
  const began = process.cpuUsage();
  await new KeptFiles(place.home).keep('s', 'call', text);
  const { user } = process.cpuUsage(began);
  expect(user / 1000).toBeLessThan(1000);
});

test('one that cannot be written is none', async () => {
  await using place = await createTempHome({ file: '' });
  expect(await new KeptFiles(join(place.workspace, 'file')).keep('s', 'call', 'text')).toBeUndefined();
});
