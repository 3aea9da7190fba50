import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ConfigFile } from '../../protocol/config.ts';
import { defineTool } from '../../protocol/define/tool.ts';
import type { ErrorData } from '../../protocol/errors.ts';
import type { StoredEvent, StoredEventOf } from '../../protocol/event.ts';
import type { Json } from '../../protocol/json.ts';
import '../../services/i18n/all-languages.ts';
import { languages, renderError } from '../../services/i18n/translate.ts';
import { createScriptedProvider } from '../../testing/scripted-provider.ts';
import { type ModelServer, startModelServer } from '../../testing/scripted-server.ts';
import { createSessionRig, type SessionRig } from '../../testing/session-rig.ts';
import { createTempHome } from '../../testing/temp-home.ts';
import type { ScriptRequest, Turn } from '../../testing/turn.ts';
import { headTokens } from './_token-count.ts';

type HarnessOptions = NonNullable<Parameters<typeof createSessionRig>[0]>;

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  risk: 'read',
  execute: ({ text }) => `said ${text.slice(0, 400)}`,
});

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function rigOf(options: HarnessOptions, config: ConfigFile = {}): Promise<SessionRig> {
  const place = await createTempHome();
  await writeFile(join(place.home, 'config.json'), JSON.stringify(config));
  const rig = await createSessionRig({ tools: [echo], ...options }, place);
  open.push(rig);
  return rig;
}

async function serverOf(respond: (request: ScriptRequest) => Turn): Promise<ModelServer> {
  const server = await startModelServer({ respond });
  open.push(server);
  return server;
}

const wires = [
  ['chat', 'custom', 'CUSTOM'],
  ['responses', 'openai', 'OPENAI'],
  ['anthropic', 'anthropic', 'ANTHROPIC'],
  ['gemini', 'gemini', 'GEMINI'],
] as const;

function onWire(
  server: ModelServer,
  [wire, provider, prefix]: readonly [(typeof wires)[number][0], string, string],
): HarnessOptions {
  const env = { [`${prefix}_API_KEY`]: 'sk-test-0123456789', [`${prefix}_BASE_URL`]: server.baseUrls[wire] };
  return { env: { PATH: process.env.PATH, ...env }, flags: { model: `${provider}/m-1`, maxTurns: 2000 } };
}

/** A trigger that the prompt alone does not reach, whatever it holds, and a size that is over it. In tokens. */
async function limitsAbovePrompt(): Promise<{ trigger: number; over: number }> {
  const rig = await rigOf({ provider: createScriptedProvider({ script: [{ text: 'hello' }] }), model: 'm-1' });
  await rig.session.run('hi');
  const trigger = headTokens(rig.session.state!.prompt!) + 700;
  return { trigger, over: trigger + 500 };
}

const asksForSummary = ({ userTexts }: ScriptRequest) => /about to be shortened/.test(userTexts.at(-1) ?? '');

async function compactions(rig: SessionRig): Promise<(StoredEvent & StoredEventOf<'compaction'>)[]> {
  const events = await Array.fromAsync(rig.session.events());
  return events.filter((event) => event.type === 'compaction');
}

const task = 'Count everything twice and forget nothing: ORIGINAL-TASK-4711.';

