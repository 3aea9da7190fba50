import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defineProvider } from '../protocol/define/provider.ts';
import type { ReinEvent } from '../protocol/event.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createTempHome } from '../testing/temp-home.ts';
import type { ScriptRequest, Turn } from '../testing/turn.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

const prices = { input: 10, output: 10 };
const none = { input: 0, output: 0 };
const dollar = { input: 100_000, output: 0 };

/** A session with a model of this price, and the warnings it gives. */
async function start(
  respond: (request: ScriptRequest) => Turn | Promise<Turn>,
  flags: HarnessOptions['flags'],
  models: object = { 'scripted/scripted': { prices } },
) {
  const place = await createTempHome();
  open.push({ [Symbol.asyncDispose]: () => place.remove() });
  await writeFile(join(place.home, 'config.json'), JSON.stringify({ models }));
  const provider = createScriptedProvider({ respond });
  const scripted = { name: 'scripted', envPrefix: '', defaultModel: 'scripted', keyless: true, create: () => provider };
  const harness = await createHarness({
    home: place.home,
    cwd: place.workspace,
    env: { PATH: process.env.PATH },
    providers: [defineProvider(scripted)],
    model: 'scripted/scripted',
    flags,
  });
  open.push({ [Symbol.asyncDispose]: () => harness.close() });
  const session = await harness.open();
  const warnings: unknown[] = [];
  session.listen((event: ReinEvent) => {
    if (event.type === 'warning') warnings.push(event.warning.code);
  });
  return { session, provider, warnings };
}

const look = ({ results }: ScriptRequest, more: Partial<Turn> = {}): Turn => ({
  calls: [{ name: 'ls', input: { path: '.', n: results.length } }],
  ...more,
});

describe('what a provider does not report', () => {
  it.each([
    ['money', { maxBudgetUsd: 0.5 }],
    ['tokens', { maxTokens: 50_000 }],
  ])('counts by estimate where %s is limited, and is said once', async (_name, flags) => {
    const text = 'x'.repeat(20_000);
    const { session, provider, warnings } = await start((request) => look(request, { text, usage: none }), flags);
    const outcome = await session.run('go');
    expect(outcome).toMatchObject({ stop: 'budget', error: { code: 'E_BUDGET' } });
    expect(outcome.cost).toBeGreaterThan(0.4);
    expect(outcome.usage.output).toBeGreaterThan(5000 * provider.requests.length);
    expect(provider.requests.length).toBeLessThan(10);
    expect(warnings).toEqual(['E_USAGE_ESTIMATED']);
  });

  it('is left as it is where nothing is limited, or the model costs nothing', async () => {
    const free = await start(
      () => ({ text: 'done', usage: none }),
      { maxBudgetUsd: 1 },
      {
        'scripted/scripted': { prices: none },
      },
    );
    const unlimited = await start(() => ({ text: 'done', usage: none }), {});
    for (const { session, warnings } of [free, unlimited]) {
      expect(await session.run('go')).toMatchObject({ cost: 0, usage: { input: 0, output: 0 } });
      expect(warnings).toEqual([]);
    }
  });

  it('is counted for streams that were cut, with what was sent and received', async () => {
    const cut: Turn = { text: ['x'.repeat(40_000), 'more'], usage: none, cut: { after: 1, how: 'rst' } };
    let asked = 0;
    const { session } = await start(() => (asked++ === 0 ? cut : { text: 'done', usage: dollar }), { maxBudgetUsd: 3 });
    const { cost, usage } = await session.run('go');
    expect(usage.output).toBeGreaterThan(10_000);
    expect(cost).toBeGreaterThan(1.1);
    expect(cost).toBeCloseTo(((usage.input + usage.output) * 10) / 1e6);
  });

  it('cannot be kept where nothing tells what a model costs, and that is said', async () => {
    const { session, warnings } = await start(
      (request) => {
        return request.results.length < 3 ? look(request) : { text: 'done' };
      },
      { maxBudgetUsd: 1 },
      {},
    );
    expect(await session.run('go')).toMatchObject({ stop: 'completed', cost: 0 });
    expect(warnings).toEqual(['E_PRICES_UNKNOWN']);
  });
});

describe('many calls at once', () => {
  it('exceed a limit by one call at most, however many sub-agents work', async () => {
    const tasks = Array.from({ length: 10 }, (_, n) => ({
      name: 'task',
      input: { agent: 'general', prompt: `CHILD ${n}`, description: 'd' },
    }));
    const isChild = ({ userTexts }: ScriptRequest) => userTexts.some((text) => text.startsWith('CHILD'));
    let atOnce = 0;
    let most = 0;
    const { session, provider } = await start(
      async (request) => {
        if (!isChild(request)) return { calls: tasks, usage: dollar };
        most = Math.max(most, ++atOnce);
        await new Promise(setImmediate);
        atOnce--;
        return look(request, { usage: dollar });
      },
      { maxBudgetUsd: 4.5 },
    );
    expect(await session.run('go')).toMatchObject({ stop: 'budget' });
    expect(provider.requests).toHaveLength(5);
    expect(most).toBeGreaterThan(1);
  });
});
