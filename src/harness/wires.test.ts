import { describe, expect, it } from 'vitest';
import { startModelServer } from '../testing/scripted-server.ts';
import { createSessionRig } from '../testing/session-rig.ts';
import type { ScriptRequest } from '../testing/turn.ts';
import { echo } from './__fixtures__/echo.ts';

/** 50 turns with calls, two in every third, then a last word; and so on. */
function createWorker() {
  let served = 0;
  return ({ results }: ScriptRequest) => {
    served++;
    if (served % 51 === 0) return { text: 'done' };
    const calls = Array.from({ length: served % 3 === 0 ? 2 : 1 }, (_, index) => ({
      name: 'echo',
      input: { text: `${results.length + index} 你好 👍🏽` },
    }));
    return {
      text: served % 4 === 0 ? `working on ${served}` : '',
      reasoning: served % 5 === 0 ? `thinking of ${served}` : '',
      calls,
    };
  };
}

const wires = [
  ['chat', 'custom', 'CUSTOM'],
  ['responses', 'openai', 'OPENAI'],
  ['anthropic', 'anthropic', 'ANTHROPIC'],
  ['gemini', 'gemini', 'GEMINI'],
] as const;

describe.each(wires)('the wire %s', (wire, provider, prefix) => {
  it('keeps the prefix by units over 50 turns with parallel calls and steering, and over a restart', async () => {
    await using server = await startModelServer({ respond: createWorker() });
    const env = { [`${prefix}_API_KEY`]: 'sk-test-0123456789', [`${prefix}_BASE_URL`]: server.baseUrls[wire] };
    await using rig = await createSessionRig({
      env,
      flags: { model: `${provider}/m-1`, maxTurns: 200 },
      tools: [echo],
    });
    let steered = 0;
    rig.session.listen((event) => {
      if (event.type === 'tool-call-end' && ++steered % 20 === 0) {
        void rig.session.run(`mind the ${steered}th`, { mode: 'steer' }).catch(() => {});
      }
    });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'done' });
    const again = await rig.reopen();
    expect(await again.session.run('go on')).toMatchObject({ stop: 'completed', text: 'done' });
    await again.harness.close();
    expect(server.problems).toEqual([]);
    expect(server.requests).toHaveLength(102);
    const kept = server.prefixReport().flatMap(({ steps }) => steps.map((step) => step.kept));
    expect(kept).toEqual(Array.from({ length: 101 }, () => 1));
  });
});