describe.each(wires)('a long session on the wire %s', (...wire) => {
  it('case P17: six compactions and more, no refusal, the task stays, the prefix holds between them', async () => {
    let turns = 0;
    let summaries = 0;
    const server = await serverOf((request) => {
      if (asksForSummary(request)) return { text: `## Goal\nCount. Summary ${++summaries}.` };
      if (++turns === 300) return { text: 'done' };
      const calls = Array.from({ length: turns % 5 === 0 ? 3 : 1 }, (_, index) => ({
        name: 'echo',
        input: { text: `${turns}.${index} ${'你好 words '.repeat(turns % 30)}` },
      }));
      return { text: turns % 3 === 0 ? `turn ${turns}` : '', reasoning: turns % 7 === 0 ? 'hm' : '', calls };
    });
    const rig = await rigOf(onWire(server, wire), { models: { 'm-1': { window: 10_000 } } });
    let longest = 0;
    rig.session.listen(({ type }) => {
      if (type === 'turn-end') longest = Math.max(longest, rig.session.state?.messages.length ?? 0);
    });
    expect(await rig.session.run(task)).toMatchObject({ stop: 'completed', text: 'done', turns: 300 });
    expect(server.problems).toEqual([]);
    expect((await compactions(rig)).length).toBeGreaterThanOrEqual(6);
    expect(longest).toBeLessThan(250);
    expect(server.requests.filter(({ userTexts }) => !userTexts.join().includes('ORIGINAL-TASK-4711'))).toEqual([]);
    const kept = server.prefixReport().flatMap(({ steps }) => steps.map((step) => step.kept));
    expect(kept.filter((share) => share < 1)).toEqual([]);
  }, 60_000);

  it('goes on after a restart with the same bytes', async () => {
    let turns = 0;
    const server = await serverOf((request) => {
      if (asksForSummary(request)) return { text: `Summed up after ${turns}.` };
      return ++turns % 60 === 0
        ? { text: 'done' }
        : { calls: [{ name: 'echo', input: { text: `${turns} ${'x'.repeat(400)}` } }] };
    });
    const rig = await rigOf(onWire(server, wire), { models: { 'm-1': { window: 12_000 } } });
    await rig.session.run(task);
    expect((await compactions(rig)).length).toBeGreaterThan(0);
    const again = await rig.reopen();
    await again.session.run('and on');
    await again.harness.close();
    expect(server.problems).toEqual([]);
    expect(server.prefixReport().flatMap(({ steps }) => steps.filter(({ kept }) => kept < 1))).toEqual([]);
  });
});

describe('a cut', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('case P17: is legal whatever is kept (about %i messages)', async (messages) => {
    let turn = 0;
    const server = await serverOf((request) => {
      if (asksForSummary(request)) return { text: 'Summed up.' };
      turn++;
      if (turn > 6) return { text: 'done' };
      const calls = [{ name: 'echo', input: { text: `${turn} ${'y'.repeat(380)}` } }];
      return { calls: turn === 4 ? [...calls, { name: 'echo', input: { text: 'second' } }] : calls };
    });
    const rig = await rigOf(onWire(server, wires[2]), { compaction: { keep: messages * 110 } });
    await rig.session.run('go');
    await rig.session.compact();
    expect(await rig.session.run('and?')).toMatchObject({ stop: 'completed', text: 'done' });
    expect(server.problems).toEqual([]);
    expect(await compactions(rig)).toHaveLength(1);
    expect(server.requests.at(-1)!.userTexts.join()).toMatch(/go.*Summed up\..*and\?/s);
  });
});

