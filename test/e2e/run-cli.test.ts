// The kit's way to run the built command line.
import { readFileSync } from 'node:fs';
import { createTempHome, runCli, startCli } from 'rein/testing';
import { expect, test } from 'vitest';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

test('runCli gives exit code and both streams', async () => {
  await using temp = await createTempHome();
  const result = await runCli(['--version'], { home: temp.home, cwd: temp.workspace });
  expect(result).toEqual({ exit: 0, stdout: `${version}\n`, stderr: '' });
});

test('runCli ends a process that takes too long, and says so', async () => {
  await using temp = await createTempHome();
  await expect(runCli(['--version'], { home: temp.home, cwd: temp.workspace, timeoutMs: 1 })).rejects.toThrow(
    'rein --version ran longer than 1 ms.',
  );
});

test('a process ended by a signal has the exit code that a shell gives', async () => {
  await using temp = await createTempHome();
  const { child, done } = startCli(['--version'], { home: temp.home, cwd: temp.workspace });
  child.kill('SIGKILL');
  expect(await done).toEqual({ exit: 137, stdout: '', stderr: '' });
});
