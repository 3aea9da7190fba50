/** With the real package, real commands and servers of our own: the hosts are this machine, told apart by port. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../testing/time.ts';
import { running } from './__fixtures__/processes.ts';
import { createSandboxPlace } from './__fixtures__/sandbox-place.ts';
import { type DomainOptions, holdNetwork } from './domains.ts';

const packages = join(import.meta.dirname, '../../../node_modules');
const asked: string[] = [];
let servers: Server[] = [];
let [named, other] = [0, 0];
let domains: DomainOptions;

beforeAll(async () => {
  servers = [0, 1].map(() =>
    createServer((request, response) => {
      asked.push(request.headers.host ?? '');
      response.end('hello\n');
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  [named, other] = servers.map((server) => (server.address() as AddressInfo).port) as [number, number];
  domains = { domains: [`localhost:${named}`], packages };
});
afterAll(() => {
  for (const server of servers) server.close();
});

const fetchFrom = (host: string, flags = '--noproxy ""') =>
  `curl -sS -m 5 ${flags} -o answer -w "%{http_code}\\n" http://${host}/`;

describe.each([
  ['the user who runs us', {}],
  ['the owner of the workspace', process.getuid?.() === 0 ? { uid: 61234 } : {}],
])('as %s', (_, options) => {
  it('reaches the named host and no other, and says which', async () => {
    await using place = await createSandboxPlace({}, { ...options, domains });
    expect(place.sandbox).toMatchObject({ level: 'proven', why: `bubblewrap, hosts: localhost:${named}` });
    const { signal } = place;
    asked.length = 0;
    expect(
      await place.commands.run({ command: `${fetchFrom(`localhost:${named}`)}; cat answer`, signal }),
    ).toMatchObject({ exit: 0, output: '200\nhello\n', notes: [] });
    for (const host of [
      `localhost:${other}`,
      `127.0.0.1:${named}`,
      `127.1:${named}`,
      'example.com',
      '169.254.169.254',
    ]) {
      const { output } = await place.commands.run({ command: fetchFrom(host), signal });
      expect([host, output]).toEqual([host, '403\n']);
    }
    const tunnel = await place.commands.run({ command: fetchFrom(`localhost:${other}`, '--noproxy "" -p'), signal });
    expect(tunnel).toMatchObject({
      exit: 56,
      notes: [expect.stringContaining(`hosts only, over HTTP and HTTPS: localhost:${named}`)],
    });
    const direct = await place.commands.run({ command: fetchFrom(`localhost:${named}`, '--noproxy "*"'), signal });
    expect(direct).toMatchObject({ exit: 7, notes: [expect.stringContaining('with network: true')] });
    expect(asked).toEqual([`localhost:${named}`]);
  });

  it('holds everything else as without hosts', async () => {
    await using place = await createSandboxPlace({ '.git/config': 'x' }, { ...options, domains });
    place.putInHome('.ssh/key', 'secret');
    const { output } = await place.commands.run({
      command: `(: > ${place.outside}/f) 2>/dev/null || echo held
        (echo y > .git/config) 2>/dev/null || echo held
        cat ${place.home}/.ssh/key 2>/dev/null || echo held
        grep -E 'CapEff|Seccomp:' /proc/self/status
        ls /proc | grep -c '^[0-9]'
        python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>&1 | tail -1 | cut -d: -f1
        echo "$TMPDIR"; (exit 3)`,
      signal: place.signal,
    });
    expect(output.split('\n')).toEqual([
      ...['held', 'held', 'held', 'CapEff:\t0000000000000000', 'Seccomp:\t2'],
      ...[expect.stringMatching(/^[3-6]$/), 'PermissionError', '/tmp', ''],
    ]);
  });

  it('leaves nothing behind when time is up', async () => {
    await using place = await createSandboxPlace({}, { ...options, domains });
    const began = performance.now();
    const result = await place.commands.run({
      command: 'echo begin; setsid sleep 4321.5 & sleep 4321.5',
      timeoutSeconds: 1,
      signal: place.signal,
    });
    expect(result).toMatchObject({ timedOut: true, output: 'begin\n' });
    expect(performance.now() - began).toBeLessThan(4000);
  });
});

it('is one a process while it is held', async () => {
  const another = { domains: ['a.test'], packages };
  const { release } = await holdNetwork(domains);
  await expect(holdNetwork(another)).rejects.toMatchObject({
    ...{ code: 'E_SANDBOX_DOMAINS', params: { detail: expect.stringContaining(`localhost:${named}`) } },
  });
  release();
  const { network, release: close } = await holdNetwork(another);
  expect(network.hosts).toEqual(['a.test']);
  close();
});

it('says what is missing, and takes no domain that is none', async () => {
  const nothing = { domains: ['a.test'], packages: '/nowhere/node_modules' };
  await expect(holdNetwork(nothing)).rejects.toMatchObject({
    code: 'E_SANDBOX_DOMAINS',
    params: { detail: '@anthropic-ai/sandbox-runtime is not installed in /nowhere/node_modules' },
  });
  for (const domain of ['https://a.test/', '*', 'a b', '*.com:x']) {
    const held = holdNetwork({ domains: [domain], packages });
    await expect(held, domain).rejects.toMatchObject({ code: 'E_SANDBOX_DOMAINS' });
  }
});

it.each([
  ['lets everything pass', 'HTTP/1.1 200 OK', 'answers 200'],
  ['says nothing', '', 'answers nothing'],
  ['wants another token', 'HTTP/1.1 407 No', 'answers 407'],
])('a proxy that %s is not believed (security Q6)', async (_, answer, why) => {
  const place = mkdtempSync(join(tmpdir(), 'rein-domains-'));
  const folder = join(place, '@anthropic-ai/sandbox-runtime');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "main": "index.js", "type": "module" }');
  const pretence = `import { createServer } from 'node:net';
    const path = ${JSON.stringify(join(place, 'x.sock'))};
    const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(${JSON.stringify(answer && `${answer}\r\n\r\n`)})));
    export const SandboxManager = {
      initialize: () => new Promise((resolve) => server.listen(path, resolve)),
      getLinuxHttpSocketPath: () => path,
      getProxyAuthToken: () => 'token',
      registerCommandNetworkLists() {},
      unregisterCommandNetworkLists() {},
      reset: async () => server.close(),
    };`;
  writeFileSync(join(folder, 'index.js'), pretence);
  // What a canary found is kept by hosts.
  const limited = { domains: [`${why.slice(8)}.test`], packages: place };
  await expect(createSandboxPlace({}, { domains: limited })).rejects.toMatchObject({
    code: 'E_SANDBOX_DOMAINS',
    params: { detail: expect.stringContaining(`found a proxy that ${why} for a host that is not named`) },
  });
  rmSync(place, { recursive: true });
});

it.each([
  ['ended', 'SIGTERM'],
  ['killed', 'SIGKILL'],
] as const)('leaves no relay when it is %s', async (_, signal) => {
  const worker = fork(join(import.meta.dirname, '__fixtures__/hold-network.ts'), [packages], { stdio: 'inherit' });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const [socket] = (await once(worker, 'message')) as [string];
  expect(running(`/usr/bin/socat UNIX-LISTEN:${socket}`)).not.toEqual([]);
  worker.kill(signal);
  await once(worker, 'exit');
  await waitFor(() => running(`/usr/bin/socat UNIX-LISTEN:${socket}`).length === 0);
});

it('lets the process end by itself once it is released', async () => {
  const worker = fork(join(import.meta.dirname, '__fixtures__/hold-network.ts'), [packages, 'release']);
  onTestFinished(() => void worker.kill('SIGKILL'));
  expect(await once(worker, 'exit')).toEqual([0, null]);
});
