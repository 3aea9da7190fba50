/** A guard against what would make every start dearer: modules that nobody needs before the first request. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepare } from '../../bench/prepare.ts';
import { ModelServer, runNode } from '../../bench/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-start-'));
let server: ModelServer;

beforeAll(async () => {
  server = await ModelServer.start((await prepare('start')).server);
}, 60_000);

afterAll(() => {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the program; what it says on the way out is which modules of Node and which files of the bundle it loaded. */
async function rein(...args: string[]): Promise<{ answer: string; modules: string[]; files: string[] }> {
  const tell = `
    import { registerHooks } from 'node:module';
    const files = [];
    registerHooks({ load(url, context, next) { files.push(url); return next(url, context); } });
    process.on('exit', () => console.log(JSON.stringify({ files, modules: process.moduleLoadList })));`;
  const output = await runNode(
    ['--import', `data:text/javascript,${encodeURIComponent(tell)}`, resolve('bin/rein.js'), ...args],
    {
      cwd: folder,
      env: { REIN_HOME: folder, CUSTOM_BASE_URL: server.baseUrl, CUSTOM_API_KEY: 'x', CUSTOM_MODEL_NAME: 'turns-1' },
    },
  );
  const [loaded = '', ...answer] = output.trimEnd().split('\n').reverse();
  const { files, modules } = JSON.parse(loaded) as { files: string[]; modules: string[] };
  const own = files.filter((url) => url.startsWith('file:')).map((url) => url.replace(/.*\/(dist|bin)\//, ''));
  return { answer: answer.reverse().join('\n'), modules, files: own };
}

test('one question to a local model loads no second HTTP client, no TLS, and nothing for commands or a terminal', async () => {
  const { answer, modules } = await rein('-p', 'hi');
  expect(answer).toBe('done');
  const unwanted =
    /^NativeModule (internal\/deps\/undici|https|http2|_tls|readline|repl|worker_threads|inspector|child_process|v8|vm$|fs\/promises|perf_hooks)/;
  expect(modules.filter((name) => unwanted.test(name))).toEqual([]);
}, 30_000);

test('each file costs a start: one question loads few, a new session or an old one, and zod in neither', async () => {
  const few = ['rein.js', 'cli.js', 'base.js', 'start.js', 'harness.js', 'en.js', 'request.js', 'wire-chat.js'];
  expect((await rein('-p', 'hi')).files).toEqual(few);
  expect((await rein('-c', '-p', 'go on')).files).toEqual(few);
}, 30_000);

test('the version takes almost nothing', async () => {
  expect((await rein('--version')).files).toEqual(['rein.js', 'cli.js', 'base.js']);
}, 30_000);
