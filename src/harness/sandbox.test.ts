import { once } from 'node:events';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ReinError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { contentText } from '../protocol/message.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome } from '../testing/temp-home.ts';
import { waitFor } from '../testing/time.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

/** A harness whose model sends these commands, one a turn; `results` are the texts it got. */
async function open(
  inputs: JsonObject[],
  options: Partial<HarnessOptions> = {},
  files: Record<string, string> = {},
  sandboxDomains?: string[],
) {
  const place = await createTempHome(files);
  if (sandboxDomains) writeFileSync(join(place.home, 'config.json'), JSON.stringify({ sandboxDomains }));
  const turns = inputs.map((input) => ({ calls: [{ name: 'bash', input }] }));
  const provider = createScriptedProvider({ script: [...turns, { text: 'done' }] });
  const { home, workspace: cwd } = place;
  const harness = await createHarness({ home, cwd, env: { PATH: process.env.PATH }, provider, ...options });
  const session = await harness.open();
  const results: string[] = [];
  session.listen((event) => {
    if (event.type === 'tool-call-end') results.push(contentText(event.content));
  });
  return {
    ...{ place, provider, harness, session, results },
    async [Symbol.asyncDispose]() {
      await harness.close();
      await place.remove();
    },
  };
}

const none = async () => ({ level: 'none' as const, driver: { name: 'none', prepare: fail }, why: 'it is not there' });
function fail(): never {
  throw new Error('nothing may run');
}

it('acceptEdits runs commands in the proven sandbox, and the model is told what the sandbox did', async () => {
  const flags = { permissionMode: 'acceptEdits' } as const;
  const script = 'touch /usr/rein-test; echo {} > .mcp.json; echo x > made; false';
  await using rig = await open([{ command: 'sh make' }], { flags }, { make: script });
  expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', refused: [] });
  expect(rig.results).toEqual([
    expect.stringMatching(/^touch: .*Read-only file system\n\[\.mcp\.json appeared and was moved to /),
  ]);
  expect(['made', '.mcp.json'].map((name) => existsSync(join(rig.place.workspace, name)))).toEqual([true, false]);
  expect(await rig.harness.sandbox()).toEqual({ level: 'proven', why: 'bubblewrap' });
});

it('security Q5, Q7: a command has the network only when a person allowed that very command', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).end('reached')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const command = 'bash fetch';
  const files = { fetch: `cat < /dev/tcp/127.0.0.1/${port}` };
  const flags = { permissionMode: 'acceptEdits', allow: ['bash'] } as const;
  const inputs: JsonObject[] = [{ command }, { command, network: true }, { command, network: true }];
  await using rig = await open(inputs, { flags, interactive: true }, files);
  const outcome = rig.session.run('go');
  const first = await waitFor(async () => (await rig.session.interrupts())[0]);
  expect(rig.results).toEqual([
    expect.stringMatching(/refused.*network: true, which has to be approved.*exit code 1/is),
  ]);
  expect([first?.call?.input, first?.rule]).toEqual([{ command, network: true }, undefined]);
  await rig.session.answer(first!.id, { decision: 'approve', digest: first!.digest });
  const second = await waitFor(async () => (await rig.session.interrupts()).find(({ id }) => id !== first!.id));
  await rig.session.answer(second!.id, { decision: 'reject', digest: second!.digest, reason: 'no' });
  expect(await outcome).toMatchObject({ stop: 'completed' });
  expect(rig.results.slice(1)).toEqual(['reached', 'The user rejected this call: no']);
  server.close();
});

it('security Q6: without a sandbox a headless run refuses each command and goes on', async () => {
  const flags = { permissionMode: 'acceptEdits', allow: ['bash(echo *)'] } as const;
  await using rig = await open([{ command: 'echo x' }], { flags, sandbox: none });
  expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', refused: [{ refusal: 'nobody' }] });
});

it('security Q6: where a sandbox is required and none holds, the run ends with that error and nothing ran', async () => {
  const sandbox = async () => {
    throw new ReinError('E_SANDBOX_UNAVAILABLE', { detail: 'it is not there' });
  };
  const flags = { permissionMode: 'bypassPermissions', sandbox: 'required' } as const;
  await using rig = await open([{ command: 'touch made' }], { flags, sandbox });
  expect(await rig.session.run('go')).toMatchObject({
    ...{ stop: 'error', error: { code: 'E_SANDBOX_UNAVAILABLE', params: { detail: 'it is not there' } } },
  });
  expect(existsSync(join(rig.place.workspace, 'made'))).toBe(false);
});

it('where commands may reach some hosts and what that takes is missing, the run ends with that error and nothing ran', async () => {
  await using rig = await open([{ command: 'touch made' }], { flags: { permissionMode: 'bypassPermissions' } }, {}, [
    'a.test',
  ]);
  expect(await rig.session.run('go')).toMatchObject({
    stop: 'error',
    error: { code: 'E_SANDBOX_DOMAINS', params: { detail: expect.stringContaining('is not installed') } },
  });
  expect(existsSync(join(rig.place.workspace, 'made'))).toBe(false);
});

it('commands reach the hosts of the configuration and no other, unasked; all of the network is asked about', async () => {
  const servers = [0, 1].map(() => http.createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const [named, other] = servers.map((server) => (server.address() as AddressInfo).port);
  const command = (port: number | undefined) => `curl -sS -m 5 --noproxy "" http://localhost:${port}/`;
  const flags = { permissionMode: 'acceptEdits', sandbox: 'required', allow: ['bash(curl *)'] } as const;
  const inputs: JsonObject[] = [
    { command: command(named) },
    { command: command(other) },
    { command: command(other), network: true },
  ];
  await using rig = await open(inputs, { flags }, {}, [`localhost:${named}`]);
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(rig.place.home, 'node_modules'));
  const { stop, refused } = await rig.session.run('go');
  for (const server of servers) server.close();
  expect([stop, rig.results.slice(0, 2), refused]).toEqual([
    'completed',
    ['hello', expect.stringContaining('blocked by network allowlist')],
    [expect.objectContaining({ refusal: 'nobody', input: inputs[2] })],
  ]);
});

it('tries nothing before the model asked for a command, and then once', async () => {
  const asked: number[] = [];
  const sandbox = async () => {
    asked.push(rig.provider.requests.length);
    return none();
  };
  await using rig = await open([{ command: 'true' }, { command: 'false' }], { sandbox });
  await rig.session.run('go');
  expect(asked).toEqual([1]);
});

it('security C4: an allow rule for git does not run what the folder made git run, where nothing holds it', async () => {
  const flags = { allow: ['bash(git status)'], sandbox: 'off' } as const;
  const config = (program: string) => `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${program}\n`;
  for (const [program, ran] of [
    ['true', false],
    ['touch ../ran; true', false],
  ] as const) {
    const files = {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/config': config(program),
      '.git/refs/x': '',
      '.git/objects/x': '',
    };
    await using rig = await open([{ command: 'git status' }], { flags }, files);
    const { refused } = await rig.session.run('go');
    expect([refused.length, existsSync(join(rig.place.workspace, '../ran'))]).toEqual([
      program === 'true' ? 0 : 1,
      ran,
    ]);
  }
});
