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
  server = await ModelServer.start((await prepare()).server);
}, 60_000);

afterAll(() => {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('one question to a local model loads no second HTTP client, no TLS and nothing of a terminal', async () => {
  const tell = `process.on('exit', () => console.log(JSON.stringify(process.moduleLoadList)))`;
  const output = await runNode(['--import', `data:text/javascript,${tell}`, resolve('bin/rein.js'), '-p', 'hi'], {
    cwd: folder,
    env: { REIN_HOME: folder, CUSTOM_BASE_URL: server.baseUrl, CUSTOM_API_KEY: 'x', CUSTOM_MODEL_NAME: 'turns-1' },
  });
  const [answer, loaded = '[]'] = output.split('\n');
  expect(answer).toBe('done');
  const unwanted = /^NativeModule (internal\/deps\/undici|https|http2|_tls|readline|repl|worker_threads|inspector)/;
  expect((JSON.parse(loaded) as string[]).filter((name) => unwanted.test(name))).toEqual([]);
}, 30_000);
