import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/harness/outcome.ts';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import { createTempHome, type ScriptRequest, startModelServer, type Turn } from '../../../src/testing/index.ts';

interface Worked {
  readonly outcome: RunOutcome;
  readonly events: readonly StoredEvent[];
  readonly children: readonly string[];
}

/**
 * Runs the worker; the first request that `fatal` names gets no answer, and its process is killed with SIGKILL while
 * it waits. Then runs it again, to the end.
 */
async function killAndResume(
  respond: (request: ScriptRequest) => Turn,
  fatal: (request: ScriptRequest) => boolean,
  config: object = {},
) {
  await using place = await createTempHome({ 'stamps.txt': '' });
  await writeFile(join(place.home, 'config.json'), JSON.stringify(config));
  let kill: (() => void) | undefined;
  await using server = await startModelServer({
    respond(request) {
      if (!kill || !fatal(request)) return respond(request);
      kill();
      kill = undefined;
      return { text: 'never read', stall: { after: 0 } };
    },
  });
  const start = () => startWorker([place.home, place.workspace, server.url('chat')]);
  const first = start();
  kill = () => first.child.kill('SIGKILL');
  expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
  const { code, output, errors } = await start().ended;
  expect(errors).toBe('');
  expect(code).toBe(0);
  expect(server.problems).toEqual([]);
  const stamps = (await place.read('stamps.txt')).split('\n').filter(Boolean);
  return { ...(JSON.parse(output) as Worked), stamps, requests: server.requests };
}

function startWorker(args: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'layers-worker.ts'), ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<{ code: number | null; signal: string | null; output: string; errors: string }>(
    (resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, output, errors }));
    },
  );
  return { child, ended };
}

const isSummary = ({ userTexts }: ScriptRequest) => /about to be shortened/.test(userTexts.at(-1) ?? '');
const isChild = ({ userTexts }: ScriptRequest) => userTexts.some((text) => text.startsWith('the errand'));
const stamp = (id: string, text = ''): Turn => ({ calls: [{ name: 'stamp', id, input: { text } }] });

/** A parent that begins one sub-agent; the sub-agent stamps twice. */
function delegating(background: boolean) {
  return (request: ScriptRequest): Turn => {
    const { calls, userTexts } = request;
    if (isChild(request)) return calls.length < 2 ? stamp(`c${calls.length}`) : { text: 'the errand is done' };
    const input = { agent: 'general', prompt: 'the errand', background };
    if (calls.length === 0) return { calls: [{ name: 'task', id: 'p0', input }] };
    const reported = !background || userTexts.some((text) => text.includes('the errand is done'));
    return { text: reported ? 'all done' : 'waiting' };
  };
}

describe('killed with SIGKILL and resumed', () => {
  it('in the middle of a compaction: the summary is asked for again, nothing is lost or done twice', async () => {
    let turn = 0;
    const worked = await killAndResume(
      (request) => {
        if (isSummary(request)) return { text: 'Summed up.' };
        return request.userTexts.join().includes('Summed up.')
          ? { text: 'all done' }
          : stamp(`s${turn}`, `${turn++} ${'x'.repeat(900)}`);
      },
      isSummary,
      { models: { 'm-1': { window: 9000 } } },
    );
    expect(worked.outcome).toMatchObject({ stop: 'completed', text: 'all done' });
    expect(worked.events.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    expect(worked.requests.filter(isSummary)).toHaveLength(2);
    expect(new Set(worked.stamps).size).toBe(worked.stamps.length);
    expect(worked.requests.at(-1)!.userTexts.join()).toContain('the original task');
  }, 60_000);

  it.each([
    ['a sub-agent', false],
    ['a background task', true],
  ])(
    'in the middle of %s: the same one goes on',
    async (_name, background) => {
      const worked = await killAndResume(
        delegating(background),
        (request) => isChild(request) && request.calls.length === 1,
      );
      expect(worked.outcome).toMatchObject({ stop: 'completed', text: 'all done' });
      expect(worked.children).toHaveLength(1);
      expect(worked.stamps).toEqual(['c0', 'c1']);
      const announced = worked.events.filter((event) => event.type === 'message' && event.origin === 'task');
      expect(announced).toHaveLength(background ? 1 : 0);
      expect(worked.events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
    },
    60_000,
  );
});
