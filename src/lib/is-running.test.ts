import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isRunning } from './is-running.ts';

it('tells processes that run from those that have ended, and from numbers that are none', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'close');
  expect([process.pid, 1].map(isRunning)).toEqual([true, true]);
  expect([child.pid!, 2 ** 30, Number.NaN].map(isRunning)).toEqual([false, false, false]);
});
