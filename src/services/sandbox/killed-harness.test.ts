/** Whatever moment a harness is killed at, its sandboxed command does not start any more, or ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { waitFor } from '../../testing/time.ts';
import { holding } from './__fixtures__/processes.ts';
import { createSandboxPlace } from './__fixtures__/sandbox-place.ts';

const script = join(import.meta.dirname, '__fixtures__/run-and-wait.ts');
const hosts = JSON.stringify({ domains: ['a.test'], packages: join(import.meta.dirname, '../../../node_modules') });

/** How many of the processes that a command makes are there: each is one moment further. */
const moments = [1, 2, 3, 4, 'its first line'] as const;
const users = process.getuid?.() === 0 ? [undefined, 61234] : [undefined];
const cases = users.flatMap((uid) =>
  [undefined, hosts].flatMap((domains) => moments.map((moment) => ({ uid, domains, moment }))),
);

it.each(cases)('security N4: a harness killed at $moment leaves nothing ($uid, hosts $domains)', async (each) => {
  const { uid, domains, moment } = each;
  await using place = await createSandboxPlace({}, uid === undefined ? {} : { uid });
  const name = `moment-${process.pid}-${moment}`;
  const command = `: ${name}; echo up; while :; do echo x >> out; sleep 0.1; done`;
  const harness = spawn(process.execPath, [script, place.root, command, ...(domains ? [domains] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid } = harness;
  const ended = once(harness, 'exit');
  if (moment === 'its first line') await once(harness.stdout, 'data');
  else while (harness.exitCode === null && holding(name, pid).length < moment) await new Promise(setImmediate);
  const signal = moment === 2 ? 'SIGQUIT' : 'SIGKILL';
  harness.kill(signal);
  expect(await ended).toEqual([null, signal]);
  await waitFor(() => holding(name).length === 0, { what: 'the end of the command' });
});
