import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/protocol/define/tool.ts';
import { createSessionRig, createTempHome, startModelServer } from '../../src/testing/index.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  risk: 'read',
  execute: ({ text }) => `said ${text}`,
});

const task = 'Count everything twice and forget nothing: ORIGINAL-TASK-4711.';

it.each([
  ['chat', 'custom', 'CUSTOM'],
  ['responses', 'openai', 'OPENAI'],
  ['anthropic', 'anthropic', 'ANTHROPIC'],
  ['gemini', 'gemini', 'GEMINI'],
] as const)(
  '1,000 turns on the wire %s: six compactions, no refusal, the task stays, the prefix holds between them',
  async (wire, provider, prefix) => {
    let turns = 0;
    let summaries = 0;
    await using server = await startModelServer({
      respond({ userTexts }) {
        if (/about to be shortened/.test(userTexts.at(-1) ?? ''))
          return { text: `## Goal\nCount. Summary ${++summaries}.` };
        if (++turns === 1000) return { text: 'done' };
        const calls = Array.from({ length: turns % 5 === 0 ? 3 : 1 }, (_, index) => ({
          name: 'echo',
          input: { text: `${turns}.${index} ${'你好 words '.repeat(turns % 16)}` },
        }));
        return { text: turns % 3 === 0 ? `turn ${turns}` : '', reasoning: turns % 7 === 0 ? 'hm' : '', calls };
      },
    });
    const place = await createTempHome();
    await writeFile(join(place.home, 'config.json'), JSON.stringify({ models: { 'm-1': { window: 14_000 } } }));
    const env = {
      PATH: process.env.PATH,
      [`${prefix}_API_KEY`]: 'sk-test-0123456789',
      [`${prefix}_BASE_URL`]: server.baseUrls[wire],
    };
    const flags = { model: `${provider}/m-1`, maxTurns: 2000 };
    await using rig = await createSessionRig({ env, flags, tools: [echo] }, place);
    let longest = 0;
    rig.session.listen(({ type }) => {
      if (type === 'turn-end') longest = Math.max(longest, rig.session.state?.messages.length ?? 0);
    });
    expect(await rig.session.run(task)).toMatchObject({ stop: 'completed', text: 'done', turns: 1000 });
    expect(server.problems).toEqual([]);
    expect(summaries).toBeGreaterThanOrEqual(6);
    // What is in memory is bounded by the window, not by the length of the session.
    expect(longest).toBeLessThan(500);
    expect(server.requests.filter(({ userTexts }) => !userTexts.join().includes('ORIGINAL-TASK-4711'))).toEqual([]);
    const kept = server.prefixReport().flatMap(({ steps }) => steps.map((step) => step.kept));
    expect(kept.filter((share) => share < 1)).toEqual([]);
  },
  180_000,
);
