import { chmod, mkdtemp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createTrustStore, type TrustStore } from './trust.ts';

let home: string;
let file: string;
let store: TrustStore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rein-trust-'));
  file = join(home, 'trust.json');
  store = createTrustStore(home, (path, text) => writeFile(path, text, { mode: 0o600 }));
});

test('a folder is untrusted until the user says so, and again when they take it back', async () => {
  expect(await store.isTrusted('/a/b')).toBe(false);
  await expect(stat(file)).rejects.toThrow('ENOENT');
  await store.trust('/a/b');
  await store.trust('/c');
  expect(await Promise.all(['/a/b', '/c', '/d'].map(store.isTrusted))).toEqual([true, true, false]);
  await store.untrust('/a/b');
  expect(await Promise.all(['/a/b', '/c'].map(store.isTrusted))).toEqual([false, true]);
});

test('security C11: trust is not inherited, upwards or downwards', async () => {
  await store.trust('/a/b');
  expect(await Promise.all(['/a', '/a/bc', '/a/b/vendor/x', '/a/b/', '/a/B'].map(store.isTrusted))).toEqual(
    Array(5).fill(false),
  );
});

test('security C10: a store that cannot be relied on trusts nothing and is not overwritten', async () => {
  const good = '{"folders":["/a"]}';
  const damages: (() => Promise<void>)[] = [
    () => writeFile(file, '{"folders":["/a"'),
    () => writeFile(file, '["/a"]'),
    () => writeFile(file, '{"folders":"/a"}'),
    () => writeFile(file, Buffer.concat([Buffer.from(good), Buffer.from([0xff])])),
    async () => {
      await writeFile(file, good);
      await chmod(file, 0o666);
    },
  ];
  for (const damage of damages) {
    await damage();
    const before = await readFile(file);
    expect(await store.isTrusted('/a')).toBe(false);
    await expect(store.trust('/b')).rejects.toMatchObject({ code: 'E_CONFIG_INVALID', params: { file } });
    expect(await readFile(file)).toEqual(before);
  }
});

test('security C10: nor does one that is a link', async () => {
  await writeFile(join(home, 'elsewhere.json'), '{"folders":["/a"]}', { mode: 0o600 });
  await symlink('elsewhere.json', file);
  expect(await store.isTrusted('/a')).toBe(false);
  await expect(store.trust('/b')).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
});
