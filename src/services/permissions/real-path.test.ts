import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { realPath } from './real-path.ts';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'rein-real-path-')));
  await mkdir(join(root, 'there/deep'), { recursive: true });
  await writeFile(join(root, 'there/file'), '');
  await symlink('there', join(root, 'link'));
  await symlink('../..', join(root, 'there/deep/up'));
  await symlink(join(root, 'there/file'), join(root, 'absolute'));
  await symlink('missing/x', join(root, 'dangling'));
  await symlink('circle', join(root, 'circle'));
});

test('follows every link on the way, also where what it leads to is not there', () => {
  const paths = ['link/file', 'link/deep/up/link/new', 'absolute', 'dangling/y', 'there/file/below', 'none/a/../b'];
  expect(paths.map((path) => realPath(`${root}/${path}`))).toEqual(
    ['there/file', 'there/new', 'there/file', 'missing/x/y', 'there/file/below', 'none/b'].map((path) =>
      join(root, path),
    ),
  );
  expect(realPath('/')).toBe('/');
});

test('gives back what nobody could open as it is: links in a circle, a chain that is too long', async () => {
  expect(realPath(join(root, 'circle/x'))).toBe(join(root, 'circle/x'));
  for (let link = 0; link < 60; link++) await symlink(`${link + 1}`, join(root, `${link}`));
  await writeFile(join(root, '60'), '');
  expect(realPath(join(root, '20'))).toBe(join(root, '60'));
  expect(realPath(join(root, '19'))).toBe(join(root, '19'));
});

test('does not walk a path that is longer than any system takes', () => {
  const long = (length: number) => `${root}/link/${'a/'.repeat(length)}`.slice(0, length);
  expect(realPath(long(8193))).toBe(long(8193));
  expect(realPath(long(8191))).toBe(long(8191).replace('/link/', '/there/').replace(/\/$/, ''));
});
