import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { hashOf, type TrustItem } from './items.ts';
import { createTrustStore, type TrustStore } from './store.ts';

let root: string;
let home: string;
let file: string;
let store: TrustStore;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'rein-trust-')));
  home = join(root, 'home');
  file = join(home, 'trust.json');
  for (const path of ['home', 'a/b/vendor/x', 'a/bc', 'c']) await mkdir(join(root, path), { recursive: true });
  store = createTrustStore(home, {
    locked: (_, work) => work(),
    write: async (path, text) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { mode: 0o600 });
    },
  });
});

const at = (path: string) => join(root, path);
const item = (id: string, text: string): TrustItem => ({ id, kind: 'code', text, hash: hashOf(text) });
const trusted = async (...paths: string[]) => {
  const found = await Promise.all(paths.map((path) => store.read(at(path))));
  return found.map((one) => one !== undefined);
};

test('a folder is untrusted until the user says so, and again when they take it back', async () => {
  expect(await trusted('a/b')).toEqual([false]);
  await expect(stat(file)).rejects.toThrow('ENOENT');
  await store.trust(at('a/b'), [item('x', 'one')]);
  await store.trust(at('c'), []);
  expect(await trusted('a/b', 'c', 'a/bc')).toEqual([true, true, false]);
  expect((await store.read(at('a/b')))?.items).toEqual({ x: hashOf('one') });
  expect(await store.textOf(hashOf('one'))).toBe('one');
  await store.untrust(at('a/b'));
  expect(await trusted('a/b', 'c')).toEqual([false, true]);
  expect(await readdir(join(home, 'trust'))).toEqual([]);
});

test('security C11: trust is not inherited, upwards, downwards or sideways', async () => {
  await store.trust(at('a/b'), []);
  expect(await trusted('a', 'a/bc', 'a/b/vendor/x', 'a/b/vendor')).toEqual(Array(4).fill(false));
});

test('another folder in the place of a trusted one is another one', async () => {
  await store.trust(at('a/b'), []);
  await rename(at('a/b'), at('moved'));
  await mkdir(at('a/b'));
  expect(await trusted('a/b', 'moved')).toEqual([false, false]);
  await rm(at('a/b'), { recursive: true });
  expect(await trusted('a/b')).toEqual([false]);
});

test('security C10: a store that cannot be relied on trusts nothing and is not overwritten', async () => {
  await store.trust(at('a'), []);
  const good = await readFile(file);
  const damages: (() => Promise<void>)[] = [
    () => writeFile(file, good.subarray(0, -10)),
    () => writeFile(file, '["/a"]'),
    () => writeFile(file, '{"folders":["/a"]}'),
    () => writeFile(file, '{"folders":{"/a":true}}'),
    () => writeFile(file, '{"folders":{"/a":{"identity":"","items":{}}}}'),
    () => writeFile(file, Buffer.concat([good, Buffer.from([0xff])])),
    async () => {
      await writeFile(file, good);
      await chmod(file, 0o666);
    },
  ];
  for (const damage of damages) {
    await damage();
    const before = await readFile(file);
    expect(await trusted('a')).toEqual([false]);
    await expect(store.trust(at('c'), [])).rejects.toMatchObject({ code: 'E_CONFIG_INVALID', params: { file } });
    expect(await readFile(file)).toEqual(before);
  }
});

test('security C10: nor does one that is a link', async () => {
  await store.trust(at('a'), []);
  await rename(file, join(home, 'elsewhere.json'));
  await symlink('elsewhere.json', file);
  expect(await trusted('a')).toEqual([false]);
  await expect(store.trust(at('c'), [])).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
});

test('security C10: nor does a pipe, which nobody waits for', async () => {
  execFileSync('mkfifo', ['-m', '600', file]);
  expect(await trusted('a')).toEqual([false]);
  await expect(store.trust(at('a'), [])).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
});
