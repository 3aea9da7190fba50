// Two processes on one session: one runs it, what the other sends arrives through the inbox.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { createHarness } from '../../src/harness/create-harness.ts';
import { createScriptedProvider } from '../../src/testing/scripted-provider.ts';
import { createTempHome, type TempHome } from '../../src/testing/temp-home.ts';
import { waitFor } from '../../src/testing/time.ts';

function startRunner(place: TempHome) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'runner-process.ts'), place.home, place.workspace], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, exited: once(child, 'exit'), line: async () => String((await lines.next()).value) };
}

it("security M4: the other's answer, prompt and abort arrive; it sees the events and never writes itself", async () => {
  await using place = await createTempHome();
  const runner = startRunner(place);
  expect(await runner.line()).toBe('open');
  await using harness = await openOther(place);
  const session = await harness.open({ resume: 'shared' });
  expect(session.isRunner).toBe(false);
  const [asked] = await waitFor(async () => {
    const open = await session.interrupts();
    return open.length === 1 && open;
  });
  const seen: string[] = [];
  session.listen((event) => seen.push(event.type));
  const steered = session.run('mind the step', { mode: 'steer' });
  await session.answer(asked!.id, { decision: 'approve', digest: asked!.digest });
  await expect(session.answer(asked!.id, { decision: 'approve', digest: asked!.digest })).rejects.toMatchObject({
    code: 'E_INTERRUPT_STALE',
  });
  await writeFile(join(place.workspace, 'asked'), '');
  await waitFor(() => seen.filter((type) => type === 'turn-end').length >= 1);
  await session.abort();
  expect(await steered).toMatchObject({ stop: 'aborted' });
  expect(JSON.parse(await runner.line())).toEqual({ stop: 'aborted', said: 'mind the step', requests: 2 });
  await runner.exited;
  expect(seen).toContain('interrupt-close');
  expect(harness.provider.requests).toEqual([]);
});

it('when the running process is killed, the one that waits takes the session over', async () => {
  await using place = await createTempHome();
  const runner = startRunner(place);
  expect(await runner.line()).toBe('open');
  await using harness = await openOther(place);
  const session = await harness.open({ resume: 'shared' });
  await waitFor(async () => (await session.interrupts()).length === 1);
  const outcome = session.run('are you there?', { mode: 'next' });
  runner.child.kill('SIGKILL');
  await runner.exited;
  await waitFor(() => session.isRunner, { timeoutMs: 10_000 });
  expect(await outcome).toMatchObject({ stop: 'completed', text: 'taken over' });
});

async function openOther(place: TempHome) {
  const provider = createScriptedProvider({ script: [{ text: 'the first run ends' }, { text: 'taken over' }] });
  const harness = await createHarness({ home: place.home, cwd: place.workspace, env: {}, provider });
  return Object.assign(harness, { provider, [Symbol.asyncDispose]: () => harness.close() });
}
