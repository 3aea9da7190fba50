// Being told to stop, in every way: nothing is lost, nothing stays behind.
import { existsSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliHome, createCliHome, jsonLines } from './cli-home.ts';

const sleeping = { calls: [{ name: 'bash', input: { command: 'echo $$ > pid; sleep 30' }, id: 'call_1' }] };
const allowed = ['--sandbox', 'external', '--permission-mode', 'bypassPermissions'];

/** Resolves when a file in the workspace has content. */
async function written({ workspace }: CliHome, name: string): Promise<string> {
  const path = join(workspace, name);
  const look = () => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');
  const watcher = watch(workspace);
  try {
    while (look() === '') await new Promise((resolve) => watcher.once('change', resolve));
    return look();
  } finally {
    watcher.close();
  }
}

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

describe('security N6', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s during a command: %i, the command is gone, the session goes on', async (signal, code) => {
    await using cli = await createCliHome({
      respond: ({ results }) => (results.length === 0 ? sleeping : { text: 'Going on.' }),
    });
    const { child, done } = cli.start(['-p', 'go', '--output-format', 'json', ...allowed]);
    child.stdin?.end();
    const pid = await written(cli, 'pid');
    const told = performance.now();
    child.kill(signal);
    const { exit, stdout } = await done;
    expect({ exit, fast: performance.now() - told < 3000, alive: isAlive(pid) }).toEqual({
      exit: code,
      fast: true,
      alive: false,
    });
    expect(jsonLines(stdout)).toEqual([
      expect.objectContaining({
        subtype: 'error_during_execution',
        is_error: true,
        error: { code: 'E_ABORTED', message: expect.any(String) },
      }),
    ]);

    expect(await cli.run(['-c', '-p', 'continue', ...allowed])).toMatchObject({ exit: 0, stdout: 'Going on.\n' });
    const { results } = cli.server.requests.at(-1)!;
    expect(results).toEqual([{ id: 'call_1', text: expect.stringMatching(/interrupted|aborted/) }]);
    cli.server.assertComplete();
  });

  test('SIGINT while the model is silent', async () => {
    await using cli = await createCliHome({ script: [{ text: 'Never', stall: { after: 1 } }] });
    const { child, done } = cli.start(['-p', 'go', '--output-format', 'events']);
    child.stdin?.end();
    await new Promise<void>((resolve) =>
      child.stdout?.on('data', (text: string) => text.includes('turn-start') && resolve()),
    );
    child.kill('SIGINT');
    expect(await done).toMatchObject({ exit: 130 });
  });

  test('a second signal leaves at once', async () => {
    await using cli = await createCliHome({ respond: () => sleeping });
    const { child, done } = cli.start(['-p', 'go', ...allowed]);
    child.stdin?.end();
    await written(cli, 'pid');
    const told = performance.now();
    child.kill('SIGINT');
    child.kill('SIGINT');
    const { exit } = await done;
    expect({ exit, fast: performance.now() - told < 3000 }).toEqual({ exit: 130, fast: true });
  });

  test('a closed output ends the run quietly', async () => {
    await using cli = await createCliHome({
      respond: ({ results }) => ({
        calls: [{ name: 'ls', input: { path: '.' }, id: `call_${results.length}` }],
        text: 'x'.repeat(5000),
      }),
    });
    const { child, done } = cli.start(['-p', 'go', '--output-format', 'stream-json', '--max-turns', '10000']);
    child.stdin?.end();
    await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
    child.stdout?.destroy();
    expect(await done).toMatchObject({ exit: 130, stderr: '' });
  });
});

test('case P18: killed in the middle of a call; the next run says so to the model and runs nothing again', async () => {
  const other = { name: 'read_file', input: { file_path: 'a.txt' }, id: 'call_2' };
  await using cli = await createCliHome(
    {
      respond: ({ results }) => (results.length === 0 ? { calls: [...sleeping.calls, other] } : { text: 'Going on.' }),
    },
    { 'a.txt': 'content of a' },
  );
  const { child, done } = cli.start(['-p', 'go', '--output-format', 'events', ...allowed]);
  child.stdin?.end();
  const ended = new Promise<void>((resolve) =>
    child.stdout?.on('data', (text: string) => text.includes('content of a') && resolve()),
  );
  const pid = await written(cli, 'pid');
  await ended;
  child.kill('SIGKILL');
  await done;
  try {
    expect(await cli.run(['-c', '-p', 'continue', ...allowed])).toMatchObject({ exit: 0, stdout: 'Going on.\n' });
    expect(cli.server.requests.at(-1)?.results).toEqual([
      { id: 'call_1', text: expect.stringContaining('interrupted') },
      { id: 'call_2', text: expect.stringContaining('content of a') },
    ]);
    expect(cli.server.problems).toEqual([]);
    expect(await cli.read('pid')).toBe(`${pid}\n`);
  } finally {
    if (isAlive(pid)) process.kill(-Number(pid), 'SIGKILL');
  }
});
