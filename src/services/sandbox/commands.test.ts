import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { CommandRequest } from '../../protocol/host.ts';
import { createTempWorkspace } from '../../testing/temp-workspace.ts';
import { waitFor } from '../../testing/time.ts';
import { own, running } from './__fixtures__/processes.ts';
import { commandEnvironment } from './command-environment.ts';
import { createCommands } from './commands.ts';

const { signal } = new AbortController();
const limits = { outputBytes: 1000, timeoutSeconds: 60, maxTimeoutSeconds: 600 };

const commandsIn = (cwd: string, environment = commandEnvironment(process.env)) =>
  createCommands({ cwd, environment, limits });

async function run(command: string, more: Partial<CommandRequest> = {}) {
  await using host = createTempWorkspace();
  const commands = commandsIn(host.root);
  const began = performance.now();
  try {
    const result = await commands.run({ command, signal, ...more });
    return { ...result, seconds: (performance.now() - began) / 1000 };
  } finally {
    await commands.close();
  }
}

it('gives exit code, signal and both streams in order', async () => {
  expect(await run('echo a; echo b >&2; echo c; exit 3')).toMatchObject({
    exit: 3,
    output: 'a\nb\nc\n',
    timedOut: false,
    aborted: false,
  });
  expect(await run('kill -9 $$')).toMatchObject({ exit: null, signal: 'SIGKILL' });
});

it.each(['sleep 30 & echo ready', 'setsid sleep 30 & echo ready', '(while :; do echo x; sleep 1; done) & echo ready'])(
  'comes back from `%s` (case P06)',
  async (command) => {
    await using host = createTempWorkspace();
    const commands = commandsIn(host.root);
    const began = performance.now();
    const { exit, output } = await commands.run({ command, signal });
    expect(performance.now() - began).toBeLessThan(5000);
    expect([exit, output.startsWith('ready') || output.startsWith('x\nready')]).toEqual([0, true]);
    expect((await commands.run({ command: 'echo two', signal })).output).toBe('two\n');
    await commands.close();
  },
);

it('leaves what runs in the background its output, and ends it at the close (security L9)', async () => {
  await using host = createTempWorkspace();
  const commands = commandsIn(host.root);
  await commands.run({
    command: `(for n in 1 2 3 4; do echo $n; sleep 0.1; done; echo done > mark; exec sleep ${own(77)}) & true`,
    signal,
  });
  while (!readdirSync(host.root).includes('mark')) await delay(20);
  await commands.close();
  expect(running(`sleep ${own(77)}`)).toEqual([]);
});

it.each([
  `echo begin; sh -c 'sleep ${own(61)}'; true`,
  `echo begin; sh -c "trap '' TERM; sleep ${own(61)}; sleep ${own(61)}"; true`,
  `echo begin; setsid sleep ${own(61)} & sleep ${own(61)}`,
  `echo begin; (setsid sh -c "trap '' TERM; while :; do sleep ${own(61)}; done" &); sleep ${own(61)}`,
])('ends everything that `%s` started when its time is up (case P07, security L2)', async (command) => {
  const result = await run(command, { timeoutSeconds: 1 });
  expect(result).toMatchObject({ timedOut: true, timeoutSeconds: 1, output: 'begin\n' });
  expect(result.seconds).toBeLessThan(2);
  expect(running(`sleep ${own(61)}`)).toEqual([]);
});

it('ends everything when it is aborted', async () => {
  const abort = new AbortController();
  const result = await run(`echo begin; setsid sleep ${own(62)} & sleep ${own(62)}`, {
    signal: abort.signal,
    onOutput: () => abort.abort(),
  });
  expect(result).toMatchObject({ aborted: true, timedOut: false, output: 'begin\n' });
  expect(running(`sleep ${own(62)}`)).toEqual([]);
});

it.each(['yes', 'cat /dev/zero'])('keeps both ends of `%s` and little memory (security L1)', async (command) => {
  const before = keptBytes();
  const kept: number[] = [];
  let since = 0;
  const onOutput = (text: string) => {
    since += text.length;
    if (since < 4e6) return;
    since = 0;
    kept.push(keptBytes() - before);
  };
  const result = await run(command, { timeoutSeconds: 2, onOutput });
  expect(result.timedOut).toBe(true);
  expect(result.seconds).toBeLessThan(3);
  expect(result.output).toMatch(/\n\[\.\.\. \d{6,} bytes left out \.\.\.\]\n/);
  expect(result.output.length).toBeLessThan(1100);
  expect(kept).not.toEqual([]);
  expect(Math.max(...kept)).toBeLessThan(16e6);
});

it.each(['cat', 'read x; echo $?', 'sudo -S true', 'bash -i'])('gives `%s` no input (security L3)', async (command) => {
  const result = await run(command, { timeoutSeconds: 8 });
  expect(result.timedOut).toBe(false);
});

