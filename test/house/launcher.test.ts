// bin/rein.js in a folder of its own, with a stand-in for the program.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const checkout = resolve(import.meta.dirname, '../..');
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rein-launcher-'));
  cpSync(join(checkout, 'bin'), join(root, 'bin'), { recursive: true });
  write('package.json', '{"type":"module"}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function launch(options: { node?: string; env?: Record<string, string>; args?: string[] } = {}) {
  const versions = `{ ...process.versions, node: '${options.node ?? process.versions.node}' }`;
  const pretend = `Object.defineProperty(process, 'versions', { value: ${versions} })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, join(root, 'bin/rein.js')];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...args, ...(options.args ?? [])], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: root, REIN_HOME: join(root, 'home'), ...options.env },
  });
  return { status, signal, stdout, stderr };
}

test('starts the program with its arguments and keeps a compile cache in REIN_HOME', () => {
  write('dist/cli.js', `console.log(process.argv.slice(2).join(' ')); process.exitCode = 53;`);
  const { status, stdout, stderr } = launch({ args: ['-p', 'hello world'] });
  expect({ status, stdout, stderr }).toEqual({ status: 53, stdout: '-p hello world\n', stderr: '' });
  expect(existsSync(join(root, 'home/cache'))).toBe(true);
});

test('a home that cannot be written is no reason to stop', () => {
  write('dist/cli.js', `console.log('started')`);
  write('a-file', '');
  const result = launch({ env: { REIN_HOME: join(root, 'a-file') } });
  expect(result).toEqual({ status: 0, signal: null, stdout: 'started\n', stderr: '' });
});

test('hides the warning about SQLite and no other', () => {
  write(
    'dist/cli.js',
    `process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
     process.emitWarning('look out', 'OtherWarning');`,
  );
  const { stderr } = launch();
  expect(stderr).toContain('OtherWarning: look out');
  expect(stderr).not.toContain('SQLite');
});

test('an old Node is told what to do, in the language of the user', () => {
  write('dist/cli.js', `console.log('must not start')`);
  for (const node of ['12.22.0', '18.0.0', '20.20.2', '22.22.0', '24.14.9']) {
    const { status, stdout, stderr } = launch({ node });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(`Rein needs Node.js 24.15 or newer; this is ${node}.\nInstall it from https://nodejs.org`);
  }
  const texts = {
    'zh_CN.UTF-8': '当前运行的是 20.0.0',
    zh: '当前运行的是 20.0.0',
    'zh_TW.UTF-8': '目前執行的是 20.0.0',
    zh_HK: '目前執行的是 20.0.0',
    'de_DE.UTF-8': 'this is 20.0.0',
  };
  for (const [locale, text] of Object.entries(texts)) {
    expect(launch({ node: '20.0.0', env: { LANG: locale } }).stderr).toContain(text);
    expect(launch({ node: '20.0.0', env: { LANG: 'C', LC_ALL: locale } }).stderr).toContain(text);
  }
  for (const node of ['24.15.0', '25.0.0', '100.1.0']) expect(launch({ node }).stdout).toBe('must not start\n');
});

test('an old Node hands over to the one in node_modules and passes on how that ended', () => {
  write(
    'node_modules/node/bin/node',
    `#!/bin/sh\nshift\necho "own node: $*"\n[ "$1" = die ] && kill -TERM $$\nexit 42\n`,
  );
  chmodSync(join(root, 'node_modules/node/bin/node'), 0o755);
  const { status, stdout } = launch({ node: '20.0.0', args: ['a b', 'c'] });
  expect({ status, stdout }).toEqual({ status: 42, stdout: 'own node: a b c\n' });
  expect(launch({ node: '20.0.0', args: ['die'] }).signal).toBe('SIGTERM');
});

test('a checkout that was never built says so', () => {
  const { status, stderr } = launch();
  expect(status).toBe(1);
  expect(stderr).toContain('Rein is not built yet. Run "npm ci" in ');
});