describe('a compaction that cannot help', () => {
  it('case P16: a prompt that alone is over the trigger asks for no summary and is answered', async () => {
    const { trigger, over } = await limitsAbovePrompt();
    const provider = createScriptedProvider({ respond: () => ({ text: 'hello', usage: { input: over } }) });
    const options = { provider, model: 'm-1' };
    const rig = await rigOf(options, { compaction: { trigger } });
    const warnings: ErrorData[] = [];
    rig.session.listen((event) => {
      if (event.type === 'warning') warnings.push(event.warning);
    });
    for (const prompt of ['hi', 'hi again', 'and again']) {
      expect(await rig.session.run(prompt)).toMatchObject({ stop: 'completed', text: 'hello' });
    }
    expect(provider.requests.length).toBe(3);
    expect(warnings).toMatchObject([
      { code: 'E_COMPACTION', params: { reason: { text: 'compaction.nothingToDrop' } } },
    ]);
    const said = languages.map((language) => renderError(warnings[0], language).message);
    expect(said).toEqual([
      'The conversation cannot be made shorter: the prompt, the task and the newest messages take the room, and they stay',
      '对话无法再压缩：占用空间的是提示、任务和最新的消息，这些都要保留',
      '對話無法再壓縮：佔用空間的是提示、任務和最新的訊息，這些都要保留',
    ]);
  });

  it('case P16: with a session that is long, at most three summaries in a row are asked for', async () => {
    const { trigger, over } = await limitsAbovePrompt();
    let results = 0;
    const provider = createScriptedProvider({
      respond: (request) => {
        if (asksForSummary(request)) return { text: 'no shorter'.repeat(50), usage: { input: over } };
        return results++ % 30 < 29
          ? { calls: [{ name: 'echo', input: { text: `${results} ${'z'.repeat(400)}` } }], usage: { input: over } }
          : { text: 'done', usage: { input: over } };
      },
    });
    const rig = await rigOf({ provider, model: 'm-1' }, { compaction: { trigger, keep: 300 } });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'done' });
    expect(provider.requests.filter(asksForSummary)).toHaveLength(3);
    expect(await rig.session.run('once more')).toMatchObject({ stop: 'completed' });
    expect(provider.requests.filter(asksForSummary)).toHaveLength(6);
  });

  it('case P16: a summary request that always fails is sent three times at most, then the turn goes on', async () => {
    const { trigger } = await limitsAbovePrompt();
    const provider = createScriptedProvider({
      respond: (request) => {
        if (asksForSummary(request)) return { status: 400 };
        if (request.results.length < 12)
          return { calls: [{ name: 'echo', input: { text: `${request.results.length} ${'z'.repeat(400)}` } }] };
        return { text: 'done', usage: { input: 9000 } };
      },
    });
    const rig = await rigOf({ provider, model: 'm-1' });
    await rig.session.run('go');
    await rig.session.close();
    await writeFile(join(rig.place.home, 'config.json'), JSON.stringify({ compaction: { trigger, keep: 300 } }));
    const again = await rig.reopen();
    const before = provider.requests.length;
    expect(await again.session.run('hi')).toMatchObject({ stop: 'completed', text: 'done' });
    expect(provider.requests.length - before).toBe(4);
    await again.harness.close();
  });
});

describe('a summary without a word', () => {
  const spent = { input: 700, output: 3 };
  const blank = { kind: 'summary', keepFrom: 0, usage: spent };

  it('is counted, and the history stays: before a request, where the next try brings one', async () => {
    const { trigger, over } = await limitsAbovePrompt();
    let asked = 0;
    const provider = createScriptedProvider({
      respond: (request) => {
        if (asksForSummary(request)) return { text: ++asked === 1 ? ' \n' : 'Summed up.', usage: spent };
        const { length } = request.calls;
        if (asked > 0) return { text: 'done', usage: { input: 10, output: 1 } };
        const calls = [{ name: 'echo', input: { text: `${length} ${'z'.repeat(400)}` } }];
        return { calls, usage: { input: length < 11 ? 100 : over, output: 1 } };
      },
    });
    const rig = await rigOf({ provider, model: 'm-1' }, { compaction: { trigger, keep: 300 } });
    const outcome = await rig.session.run('go');
    expect(outcome).toMatchObject({ stop: 'completed', text: 'done' });
    const found = await compactions(rig);
    expect(found).toMatchObject([blank, { kind: 'summary', summary: 'Summed up.', usage: spent }]);
    expect(found[0]).not.toHaveProperty('summary');
    const events = await Array.fromAsync(rig.session.events());
    const turns = events.flatMap((event) => (event.type === 'turn-end' ? [event.usage.input] : []));
    expect(outcome.usage.input).toBe(turns.reduce((sum, input) => sum + input, 2 * 700));
    const { usage } = await (await rig.harness.store()).usage(rig.session.id);
    expect(usage).toEqual(outcome.usage);
    // The second try was asked with everything that the first one saw.
    const [first, second] = provider.requests.filter(asksForSummary);
    expect(second!.calls.length).toBeGreaterThan(0);
    expect(first!.userTexts[1]).toBe('go');
  });

  it('is counted where a person asked for it, and where a request is too long', async () => {
    const server = await serverOf((request) => {
      if (asksForSummary(request)) return { text: '', usage: spent };
      if (request.calls.length === 12)
        return { status: 400, body: { error: { code: 'context_length_exceeded', message: 'too long' } } };
      return { calls: [{ name: 'echo', input: { text: `${request.calls.length} ${'w'.repeat(400)}` } }] };
    });
    const rig = await rigOf(onWire(server, wires[0]), { compaction: { keep: 300 } });
    const outcome = await rig.session.run('go');
    const noSummary = { code: 'E_COMPACTION', params: { reason: { text: 'compaction.noSummary' } } };
    expect(outcome).toMatchObject({ stop: 'error', error: noSummary });
    const asked = server.requests.filter(asksForSummary).length;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(3);
    expect(await compactions(rig)).toMatchObject(Array(asked).fill(blank));
    const before = rig.session.state!.messages;
    await expect(rig.session.compact()).rejects.toMatchObject(noSummary);
    expect(rig.session.state!.messages).toEqual(before);
    expect(await compactions(rig)).toMatchObject(Array(asked + 1).fill(blank));
    const { usage } = await (await rig.harness.store()).usage(rig.session.id);
    expect(usage.input - outcome.usage.input).toBe(700);
  });
});

