import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTempWorkspace, secretText } from '../../testing/temp-workspace.ts';
import { openByDescriptor, openByName } from './folder.ts';
import { createWorkspace } from './workspace.ts';

const limits = { lines: 100, bytes: 4096 };
const text = async (bytes: Promise<Uint8Array>) => Buffer.from(await bytes).toString();
const collect = (items: AsyncIterable<string>) => Array.fromAsync(items);
const { signal } = new AbortController();

describe.each([
  ['by descriptor', openByDescriptor],
  ['by name', openByName],
])('walking %s', (_, openFolder) => {
  it('follows links that stay inside and refuses those that lead out, naming where (security A1, A2)', async () => {
    await using host = createTempWorkspace({ 'a/b/f': 'inside' }, { openFolder });
    const { workspace } = host;
    symlinkSync('b', host.path('a/l'));
    symlinkSync(host.path('a'), host.path('abs'));
    symlinkSync('../../proj-evil', host.path('a/out'));
    symlinkSync('loop', host.path('loop'));
    expect(await text(workspace.readBytes('abs/l/f', 0, 99))).toBe('inside');
    expect(workspace.resolve('abs/l/new')).toBe(host.path('a/b/new'));
    expect(workspace.relative('abs/l/f')).toBe('a/b/f');
    const refused = { code: 'E_PATH_OUTSIDE', params: { resolved: join(host.outside, 'secret.txt') } };
    for (const path of ['a/out/secret.txt', 'abs/out/secret.txt']) {
      await expect(workspace.readBytes(path, 0, 99)).rejects.toMatchObject(refused);
      await expect(workspace.write(path, Buffer.from('x'))).rejects.toMatchObject(refused);
      await expect(workspace.search({ pattern: 'do', path, maxMatches: 9, signal })).rejects.toMatchObject(refused);
    }
    await expect(workspace.list('a/out')).rejects.toMatchObject({ code: 'E_PATH_OUTSIDE' });
    await expect(workspace.readBytes('loop', 0, 1)).rejects.toMatchObject({
      code: 'E_FILE',
      params: { errno: 'ELOOP' },
    });
    expect(await collect(workspace.walk('.', signal))).toEqual(['a/b/f']);
    expect(readFileSync(join(host.outside, 'secret.txt'), 'utf8')).toBe(secretText);
  });

  it('says what the system says (security J8)', async () => {
    await using host = createTempWorkspace({ file: 'x', 'dir/inner': 'y' }, { openFolder });
    const { workspace } = host;
    const errno = (path: string) => workspace.readBytes(path, 0, 1).then(String, (error) => error.params.errno);
    expect(await errno('missing')).toBe('ENOENT');
    expect(await errno('missing/x')).toBe('ENOENT');
    expect(await errno('file/x')).toBe('ENOTDIR');
    expect(await errno('dir')).toBe('EISDIR');
    expect(await errno('.')).toBe('EISDIR');
    expect(await errno('n'.repeat(300))).toBe('ENAMETOOLONG');
    expect(await errno('a\0b')).toBe('EINVAL');
    await expect(workspace.write('dir', Buffer.from('x'))).rejects.toMatchObject({
      code: 'E_FILE',
      params: { errno: 'EISDIR' },
    });
    await expect(workspace.write('file/x', Buffer.from('x'))).rejects.toMatchObject({
      code: 'E_FILE',
      params: { errno: 'ENOTDIR' },
    });
  });

  it('refuses pipes, sockets and devices at once (security J7)', async () => {
    await using host = createTempWorkspace({}, { openFolder });
    await host.commands.run({ command: 'mkfifo pipe', signal });
    for (const use of ['readBytes', 'write'] as const) {
      const attempt =
        use === 'write' ? host.workspace.write('pipe', Buffer.from('x')) : host.workspace.readBytes('pipe', 0, 1);
      await expect(attempt).rejects.toMatchObject({
        code: 'E_FILE',
        params: { detail: 'is a named pipe, not a regular file' },
      });
    }
    await expect(host.workspace.search({ pattern: 'x', path: 'pipe', maxMatches: 1, signal })).rejects.toMatchObject({
      code: 'E_FILE',
    });
    const whole = createWorkspace('/', { limits, openFolder });
    for (const path of ['/dev/zero', '/proc/self/status', '/proc/kmsg']) {
      if (existsSync(path)) await expect(whole.readBytes(path, 0, 1)).rejects.toMatchObject({ code: 'E_FILE' });
    }
  });

  it('writes atomically: folders made, mode kept, hard links broken (security A6)', async () => {
    await using host = createTempWorkspace({ script: 'old' }, { openFolder });
    chmodSync(host.path('script'), 0o751);
    linkSync(host.path('script'), join(host.outside, 'hard'));
    await host.workspace.write('script', Buffer.from('new'));
    await host.workspace.write('x/y/z', Buffer.from('deep'), 'absent');
    expect([host.text('script'), host.text('x/y/z')]).toEqual(['new', 'deep']);
    expect(statSync(host.path('script')).mode & 0o777).toBe(0o751);
    expect(readFileSync(join(host.outside, 'hard'), 'utf8')).toBe('old');
    await expect(host.workspace.write('x/y/z', Buffer.from('again'), 'absent')).rejects.toMatchObject({
      params: { errno: 'EEXIST' },
    });
    expect(readdirSync(host.root).sort()).toEqual(['script', 'x']);
  });
});

