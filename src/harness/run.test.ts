import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineMiddleware } from '../protocol/define/middleware.ts';
import { defineTool } from '../protocol/define/tool.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../testing/session-rig.ts';
import type { Turn } from '../testing/turn.ts';
import { echo } from './__fixtures__/echo.ts';

const calls = (...texts: string[]): Turn => ({ calls: texts.map((text) => ({ name: 'echo', input: { text } })) });

const rigs: SessionRig[] = [];
const rigOf = async (...args: Parameters<typeof createSessionRig>) => {
  const rig = await createSessionRig(...args);
  rigs.push(rig);
  return rig;
};
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
});

describe('a run', () => {
  it('calls the tools of a turn, hands their results back in call order and ends with the last words', async () => {
    const provider = createScriptedProvider({ script: [calls('a', 'b'), { text: 'done' }] });
    const rig = await rigOf({ provider, tools: [echo] });
    const outcome = await rig.session.run('go');
    expect(outcome).toMatchObject({ stop: 'completed', text: 'done', turns: 2, refused: [] });
    expect(provider.requests[1]?.results.map(({ text }) => text)).toEqual(['said a', 'said b']);
    provider.assertComplete();
  });
});

describe('limits', () => {
  it('ends with max-turns before the next call', async () => {
    const provider = createScriptedProvider({ respond: ({ results }) => calls(`n${results.length}`) });
    const rig = await rigOf({ provider, tools: [echo], flags: { maxTurns: 3 } });
    const outcome = await rig.session.run('go');
    expect(outcome).toMatchObject({ stop: 'max-turns', turns: 3, error: { code: 'E_MAX_TURNS' } });
    expect(provider.requests).toHaveLength(3);
  });

  it('ends with budget when the tokens of the tree are used up', async () => {
    const respond = ({ results }: { results: readonly unknown[] }) => ({
      ...calls(`n${results.length}`),
      usage: { input: 60, output: 0 },
    });
    const rig = await rigOf({
      provider: createScriptedProvider({ respond }),
      tools: [echo],
      flags: { maxTokens: 100 },
    });
    expect(await rig.session.run('go')).toMatchObject({ stop: 'budget', turns: 2 });
  });

  it('security L7: a loop brings one correction, then an error that names it', async () => {
    const provider = createScriptedProvider({ respond: () => calls('same') });
    const rig = await rigOf({ provider, tools: [echo] });
    const outcome = await rig.session.run('go');
    expect(outcome).toMatchObject({ stop: 'error', turns: 6, error: { code: 'E_LOOP', params: { calls: 'echo' } } });
    expect(provider.requests[3]?.userTexts.at(-1)).toMatch(/three times with the same input/);
  });
});

describe('middleware', () => {
  it('wraps model and tool calls from the outside in, and keeps its state private', async () => {
    const trace: string[] = [];
    const counter = (name: string) =>
      defineMiddleware<{ count: number }>({
        name,
        state: z.object({ count: z.number().default(0) }),
        beforeModel: ({ state }) => ({ state: { count: state.count + 1 } }),
        wrapModelCall: async (request, next, { state }) => {
          trace.push(`${name} model ${state.count}`);
          return next(request);
        },
        wrapToolCall: async (call, next) => {
          trace.push(`${name} tool ${call.input.text}`);
          return next(call);
        },
      });
    const provider = createScriptedProvider({ script: [calls('x'), { text: 'done' }] });
    const rig = await rigOf({ provider, tools: [echo], middleware: [counter('outer'), counter('inner')] });
    await rig.session.run('go');
    expect(trace).toEqual([
      'outer model 1',
      'inner model 1',
      'outer tool x',
      'inner tool x',
      'outer model 2',
      'inner model 2',
    ]);
  });

  it('may add messages after the model, which means one more turn', async () => {
    let reminded = false;
    const reminder = defineMiddleware({
      name: 'reminder',
      afterModel: () => {
        if (reminded) return undefined;
        reminded = true;
        return { append: [{ role: 'user', parts: [{ type: 'text', text: 'really?' }] }] };
      },
    });
    const provider = createScriptedProvider({ script: [{ text: 'one' }, { text: 'two' }] });
    const rig = await rigOf({ provider, middleware: [reminder] });
    expect(await rig.session.run('go')).toMatchObject({ text: 'two', turns: 2, stop: 'completed' });
  });

  it('that throws ends the run with its name, and the calls of that turn are not run', async () => {
    const ran: string[] = [];
    const spy = defineTool({
      name: 'echo',
      description: 'd',
      input: z.object({}),
      risk: 'read',
      execute: () => String(ran.push('x')),
    });
    const broken = defineMiddleware({
      name: 'broken',
      afterModel: () => {
        throw new Error('no luck');
      },
    });
    const rig = await rigOf({
      provider: createScriptedProvider({ script: [calls('a')] }),
      tools: [spy],
      middleware: [broken],
    });
    expect(await rig.session.run('go')).toMatchObject({
      stop: 'error',
      error: { code: 'E_MIDDLEWARE', params: { name: 'broken', detail: 'no luck' } },
    });
    expect(ran).toEqual([]);
  });

  it('cannot change a request: it is frozen', async () => {
    const vandal = defineMiddleware({
      name: 'vandal',
      wrapModelCall: async (request, next) => {
        (request as { model: string }).model = 'other';
        return next(request);
      },
    });
    const rig = await rigOf({ provider: createScriptedProvider({ script: [{ text: 'x' }] }), middleware: [vandal] });
    expect(await rig.session.run('go')).toMatchObject({
      stop: 'error',
      error: { code: 'E_MIDDLEWARE', params: { name: 'vandal' } },
    });
  });
});
