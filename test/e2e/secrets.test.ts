// Secrets and everything that is kept: real processes, every byte and every mode.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../src/testing/time.ts';
import type { ScriptedCall } from '../../src/testing/turn.ts';
import { createCliHome } from './cli-home.ts';

const key = 'sk-test-0123456789';

/** Modes of what lies below a folder, those of the code cache excepted, which holds code alone. */
function openOnes(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...below.map((entry) => join(entry.parentPath, entry.name))];
  const own = paths.filter((path) => !path.startsWith(join(folder, 'cache', 'v')));
  return own.filter((path) => (statSync(path).mode & 0o077) !== 0);
}

describe('security E3', () => {
  test('folders are 0700 and files 0600, whatever the umask, also while a run is open', async () => {
    const waiting = 'until [ -e go ]; do sleep 0.02; done';
    await using cli = await createCliHome({
      script: [{ calls: [{ name: 'bash', input: { command: waiting } }] }, { text: '# Report' }],
    });
    const home = join(cli.home, 'fresh');
    const env = { ...cli.env, REIN_HOME: home, PATH: process.env.PATH!, HOME: cli.home };
    const start = (args: string) => {
      const command = `umask 000; exec "${process.execPath}" "${join(import.meta.dirname, '../../bin/rein.js')}" ${args}`;
      const child = spawn('/bin/sh', ['-c', command], { cwd: cli.workspace, env, stdio: 'ignore' });
      return new Promise<number | null>((resolve) => child.once('close', resolve));
    };
    const analysis = start('analyze . --permission-mode bypassPermissions --sandbox off');
    await waitFor(() => readdirSync(cli.home).includes('fresh') && readdirSync(home).includes('rein.db-wal'), {
      timeoutMs: 10_000,
    });
    await waitFor(() => cli.server.requests.length === 1, { timeoutMs: 10_000 });
    expect(openOnes(home)).toEqual([]);
    await writeFile(join(cli.workspace, 'go'), '');
    expect(await analysis).toBe(0);
    expect(await start('config set theme dark')).toBe(0);
    expect(await start('trust --yes')).toBe(0);
    expect(openOnes(home)).toEqual([]);
    expect(readdirSync(home).sort()).toEqual(['cache', 'config.json', 'memory', 'rein.db', 'trust.json']);
  });

  test('a home that others could look into is closed to them', async () => {
    await using cli = await createCliHome({ respond: () => ({ text: 'fine' }) });
    await cli.run(['-p', 'go']);
    await chmod(cli.home, 0o755);
    await cli.run(['-p', 'go']);
    expect(statSync(cli.home).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['other things', 0o755, { 'mine.txt': '' }],
    ['everybody', 0o1777, {}],
  ])('a folder of %s that is named as home stays as open as it was', async (_of, mode, files) => {
    await using cli = await createCliHome({ respond: () => ({ text: 'fine' }) }, files);
    await chmod(cli.workspace, mode);
    await cli.run(['-p', 'go'], { env: { REIN_HOME: cli.workspace } });
    expect(statSync(cli.workspace).mode & 0o7777).toBe(mode);
  });
});

test('security E2: a key that a command prints is nowhere below the home, and not in what is printed', async () => {
  await using cli = await createCliHome({
    script: [{ calls: [{ name: 'bash', input: { command: 'cat key.txt' } }] }, { text: 'done' }],
  });
  await writeFile(join(cli.workspace, 'key.txt'), `it is ${key}\n`);
  const { stdout, stderr } = await cli.run([
    '-p',
    'go',
    '--verbose',
    '--output-format',
    'events',
    '--sandbox',
    'off',
    '--allowedTools',
    'bash(cat *)',
  ]);
  expect([stdout.includes('[redacted: CUSTOM_API_KEY]'), stdout.includes(key), stderr.includes(key)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(JSON.stringify(cli.server.requests.at(-1)?.body)).not.toContain(key);
  const session = (JSON.parse(stdout.split('\n')[0]!) as { session: string }).session;
  for (const args of [
    ['sessions', 'export', session],
    ['sessions', 'show', session],
  ]) {
    expect((await cli.run(args)).stdout).not.toContain(key);
  }
  for (const entry of readdirSync(cli.home, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      expect([entry.name, readFileSync(join(entry.parentPath, entry.name)).includes(key)]).toEqual([entry.name, false]);
  }
});

test('security E1: no tool finds what lies in a file of keys', async () => {
  const calls: ScriptedCall[] = [
    { name: 'grep', input: { pattern: '.' } },
    { name: 'grep', input: { pattern: '.', path: '.env' } },
    { name: 'read_file', input: { file_path: 'certs/site.key' } },
    { name: 'glob', input: { pattern: '**/*' } },
    { name: 'edit_file', input: { file_path: '.env', old_string: 'A', new_string: 'B' } },
  ];
  await using cli = await createCliHome(
    { script: [{ calls }, { text: 'done' }] },
    {
      '.env': 'PLAIN=words-of-a-secret\n',
      'certs/site.key': 'words-of-a-secret',
      'app/.env.local': 'words-of-a-secret',
      'readme.txt': 'open words',
    },
  );
  await cli.run(['-p', 'go', '--permission-mode', 'bypassPermissions']);
  const sent = JSON.stringify(cli.server.requests.at(-1)?.body);
  expect([sent.includes('words-of-a-secret'), sent.includes('open words'), sent.includes('site.key:')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await cli.read('.env')).toBe('PLAIN=words-of-a-secret\n');
});

test('security E4: links that wait in the folder for temporary files are not followed', async () => {
  await using cli = await createCliHome({
    script: [
      {
        calls: [
          { name: 'bash', input: { command: 'echo hi' } },
          { name: 'write_file', input: { file_path: 'a', content: 'x' } },
        ],
      },
      { text: 'done' },
    ],
  });
  const temporary = join(cli.home, '..', 'tmp');
  const target = join(cli.home, '..', 'target');
  await mkdir(temporary);
  await writeFile(target, 'untouched');
  for (const name of [
    'rein',
    'rein.tmp',
    'rein.log',
    'rein-0',
    'rein-1',
    'rein-sandbox',
    'rein-output',
    `rein-${process.pid}`,
  ]) {
    symlinkSync(target, join(temporary, name));
  }
  const before = readdirSync(temporary);
  await cli.run(['-p', 'go', '--permission-mode', 'acceptEdits'], { env: { TMPDIR: temporary } });
  await cli.run(['-p', 'go', '--permission-mode', 'acceptEdits', '--sandbox', 'off'], { env: { TMPDIR: temporary } });
  expect([await readFile(target, 'utf8'), readdirSync(temporary)]).toEqual(['untouched', before]);
});

test('security E5: errors that echo headers, keys and addresses are shown without them', async () => {
  const seen: string[] = [];
  const echo = createServer((request, response) => {
    const text = JSON.stringify({ ...request.headers, url: 'http://me:hunter2hunter2@127.0.0.1/v1' });
    seen.push(text);
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: `bad: ${text}` } }));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  await using cli = await createCliHome({ respond: () => ({ text: '' }) });
  const secrets = [key, 'hunter2hunter2', 'header-secret-1'];
  await writeFile(
    join(cli.home, 'config.json'),
    JSON.stringify({ providers: { custom: { headers: { 'X-Api-Token': 'header-secret-1' } } } }),
  );
  for (const base of [`http://me:hunter2hunter2@127.0.0.1:${port}/v1`, 'http://me:hunter2hunter2@127.0.0.1:9/v1']) {
    for (const args of [['-p', 'go', '--verbose', '--output-format', 'events'], ['doctor']]) {
      const { exit, stdout, stderr } = await cli.run(args, { env: { CUSTOM_BASE_URL: base } });
      expect(exit).not.toBe(0);
      const shown = stdout + stderr;
      expect([base, args, secrets.filter((secret) => shown.includes(secret))]).toEqual([base, args, []]);
    }
  }
  echo.close();
  expect(seen.some((text) => text.includes(key) && text.includes('header-secret-1'))).toBe(true);
  for (const entry of readdirSync(cli.home, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'config.json') continue;
    const bytes = readFileSync(join(cli.home, entry.name));
    expect([entry.name, secrets.filter((secret) => bytes.includes(secret))]).toEqual([entry.name, []]);
  }
});

test('security E6: a fresh session connects to the provider and to nothing else', async () => {
  await using cli = await createCliHome({
    script: [
      {
        calls: [
          { name: 'bash', input: { command: 'true' } },
          { name: 'grep', input: { pattern: 'x' } },
        ],
      },
      { text: 'done' },
    ],
  });
  const log = join(cli.home, '..', 'connections');
  const recorder = join(cli.home, '..', 'recorder.mjs');
  await writeFile(log, '');
  await writeFile(
    recorder,
    `import net from 'node:net'; import dns from 'node:dns'; import dgram from 'node:dgram'; import { appendFileSync } from 'node:fs';
    const note = (text) => appendFileSync(${JSON.stringify(log)}, text + '\\n');
    const connect = net.Socket.prototype.connect;
    net.Socket.prototype.connect = function (...args) {
      const [first] = args.flat();
      note(typeof first === 'object' ? (first.path ?? first.host + ':' + first.port) : String(first));
      return connect.apply(this, args);
    };
    const lookup = dns.lookup;
    dns.lookup = (name, ...rest) => { if (!net.isIP(name)) note('dns ' + name); return lookup(name, ...rest); };
    dgram.createSocket = () => { note('udp'); throw new Error('no'); };`,
  );
  const { exit } = await cli.run(['-p', 'go', '--permission-mode', 'acceptEdits'], {
    env: { NODE_OPTIONS: `--import=file://${recorder}` },
  });
  expect([0, 55]).toContain(exit);
  const { host } = new URL(cli.server.url('chat'));
  const seen = new Set((await readFile(log, 'utf8')).split('\n').filter(Boolean));
  expect([...seen]).toEqual([host]);
});

test('security E7: no key stands in the arguments of a process', async () => {
  const command = 'until [ -e go ]; do sleep 0.02; done';
  await using cli = await createCliHome({
    script: [
      {
        calls: [
          { name: 'bash', input: { command } },
          { name: 'grep', input: { pattern: 'x' } },
        ],
      },
      { text: 'done' },
    ],
  });
  // Other tests have processes, too.
  const own = `sk-own-${randomUUID()}`;
  const { done } = cli.start(['-p', 'go', '--sandbox', 'off', '--permission-mode', 'bypassPermissions'], {
    env: { CUSTOM_API_KEY: own },
  });
  const lines = () => {
    const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return ids.map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
  };
  const found = await waitFor(() => lines().some((line) => line.includes(command)) && lines(), { timeoutMs: 10_000 });
  expect(found.filter((line) => line.includes(own))).toEqual([]);
  await writeFile(join(cli.workspace, 'go'), '');
  expect((await done).exit).toBe(0);
});
