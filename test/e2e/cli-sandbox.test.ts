// What the command line says and does where no sandbox holds: the same machine, with the program for it hidden.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type CliHome, createCliHome } from './cli-home.ts';

const program = resolve(import.meta.dirname, '../../bin/rein.js');
const script = { script: [{ calls: [{ name: 'bash', input: { command: 'touch made' } }] }, { text: 'Done.' }] };

/** `rein` where `/usr/bin/bwrap` is a file that nobody can start. */
function startWithout(cli: CliHome, args: readonly string[]) {
  const around = ['--bind', '/', '/', '--dev-bind', '/dev', '/dev', '--ro-bind', '/dev/null', '/usr/bin/bwrap'];
  return spawn('/usr/bin/bwrap', [...around, process.execPath, program, ...args], {
    cwd: cli.workspace,
    env: { PATH: process.env.PATH, HOME: cli.home, REIN_HOME: cli.home, ...cli.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('security Q6: `-s required` ends with 58 when a command is due, and nothing has run', async () => {
  await using cli = await createCliHome(script);
  const args = ['-p', 'go', '-s', 'required', '--permission-mode', 'bypassPermissions', '--output-format', 'json'];
  const child = startWithout(cli, args);
  const [result, errors, [exit]] = await Promise.all([json(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([exit, result]).toEqual([
    58,
    expect.objectContaining({
      ...{ subtype: 'error_during_execution', is_error: true },
      error: { code: 'E_SANDBOX_UNAVAILABLE', message: expect.stringContaining('bubblewrap does not hold here') },
    }),
  ]);
  expect(errors).toContain('Install bubblewrap');
  expect(existsSync(join(cli.workspace, 'made'))).toBe(false);
});

test('security Q6: `preferred` refuses the command, goes on and ends with 55', async () => {
  await using cli = await createCliHome(script);
  const args = ['-p', 'go', '--permission-mode', 'acceptEdits', '--allowedTools', 'bash(touch made)'];
  const child = startWithout(cli, args);
  const [answer, , [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([exit, answer]).toEqual([55, 'Done.\n']);
  expect(existsSync(join(cli.workspace, 'made'))).toBe(false);
});

test('security Q1: with the sandbox the same command runs, and the same run ends with 0', async () => {
  await using cli = await createCliHome(script);
  const { exit, stdout } = await cli.run(['-p', 'go', '--permission-mode', 'acceptEdits', '-s', 'required']);
  expect([exit, stdout]).toEqual([0, 'Done.\n']);
  expect(existsSync(join(cli.workspace, 'made'))).toBe(true);
});