describe('a request that the provider finds too long', () => {
  const bodies: Json[] = [
    { error: { code: 'context_length_exceeded', message: "This model's maximum context length is 8192 tokens." } },
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9000 tokens > 8192 maximum' },
    },
    {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
      },
    },
  ];

  const tooLong =
    (body: Json, limit: number) =>
    (request: ScriptRequest): Turn => {
      const size = JSON.stringify([request.userTexts, request.calls, request.results]).length;
      if (size > limit) return { status: 400, body };
      if (asksForSummary(request)) return { text: 'Summed up.' };
      const { length } = request.calls;
      const text = request.results.at(-1)?.text ?? '';
      if (text.includes(' last ')) return { text: 'done' };
      const isLast = length > 12 || request.userTexts.join().includes('Summed up.');
      return { calls: [{ name: 'echo', input: { text: `${length} ${isLast ? ' last ' : ''} ${'w'.repeat(400)}` } }] };
    };

  it.each(bodies)('is summed up once and sent again: %j', async (body) => {
    const server = await serverOf(tooLong(body, 8000));
    const rig = await rigOf(onWire(server, wires[0]));
    expect(await rig.session.run('go')).toMatchObject({ stop: 'completed', text: 'done' });
    expect(await compactions(rig)).toHaveLength(1);
    expect(server.requests.filter(asksForSummary).length).toBeLessThanOrEqual(2);
  });

  it('ends with the reason when nothing can be left out, in at most six requests', async () => {
    const server = await serverOf(tooLong(bodies[0]!, 10));
    const rig = await rigOf(onWire(server, wires[0]));
    expect(await rig.session.run('go')).toMatchObject({ stop: 'error', error: { code: 'E_COMPACTION' } });
    expect(server.requests).toHaveLength(1);
  });

  it('case P16: ends with the reason when a summary does not help or cannot be had, in at most six requests', async () => {
    let full = false;
    const server = await serverOf((request) => {
      if (full) return { status: 400, body: bodies[0]! };
      full = request.calls.length === 11;
      return { calls: [{ name: 'echo', input: { text: `${request.calls.length} ${'w'.repeat(400)}` } }] };
    });
    const rig = await rigOf(onWire(server, wires[0]));
    expect(await rig.session.run('go')).toMatchObject({
      stop: 'error',
      error: { code: 'E_COMPACTION', params: { reason: { text: 'compaction.noSummary' } } },
    });
    expect(server.requests.length - 12).toBeLessThanOrEqual(6);
  });

  it('throttling is waited for and never summed up', async () => {
    const clock = (await import('../../testing/time.ts')).createFakeClock();
    const throttled = {
      status: 429,
      body: { error: { message: 'Rate limit reached on tokens per min (TPM): Limit 30000, Requested 40000.' } },
    };
    const server = await serverOf(() => throttled);
    const rig = await rigOf({ ...onWire(server, wires[0]), clock });
    const outcome = rig.session.run('go');
    const { waitFor } = await import('../../testing/time.ts');
    for (let attempt = 1; attempt <= 3; attempt++) {
      await waitFor(() => clock.sleeping === 1 && server.requests.length === attempt);
      clock.advance(120_000);
    }
    expect(await outcome).toMatchObject({ stop: 'error', error: { code: 'E_PROVIDER_RATE_LIMIT' } });
    expect(server.requests.filter(asksForSummary)).toEqual([]);
  });
});

