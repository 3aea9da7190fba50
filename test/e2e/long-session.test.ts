import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { RunOutcome } from '../../src/harness/outcome.ts';
import { createTempHome, startModelServer } from '../../src/testing/index.ts';

interface Worked {
  readonly outcome: RunOutcome;
  readonly held: readonly number[];
  readonly longest: number;
  /** What is still there at the end. */
  readonly left: { readonly events: number; readonly messages: number };
  /** Messages that were said. */
  readonly seen: number;
}

async function work(args: readonly string[]): Promise<Worked> {
  const worker = join(import.meta.dirname, 'long-session-worker.ts');
  const child = spawn(process.execPath, ['--expose-gc', worker, ...args], { env: { PATH: process.env.PATH } });
  child.stdin.end();
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(errors).toBe('');
  return JSON.parse(output);
}

const task = 'Count everything twice and forget nothing: ORIGINAL-TASK-4711.';

it.each([
  ['chat', 'custom', 'CUSTOM'],
  ['responses', 'openai', 'OPENAI'],
  ['anthropic', 'anthropic', 'ANTHROPIC'],
  ['gemini', 'gemini', 'GEMINI'],
] as const)(
  '1,000 turns on the wire %s: six compactions, no refusal, the task stays, the prefix holds between them, memory is flat',
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
    await using place = await createTempHome();
    await writeFile(join(place.home, 'config.json'), JSON.stringify({ models: { 'm-1': { window: 14_000 } } }));
    const args = [place.home, place.workspace, provider, prefix, server.baseUrls[wire], task];
    const { outcome, held, longest, left, seen } = await work(args);
    expect(outcome).toMatchObject({ stop: 'completed', text: 'done', turns: 1000 });
    expect(server.problems).toEqual([]);
    expect(summaries).toBeGreaterThanOrEqual(6);
    expect(longest).toBeLessThan(500);
    expect(server.requests.filter(({ userTexts }) => !userTexts.join().includes('ORIGINAL-TASK-4711'))).toEqual([]);
    const kept = server.prefixReport().flatMap(({ steps }) => steps.map((step) => step.kept));
    expect(kept.filter((share) => share < 1)).toEqual([]);
    expect(seen).toBeGreaterThan(1000);
    // Those of the history, and of the one before the last compaction where its bytes are still at hand.
    expect(left.messages).toBeLessThan(seen / 4);
    expect(left.events).toBeLessThan(20);
    // What is held after a collection follows the window, not the length of the session: both spans see compactions.
    const early = Math.max(...held.slice(10, 25));
    const late = Math.max(...held.slice(35, 50));
    expect(late - early, `megabytes held: ${held.map((megabytes) => megabytes.toFixed(1)).join(' ')}`).toBeLessThan(2);
  },
  180_000,
);
