import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { planRigs } from '../testing/plan/plan-rig.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { waitFor } from '../testing/time.ts';
import type { Turn } from '../testing/turn.ts';

const start = planRigs(afterEach);
const write = (content: string): Turn => ({ calls: [{ name: 'write_file', input: { file_path: 'a.txt', content } }] });
const check = { criterion: 'a.txt says yes', file_matches: { path: 'a.txt', pattern: 'yes' } };

describe('verify in a plain run', () => {
  const open = { plan: false, verify: [check] };

  it('tells the model what failed, and is verified once it is mended', async () => {
    const provider = createScriptedProvider({ script: [{ text: 'done' }, write('yes'), { text: 'now it is' }] });
    const { session } = await start({}, { provider, open });
    expect(await session.run('Do it.')).toMatchObject({
      stop: 'completed',
      text: 'now it is',
      verification: { status: 'verified', checks: [{ criterion: 'a.txt says yes', ok: true }] },
    });
    expect(provider.requests[1]?.userTexts.at(-1)).toContain('- a.txt says yes\na.txt does not exist');
  });

  it('gives up after maxRetries, and the result says which check failed', async () => {
    const provider = createScriptedProvider({ respond: () => ({ text: 'done' }) });
    const { session } = await start({}, { provider, open, flags: { maxRetries: 2 } });
    expect(await session.run('Do it.')).toMatchObject({
      stop: 'completed',
      verification: { status: 'failed', reason: 'check-failed', checks: [{ ok: false }] },
    });
    expect(provider.requests).toHaveLength(3);
  });

  it.each([
    ['a later check', 'echo no > a.txt'],
    ['a command left in the background', 'while [ -e a.txt ] && ! [ -e dist/changed ]; do sleep 0.02; done'],
  ])('is void when %s changes what was checked, and names it', async (_name, command) => {
    const background = 'while ! [ -e dist/checked ]; do sleep 0.02; done; echo no > a.txt; touch dist/changed';
    const verify = [
      { criterion: 'yes', command: 'grep -q yes a.txt && touch dist/checked' },
      { criterion: 'b', command },
    ];
    const provider = createScriptedProvider({
      script: [
        ...(command.startsWith('while')
          ? [{ calls: [{ name: 'bash', input: { command: background, background: true } }] }]
          : []),
        { text: 'done' },
      ],
    });
    const files = { 'a.txt': 'yes\n', '.gitignore': 'dist\n', 'dist/x': '' };
    const { session } = await start({}, { provider, files, open: { plan: false, verify } });
    expect((await session.run('Do it.')).verification).toMatchObject({
      status: 'failed',
      reason: 'voided',
      checks: [{ ok: true }, { ok: true }],
      evidence: { voided: 'files', changed: ['a.txt'] },
    });
  });

  it('is done anew for each run', async () => {
    const provider = createScriptedProvider({ respond: () => ({ text: 'done' }) });
    const { session } = await start({}, { provider, open, flags: { maxRetries: 1 } });
    await session.run('Do it.');
    await session.run('Do it again.');
    expect(provider.requests).toHaveLength(4);
  });

  it('ends a command that is running when the run is aborted', async () => {
    const command = 'echo > began.txt; sleep 60';
    const provider = createScriptedProvider({ script: [{ text: 'done' }] });
    const options = { provider, open: { plan: false, verify: [{ criterion: 'c', command }] } };
    const { session, place } = await start({}, options);
    const done = session.run('Do it.');
    await waitFor(() => existsSync(join(place.workspace, 'began.txt')));
    await session.abort();
    expect(await done).toMatchObject({ stop: 'aborted' });
  });
});