describe('old arguments', () => {
  it('are cut short in batches, as an event, when that saves a tenth', async () => {
    const server = await serverOf(({ calls }) =>
      calls.length < 70
        ? { calls: [{ name: 'echo', input: { text: `${calls.length} ${'a'.repeat(5000)}` } }] }
        : { text: 'done' },
    );
    const rig = await rigOf({ ...onWire(server, wires[2]) });
    await rig.session.run('go');
    const found = await compactions(rig);
    expect(found.map(({ kind, maxLength }) => `${kind} ${maxLength}`)).toEqual(Array(4).fill('arguments 2000'));
    expect(server.problems).toEqual([]);
    const lengths = server.requests.at(-1)!.calls.map((call) => call.arguments.length);
    expect(lengths.slice(0, 40).every((length) => length < 400)).toBe(true);
    expect(lengths.slice(-10).every((length) => length > 5000)).toBe(true);
    const broken = server.prefixReport().flatMap(({ steps }) => steps.filter(({ kept }) => kept < 1));
    expect(broken).toHaveLength(4);
  });

  it('stay whole when that saves too little', async () => {
    const provider = createScriptedProvider({
      respond: ({ calls }) =>
        calls.length < 60
          ? {
              calls: [
                { name: 'echo', input: { text: `${calls.length} ${'a'.repeat(calls.length === 3 ? 2500 : 1500)}` } },
              ],
            }
          : { text: 'done' },
    });
    const rig = await rigOf({ provider, flags: { maxTurns: 100 } });
    await rig.session.run('go');
    expect(await compactions(rig)).toEqual([]);
  });
});

describe('asked for by a person', () => {
  it('sums up between two runs, counts what it cost, and renders the prompt anew', async () => {
    const provider = createScriptedProvider({
      script: [
        { calls: [{ name: 'echo', input: { text: 'x'.repeat(300) } }] },
        { text: 'first answer' },
        { text: 'The summary.', usage: { input: 1000, output: 20 } },
        { text: 'second answer', usage: { input: 10, output: 1 } },
      ],
    });
    const rig = await rigOf({ provider }, { compaction: { keep: 5 } });
    await rig.session.run('the task');
    await rig.session.compact();
    const [event] = await compactions(rig);
    expect(event).toMatchObject({ kind: 'summary', summary: 'The summary.', usage: { input: 1000, output: 20 } });
    expect(await rig.session.run('go on')).toMatchObject({ text: 'second answer' });
    const types = (await Array.fromAsync(rig.session.events())).map(({ type }) => type);
    expect(types.filter((type) => type === 'prompt')).toHaveLength(2);
    const [summary, next] = provider.requests.slice(2);
    expect(summary!.messages).toEqual(provider.requests[1]!.messages.concat(summary!.messages.slice(-1)));
    expect(next!.messages.map(({ role }) => role)).toEqual(['user', 'user', 'user', 'assistant', 'user']);
    expect(next!.userTexts[1]).toBe('the task');
    expect(next!.userTexts[2]).toContain('The summary.');
    const { usage } = await (await rig.harness.store()).usage(rig.session.id);
    expect(usage.input).toBeGreaterThan(1000);
  });

  it('says why when there is nothing to leave out', async () => {
    const rig = await rigOf({ provider: createScriptedProvider({ script: [] }) });
    await expect(rig.session.compact()).rejects.toMatchObject({ code: 'E_COMPACTION' });
  });
});
