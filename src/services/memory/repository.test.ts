import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempHome } from '../../testing/temp-home.ts';
import { repositoryMemoryFile, saveRepositoryMemory } from './repository.ts';

test('a name that another folder owns gets a hash; strange names stay below the folder', async () => {
  await using folders = await createTempHome({ 'a/app/x': '', 'b/app/x': '', 'it is\n"odd"/x': '' });
  const at = (path: string) => join(folders.workspace, path);
  const first = await saveRepositoryMemory(folders.home, at('a/app'), 'One.');
  const second = await saveRepositoryMemory(folders.home, at('b/app'), 'Two.');
  expect([basename(first), basename(second)]).toEqual(['app.md', expect.stringMatching(/^app-[0-9a-f]{6}\.md$/)]);
  expect(await saveRepositoryMemory(folders.home, at('a/app'), 'Three.')).toBe(first);
  expect(await readFile(first, 'utf8')).toBe(`<!-- path: "${at('a/app')}" -->\n\nThree.\n`);
  const odd = await saveRepositoryMemory(folders.home, at('it is\n"odd"'), 'Four.');
  expect([dirname(odd), basename(odd)]).toEqual([join(folders.home, 'memory/repos'), 'it-is-odd-.md']);
  expect(repositoryMemoryFile(folders.home, at('it is\n"odd"'))).toBe(odd);
});

test('a file without an owner is not overwritten', async () => {
  await using folders = await createTempHome({ 'app/x': '' });
  const taken = join(folders.home, 'memory/repos/app.md');
  await mkdir(dirname(taken), { recursive: true });
  for (const text of ['my own notes\n', '<!-- path: "broken\\" -->\n', '']) {
    await writeFile(taken, text);
    expect(await saveRepositoryMemory(folders.home, join(folders.workspace, 'app'), 'Report.')).not.toBe(taken);
    expect(await readFile(taken, 'utf8')).toBe(text);
  }
});