it('never reads or writes outside in 50,000 reads and 5,000 writes while a folder is swapped for a link (security A3)', async () => {
  await using host = createTempWorkspace({ 'd/f': 'inside' });
  writeFileSync(join(host.outside, 'f'), secretText);
  symlinkSync(host.outside, host.path('l'));
  const script = `
    const { renameSync } = require('node:fs');
    process.stdout.write('ready');
    let away = 0;
    // A writer that finds no folder makes one, which is then in the way.
    const move = (from, to) => {
      while (true) try { return renameSync(from, to); } catch { renameSync(to, '../away' + away++); }
    };
    while (true) { move('d', 't'); move('l', 'd'); move('d', 'l'); move('t', 'd'); }`;
  const swapper = spawn(process.execPath, ['-e', script], { cwd: host.root, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(swapper.stdout, 'data');
  const ended = once(swapper, 'exit');
  const seen = { inside: 0, refused: 0 };
  try {
    for (let n = 0; n < 55_000; n++) {
      try {
        if (n % 11 === 0) await host.workspace.write('d/f', Buffer.from('inside'));
        const found = await text(host.workspace.readBytes('d/f', 0, 99));
        if (found !== 'inside') expect(found).toBe('inside');
        seen.inside++;
      } catch (error) {
        const { code } = error as { code: string };
        if (!/^E_(PATH_OUTSIDE|FILE)$/.test(code)) throw error;
        seen.refused++;
      }
    }
    expect(swapper.exitCode).toBeNull();
  } finally {
    swapper.kill();
  }
  await ended;
  expect(seen.inside).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(100);
  expect(readdirSync(host.outside).sort()).toEqual(['f', 'secret.txt']);
  expect(readFileSync(join(host.outside, 'f'), 'utf8')).toBe(secretText);
}, 120_000);

it('takes roots through links, and more than one (security A7)', async () => {
  await using host = createTempWorkspace({ f: 'x' });
  const alias = join(host.outside, 'alias');
  symlinkSync(host.root, alias);
  const other = join(host.journal, '..', 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'g'), 'y');
  const workspace = createWorkspace(alias, { limits, extraRoots: [other] });
  expect(workspace.root).toBe(host.root);
  expect(workspace.relative(join(alias, 'f'))).toBe('f');
  expect(workspace.relative(join(other, 'g'))).toBe(join(other, 'g').replace('/journal/..', ''));
  expect(() => workspace.resolve(join(host.outside, 'secret.txt'))).toThrow('E_PATH_OUTSIDE');
  expect(() => createWorkspace(host.path('f'), { limits })).toThrow('E_FOLDER_MISSING');
});

it('refuses to write over what was not seen or has changed (security J6, M2)', async () => {
  await using host = createTempWorkspace({ f: 'one' });
  const other = createWorkspace(host.root, { limits });
  const { workspace } = host;
  const put = (content: string, expect?: Parameters<typeof workspace.write>[2]) =>
    workspace.write('f', Buffer.from(content), expect);
  await expect(put('two', 'seen')).rejects.toMatchObject({ code: 'E_FILE_UNSEEN' });
  const { version } = await workspace.readWhole('f', 99);
  await put('two', { version });
  await put('three', 'seen');
  await expect(put('four', { version })).rejects.toMatchObject({ code: 'E_FILE_CHANGED' });
  const theirs = await other.readWhole('f', 99);
  await put('five', 'seen');
  await expect(other.write('f', Buffer.from('lost'), { version: theirs.version })).rejects.toMatchObject({
    code: 'E_FILE_CHANGED',
  });
  await other.write('f', Buffer.from('theirs'));
  await expect(put('six', 'seen')).rejects.toMatchObject({ code: 'E_FILE_CHANGED' });
  renameSync(host.path('f'), host.path('g'));
  await put('anew', 'seen');
  expect(host.text('f')).toBe('anew');
});

it('leaves old or new bytes and no temporary file when it is killed (security J5)', async () => {
  await using host = createTempWorkspace();
  const module = JSON.stringify(join(import.meta.dirname, 'workspace.ts'));
  const script = `
    const { createWorkspace } = await import(${module});
    const w = createWorkspace('.', { limits: {}, journal: ${JSON.stringify(host.journal)} });
    process.stdout.write('ready');
    for (let n = 0; ; n++) await w.write('deep/f', Buffer.alloc(200_000, n % 2 ? 'a' : 'b'));`;
  for (let round = 0; round < 8; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: host.root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const until = performance.now() + 3 + round * 7;
    while (performance.now() < until || !existsSync(host.path('deep/f'))) await new Promise(setImmediate);
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (round === 0) chmodSync(host.path('deep/f'), 0o640);
    const bytes = host.text('deep/f');
    expect(['a', 'b'].map((letter) => letter.repeat(200_000)).includes(bytes)).toBe(true);
  }
  expect(statSync(host.path('deep/f')).mode & 0o777).toBe(0o640);
  createWorkspace(host.root, { limits, journal: host.journal });
  expect(readdirSync(host.path('deep'))).toEqual(['f']);
  expect(readdirSync(host.journal).length).toBeLessThanOrEqual(1);
}, 30_000);

it('finds a file three folders deep in less than a tenth of a millisecond', async () => {
  await using host = createTempWorkspace({ 'a/b/c/f': 'x' });
  const times: number[] = [];
  for (let n = 0; n < 2000; n++) {
    const began = performance.now();
    host.workspace.resolve('a/b/c/f');
    times.push(performance.now() - began);
  }
  expect(times.sort((a, b) => a - b)[1000]).toBeLessThan(0.1);
});
