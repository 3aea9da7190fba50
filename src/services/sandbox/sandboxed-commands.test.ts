/** What commands promise without a sandbox holds inside one, for root and for others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { own, running } from './__fixtures__/processes.ts';
import { createSandboxPlace, type SandboxPlace } from './__fixtures__/sandbox-place.ts';

const isRoot = process.getuid?.() === 0;
const other = 61234;
const script = new URL('./__fixtures__/run-and-wait.ts', import.meta.url).pathname;

async function run(place: SandboxPlace, command: string, timeoutSeconds?: number) {
  const began = performance.now();
  const result = await place.commands.run({ command, signal: place.signal, ...(timeoutSeconds && { timeoutSeconds }) });
  return { ...result, seconds: (performance.now() - began) / 1000 };
}

it.each([
  `sleep ${own(30)} & echo ready`,
  `setsid sleep ${own(30)} & echo ready`,
  '(while :; do echo x; sleep 1; done) & echo ready',
])('comes back from `%s` and leaves nothing of it (case P06, security L9)', async (command) => {
  await using place = await createSandboxPlace();
  const { exit, output, seconds } = await run(place, command);
  expect([exit, /^(x\n)?ready/.test(output), seconds < 5]).toEqual([0, true, true]);
  expect((await run(place, 'echo two')).output).toBe('two\n');
  expect(running(`sleep ${own(30)}`)).toEqual([]);
});

it.each([
  `echo begin; sh -c 'sleep ${own(66)}'; true`,
  `echo begin; sh -c "trap '' TERM; sleep ${own(66)}; sleep ${own(66)}"; true`,
  `echo begin; setsid sleep ${own(66)} & sleep ${own(66)}`,
  `echo begin; (setsid env -i sh -c "trap '' TERM; while :; do sleep ${own(66)}; done" >/dev/null 2>&1 &); sleep ${own(66)}`,
])('ends everything that `%s` started when its time is up (case P07, security L2)', async (command) => {
  await using place = await createSandboxPlace();
  const result = await run(place, command, 1);
  expect(result).toMatchObject({ timedOut: true, output: 'begin\n' });
  expect(result.seconds).toBeLessThan(2.5);
  expect(running(`sleep ${own(66)}`)).toEqual([]);
});

it.each(['yes', 'cat /dev/zero'])('keeps both ends of `%s` (security L1)', async (command) => {
  await using place = await createSandboxPlace({}, { outputBytes: 1000 });
  const result = await run(place, command, 1);
  expect(result.timedOut).toBe(true);
  expect(result.output).toMatch(/\n\[\.\.\. \d{6,} bytes left out \.\.\.\]\n/);
});

it.each(['cat', 'read x; echo $?', 'sudo -S true', 'bash -i'])('gives `%s` no input (security L3)', async (command) => {
  await using place = await createSandboxPlace();
  expect(await run(place, command, 20)).toMatchObject({ timedOut: false });
});

it('limits how many processes a command may be, and goes on meanwhile (security L4)', async () => {
  await using place = await createSandboxPlace({}, { maxProcesses: 100 });
  const bomb = run(place, `for n in $(seq 200); do sleep ${own(67)} & done`, 3);
  let turns = 0;
  const count = setInterval(() => turns++, 10);
  const { output } = await bomb;
  clearInterval(count);
  expect(output).toMatch(/Resource temporarily unavailable/);
  expect(turns).toBeGreaterThan(20);
  expect(running(`sleep ${own(67)}`)).toEqual([]);
  expect((await run(place, 'echo two')).output).toBe('two\n');
});

it('leaves nothing behind after a thousand commands (security L8)', async () => {
  await using place = await createSandboxPlace({ 'a/.git/config': '' });
  await run(place, 'true');
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  for (let n = 0; n < 250; n++) await Promise.all(Array.from({ length: 4 }, () => run(place, 'echo x > $TMPDIR/$$')));
  expect(descriptors()).toBeLessThanOrEqual(before + 2);
  expect(readdirSync(place.root)).toEqual(['a']);
}, 120_000);

it('tells exit codes, signals and both streams in order', async () => {
  await using place = await createSandboxPlace();
  expect(await run(place, 'echo a; echo b >&2; echo c; exit 3')).toMatchObject({ exit: 3, output: 'a\nb\nc\n' });
  expect(await run(place, 'kill -9 $$')).toMatchObject({ exit: 137, output: '' });
});

it('gives a command the named variables, a temporary folder of the session, and no key (security E1, B11)', async () => {
  await using place = await createSandboxPlace();
  const { output } = await run(
    place,
    'echo $TMPDIR $TMP $TEMP; echo kept > /tmp/note; ls -A /tmp /var/tmp /run; env | grep -c KEY',
  );
  expect(output).toBe('/tmp /tmp /tmp\n/run:\n\n/tmp:\nnote\n\n/var/tmp:\nnote\n0\n');
  expect((await run(place, 'cat /tmp/note')).output).toBe('kept\n');
});

it('cannot be told by its arguments to leave the sandbox (security P5, E7)', async () => {
  await using place = await createSandboxPlace();
  const { output } = await run(place, '--dev-bind / / touch /etc/rein-test; echo $#');
  expect(output).toMatch(/command not found\n0\n$/);
});

if (isRoot) {
  it("root starts the commands of somebody's folder as that somebody", async () => {
    await using place = await createSandboxPlace({}, { uid: other });
    const { output } = await run(
      place,
      'id -u; touch made; echo $HOME; cat /etc/shadow 2>&1 | grep -c denied; grep CapEff /proc/self/status',
    );
    expect(output).toBe(`${other}\n/tmp\n1\nCapEff:\t0000000000000000\n`);
    expect(statSync(join(place.root, 'made')).uid).toBe(other);
  });

  it('a harness that is not root has the same sandbox', async () => {
    await using place = await createSandboxPlace({ '.git/config': '[core]\n' }, { uid: other });
    for (const name of ['.git', '.git/config']) chownSync(join(place.root, name), other, other);
    const command =
      'id -u; touch made; (echo x >> .git/config) 2>/dev/null || echo held; grep -E "^(CapEff|Seccomp):" /proc/self/status';
    const harness = spawn(process.execPath, [script, place.root, command], {
      ...{ uid: other, gid: other, cwd: place.root, env: { PATH: process.env.PATH, HOME: place.root } },
    });
    const [output, errors] = await Promise.all([text(harness.stdout), text(harness.stderr), once(harness, 'exit')]);
    expect([output, errors]).toEqual([`${other}\nheld\nCapEff:\t0000000000000000\nSeccomp:\t2\n`, '']);
  });
}