it('runs bash without start-up files, functions or keys (security B11, E1)', async () => {
  const environment = commandEnvironment({
    ...{ PATH: process.env.PATH, HOME: '/nowhere', LC_TIME: 'C', BASH_ENV: '/tmp/x', ENV: '/tmp/x', SHELL: '/bin/zsh' },
    ...{ 'BASH_FUNC_git%%': '() { echo fake; }', X_API_KEY: 'k', GITHUB_TOKEN: 'k', AWS_SECRET_ACCESS_KEY: 'k' },
    ...{
      npm_config__auth: 'k',
      LD_PRELOAD: 'x',
      NODE_OPTIONS: 'x',
      https_proxy: 'http://user:pass@host:1',
      http_proxy: 'http://host:1',
    },
  });
  await using host = createTempWorkspace();
  const commands = commandsIn(host.root, environment);
  const { output } = await commands.run({ command: 'echo $BASH; env | cut -d= -f1 | sort', signal });
  expect(output.trim().split('\n')).toEqual([
    ...['/bin/bash', 'GIT_EDITOR', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'HOME', 'LC_TIME', 'PAGER', 'PATH', 'PWD'],
    ...['REIN_COMMAND', 'SHELL', 'SHLVL', 'TERM', '_', 'http_proxy'],
  ]);
});

it.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)(
  'ends what runs when the harness gets %s (security N4, L9)',
  async (signal) => {
    await using host = createTempWorkspace();
    const script = new URL('./__fixtures__/run-bare-and-wait.ts', import.meta.url).pathname;
    const sleep = `sleep ${own(65)}`;
    const command = `setsid ${sleep} & (trap '' TERM HUP; ${sleep}) & ${sleep}`;
    const harness = spawn(process.execPath, [script, host.root, command], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(harness.stdout, 'data');
    await waitFor(() => running(sleep).length === 3, { what: 'all three commands' });
    harness.kill(signal);
    await waitFor(() => running(sleep).length === 0, { what: 'the end of all' });
  },
);

it('runs commands in the background', async () => {
  await using host = createTempWorkspace();
  const commands = commandsIn(host.root);
  const { id } = await commands.start('echo one; read -t 0.2; echo two; exit 4');
  expect(commands.list()).toEqual([
    { id, command: 'echo one; read -t 0.2; echo two; exit 4', running: true, exit: null, output: '', notes: [] },
  ]);
  let output = '';
  for (let state = commands.output(id)!; ; state = commands.output(id)!) {
    output += state.output;
    if (!state.running) break;
    await delay(20);
  }
  expect([output, commands.output(id)]).toEqual([
    'one\ntwo\n',
    expect.objectContaining({ running: false, exit: 4, output: '' }),
  ]);
  const second = await commands.start(`setsid sleep ${own(63)} & echo up; sleep ${own(63)}`);
  while (commands.output(second.id)!.output === '') await delay(20);
  expect(await commands.kill(second.id)).toMatchObject({ running: false, exit: null });
  expect(running(`sleep ${own(63)}`)).toEqual([]);
  expect([commands.output('9'), await commands.kill('9')]).toEqual([undefined, undefined]);
  await commands.start(`sleep ${own(64)}`);
  await commands.close();
  expect(running(`sleep ${own(64)}`)).toEqual([]);
});

it('says why a command cannot start', async () => {
  await expect(commandsIn('/nowhere').run({ command: 'true', signal })).rejects.toMatchObject({ code: 'E_COMMAND' });
  await expect(run('true \0')).rejects.toMatchObject({ code: 'E_COMMAND' });
  await expect(run(`true ${'x'.repeat(200_000)}`)).rejects.toMatchObject({
    ...{ code: 'E_COMMAND', params: { detail: expect.stringContaining('write it into a file') } },
  });
});

it('leaves nothing behind after a thousand commands (security L8)', async () => {
  await using host = createTempWorkspace();
  const commands = commandsIn(host.root);
  const run = () => commands.run({ command: 'echo x', signal });
  const many = async (rounds: number) => {
    for (let n = 0; n < rounds; n++) await Promise.all(Array.from({ length: 4 }, run));
  };
  const descriptors = () => readdirSync('/proc/self/fd').length;
  await many(50);
  const [files, bytes, listeners] = [descriptors(), keptBytes(), getEventListeners(signal, 'abort').length];
  await many(250);
  expect(descriptors()).toBeLessThanOrEqual(files + 2);
  expect(keptBytes() - bytes).toBeLessThan(1_000_000);
  expect(getEventListeners(signal, 'abort')).toHaveLength(listeners);
  expect(readdirSync('/proc').filter((name) => isZombieOfOurs(name))).toEqual([]);
  expect(readdirSync(host.root)).toEqual([]);
}, 60_000);

function isZombieOfOurs(name: string): boolean {
  try {
    return /^\d+ \(.*\) Z (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'latin1'))?.[1] === String(process.pid);
  } catch {
    return false;
  }
}

/** What is kept in memory, whenever the rest would have been collected by itself. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
