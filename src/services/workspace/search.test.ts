import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../protocol/host.ts';
import { createTempWorkspace } from '../../testing/temp-workspace.ts';
import { findRipgrep } from './find-ripgrep.ts';
import { createWorkspace } from './workspace.ts';

const { signal } = new AbortController();
const request = (pattern: string, more: Partial<SearchRequest> = {}): SearchRequest => ({
  pattern,
  maxMatches: 100,
  signal,
  ...more,
});

const programs = [
  ['ripgrep', findRipgrep()],
  ['JavaScript', undefined],
] as const;

describe.each(programs)('searching with %s', (_, ripgrep) => {
  it('finds lines in order, in text files that are not ignored', async () => {
    await using host = createTempWorkspace(
      {
        'b.txt': 'x\r\nfind me\r\n',
        'a/z.txt': 'find\nfind again',
        'a/.gitignore': '*.log\n!keep.log\nnested/\n',
        'a/skip.log': 'find',
        'a/keep.log': 'find',
        'a/nested/f': 'find',
        '.gitignore': '/build\n*.tmp\n',
        'build/f': 'find',
        'a/build/f': 'find',
        'a/q.tmp': 'find',
        '.git/config': 'find',
        '.github/f': 'find',
        binary: 'find\0find',
        'odd\nname': 'find',
      },
      { ripgrep },
    );
    const { matches, stopped } = await host.workspace.search(request('find'));
    expect(stopped).toBeUndefined();
    expect(matches.map(({ path, line, text }) => `${path}:${line}:${text}`)).toEqual([
      '.github/f:1:find',
      'a/build/f:1:find',
      'a/keep.log:1:find',
      'a/z.txt:1:find',
      'a/z.txt:2:find again',
      'b.txt:2:find me',
      'odd\\nname:1:find',
    ]);
    const inner = await host.workspace.search(request('find', { path: 'a' }));
    expect(inner.matches.map(({ path }) => path)).toEqual(['a/build/f', 'a/keep.log', 'a/z.txt', 'a/z.txt']);
    expect(await host.workspace.count({ pattern: 'find', include: 'a/*.{txt,log}', signal })).toEqual({
      files: [
        { path: 'a/keep.log', lines: 1 },
        { path: 'a/z.txt', lines: 2 },
      ],
    });
    expect((await host.workspace.search(request('FIND', { include: 'z.*', ignoreCase: true }))).matches).toHaveLength(
      2,
    );
    expect((await host.workspace.search(request('find', { path: 'a/skip.log' }))).matches).toHaveLength(1);
  });

  it('takes a pattern that begins with a dash as a pattern (case P08)', async () => {
    await using host = createTempWorkspace({ 'notes.txt': 'use --dry-run first\n' }, { ripgrep });
    for (const [pattern, hits] of [
      ['--dry-run', 1],
      ['-e', 0],
      ['->', 0],
      ['-77', 0],
      ['--pre=id', 0],
      ['--help', 0],
    ] as const) {
      expect((await host.workspace.search(request(pattern))).matches).toHaveLength(hits);
    }
  });

  it('stops at the limit with the first matches', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n + 10}`, 'x\n'.repeat(10)]));
    await using host = createTempWorkspace(files, { ripgrep });
    const { matches, stopped } = await host.workspace.search(request('x', { maxMatches: 25 }));
    expect([matches.length, stopped, matches.at(-1)]).toEqual([25, 'limit', { path: 'f12', line: 5, text: 'x' }]);
    expect(await host.workspace.search(request('x', { maxMatches: 300 }))).not.toHaveProperty('stopped');
  });

  it('ends in less than a second for a pattern that explodes (security L5)', async () => {
    await using host = createTempWorkspace({ f: `${'a'.repeat(50_000)}b\n` }, { ripgrep });
    const began = performance.now();
    const { matches } = await host.workspace.search(request('(a+)+$'));
    expect(performance.now() - began).toBeLessThan(1000);
    expect(matches).toEqual([]);
  });

  it('names what is wrong with a pattern', async () => {
    await using host = createTempWorkspace({ f: 'x' }, { ripgrep });
    await expect(host.workspace.search(request('(x'))).rejects.toMatchObject({ code: 'E_PATTERN' });
    await expect(host.workspace.search(request('a\0b'))).rejects.toMatchObject({
      ...{ code: 'E_PATTERN', params: { detail: 'it holds a NUL character' } },
    });
    await expect(host.workspace.search(request('x', { include: '{a,b}'.repeat(20) }))).rejects.toMatchObject({
      code: 'E_PATTERN',
    });
    await expect(host.workspace.search(request('x', { path: 'nowhere' }))).rejects.toMatchObject({ code: 'E_FILE' });
  });

  it('leaves out what is too large, and says how many (security J4)', async () => {
    await using host = createTempWorkspace({ f: 'find' }, { ripgrep });
    for (const name of ['huge', 'vast']) {
      host.put(name, 'find');
      truncateSync(host.path(name), 5e9);
    }
    expect(await host.workspace.search(request('find'))).toEqual({
      ...{ matches: [{ path: 'f', line: 1, text: 'find' }], leftOut: 2 },
    });
    expect(await host.workspace.count({ pattern: 'find', path: 'huge', signal })).toEqual({ files: [], leftOut: 1 });
  });

  it('reads nothing outside while a folder becomes a link and back (security A3)', async () => {
    await using host = createTempWorkspace({ 'w/d/f': 'inside\n', 'out/f': 'outside\n', 'w/x': '' }, { ripgrep });
    const script = `while :; do mv d e; ln -s ../out d; rm d; mv e d; done`;
    const swapping = spawn('/bin/bash', ['-c', script], { cwd: host.path('w'), stdio: 'ignore' });
    const workspace = createWorkspace(host.path('w'), { limits: host.workspace.limits, ripgrep });
    const found = new Set<string>();
    try {
      for (let n = 0; n < 25 || found.size === 0; n++) {
        for (const path of ['.', 'd', 'd/f']) {
          const { matches } = await workspace.search(request('side', { path })).catch(() => ({ matches: [] }));
          for (const { text } of matches) found.add(text);
        }
      }
    } finally {
      swapping.kill('SIGKILL');
      await once(swapping, 'exit');
    }
    expect([...found]).toEqual(['inside']);
  }, 60_000);

  it('cuts very long lines and ends when it is aborted', async () => {
    await using host = createTempWorkspace({ f: `${'y'.repeat(100_000)}\n` }, { ripgrep });
    const { matches } = await host.workspace.search(request('y'));
    expect(matches[0]!.text.length).toBeLessThan(600);
    await expect(host.workspace.search(request('y', { signal: AbortSignal.abort() }))).rejects.toThrow('abort');
  });
});

it('searches a folder of 10,000 files', async () => {
  await using host = createTempWorkspace();
  for (let n = 0; n < 10_000; n++) host.put(`big/f${n}`, n === 7777 ? 'needle' : 'hay');
  for (const [, ripgrep] of programs) {
    const workspace = createWorkspace(host.root, { limits: host.workspace.limits, ripgrep });
    const began = performance.now();
    expect((await workspace.search(request('needle'))).matches).toEqual([
      { path: 'big/f7777', line: 1, text: 'needle' },
    ]);
    expect(performance.now() - began).toBeLessThan(8000);
  }
}, 60_000);

it('says so when the system lets it open no more files, and leaves none out', async () => {
  await using host = createTempWorkspace();
  for (let n = 0; n < 400; n++) host.put(`f${n}`, 'find');
  const url = pathToFileURL(join(import.meta.dirname, 'workspace.ts')).href;
  const script = `const { createWorkspace } = await import(${JSON.stringify(url)});
    const { signal } = new AbortController();
    await createWorkspace('.', { limits: {} }).search({ pattern: 'find', maxMatches: 9, signal }).catch((error) => console.log(error.params.errno));`;
  const limited = `ulimit -n 300; exec '${process.execPath}' --input-type=module -e "$1"`;
  const { stdout, stderr } = spawnSync('/bin/bash', ['-c', limited, 'bash', script], {
    cwd: host.root,
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['EMFILE\n', '']);
});

it('takes no program out of the workspace', async () => {
  await using host = createTempWorkspace();
  host.put('bin/rg', '#!/bin/sh\n');
  const { chmodSync } = await import('node:fs');
  chmodSync(host.path('bin/rg'), 0o755);
  const find = findRipgrep(host.path('bin'));
  expect(await find(['/elsewhere'])).toBe(host.path('bin/rg'));
  expect(await find([host.root])).not.toBe(host.path('bin/rg'));
});
