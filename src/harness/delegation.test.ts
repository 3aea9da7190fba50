import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../protocol/define/tool.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome } from '../testing/temp-home.ts';
import { waitFor } from '../testing/time.ts';
import type { ScriptRequest, Turn } from '../testing/turn.ts';
import { trustFolder } from './__fixtures__/trust-folder.ts';
import { createHarness } from './create-harness.ts';
import type { Session } from './session.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

const act = defineTool({
  name: 'act',
  description: 'Acts.',
  input: z.object({}),
  risk: 'write',
  execute: () => 'acted',
});

/** A session with the real gate, whose owner can be asked. */
async function openSession(respond: (request: ScriptRequest) => Turn, config: object = {}) {
  const place = await createTempHome();
  open.push(place);
  await writeFile(join(place.home, 'config.json'), JSON.stringify(config));
  await trustFolder(place.home, place.workspace);
  const provider = createScriptedProvider({ respond });
  const env = { PATH: process.env.PATH };
  const harness = await createHarness({
    home: place.home,
    cwd: place.workspace,
    env,
    provider,
    tools: [act],
    interactive: true,
  });
  open.push({ [Symbol.asyncDispose]: () => harness.close() });
  return { session: await harness.open(), provider };
}

const isChild = ({ userTexts }: ScriptRequest) => userTexts.some((text) => text.startsWith('the errand'));
const task = (background = false): Turn => ({
  calls: [{ name: 'task', input: { agent: 'general', prompt: 'the errand', background } }],
});

async function asked(session: Session) {
  return waitFor(async () => (await session.interrupts())[0]);
}

describe('permissions of a sub-agent', () => {
  it('what was allowed for this session is asked again of a sub-agent', async () => {
    const write: Turn = { calls: [{ name: 'bash', input: { command: 'touch x.txt' } }] };
    const { session } = await openSession((request) => {
      const { calls } = request;
      if (isChild(request)) return calls.length === 0 ? write : { text: 'errand done' };
      return calls.length === 0 ? write : calls.length === 1 ? task() : { text: 'done' };
    });
    const outcome = session.run('go');
    const first = await asked(session);
    await session.answer(first.id, { decision: 'approve_session', digest: first.digest });
    const second = await waitFor(async () => (await session.interrupts()).find(({ id }) => id !== first.id));
    expect(second).toMatchObject({ agent: 'main/general-1', call: { tool: 'bash' } });
    await session.answer(second.id, { decision: 'approve', digest: second.digest });
    expect(await outcome).toMatchObject({ stop: 'completed', text: 'done' });
  });

  it('security P4: is denied what its parent is denied', async () => {
    const { session, provider } = await openSession(
      (request) => {
        if (isChild(request)) return request.calls.length === 0 ? { calls: [{ name: 'act' }] } : { text: 'refused' };
        return request.calls.length === 0 ? task() : { text: 'done' };
      },
      { permissions: { deny: ['act'], mode: 'bypassPermissions' } },
    );
    expect(await session.run('go')).toMatchObject({ stop: 'completed', refused: [{ tool: 'act', refusal: 'rule' }] });
    expect(provider.requests.findLast(isChild)!.results[0]!.text).not.toBe('acted');
  });
});

describe('a background task that asks', () => {
  it('is answered at the root while the run waits for it', async () => {
    const { session } = await openSession((request) => {
      if (isChild(request)) return request.calls.length === 0 ? { calls: [{ name: 'act' }] } : { text: 'errand done' };
      if (request.calls.length === 0) return task(true);
      return { text: request.userTexts.some((text) => text.includes('errand done')) ? 'done' : 'waiting' };
    });
    const outcome = session.run('go');
    const interrupt = await asked(session);
    expect(interrupt.agent).toBe('main/general-1');
    await session.answer(interrupt.id, { decision: 'approve', digest: interrupt.digest });
    expect(await outcome).toMatchObject({ stop: 'completed', text: 'done' });
  });

  it('ends with an abort, and its question with it', async () => {
    const { session, provider } = await openSession((request) => {
      if (isChild(request)) return { calls: [{ name: 'act' }] };
      return request.calls.length === 0 ? task(true) : { text: 'waiting' };
    });
    const outcome = session.run('go');
    await asked(session);
    await waitFor(() => provider.requests.length === 3);
    await session.abort();
    expect(await outcome).toMatchObject({ stop: 'aborted' });
    expect(await session.interrupts()).toEqual([]);
    expect(provider.requests).toHaveLength(3);
  });
});
