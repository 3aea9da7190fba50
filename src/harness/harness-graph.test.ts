import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph, drawGraph } from '../protocol/define/graph.ts';
import { defineTool } from '../protocol/define/tool.ts';
import { planRigs } from '../testing/plan/plan-rig.ts';
import { plan, respondTo, review, roleOf } from '../testing/plan/plan-script.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { allowAll } from '../testing/session-rig.ts';
import { createTempHome, type TempHome } from '../testing/temp-home.ts';
import { drawPlanGraph, HarnessGraph } from './harness-graph.ts';

const start = planRigs(afterEach);
let place: TempHome;
beforeEach(async () => {
  place = await createTempHome();
});
afterEach(() => place.remove());
const where = () => ({
  home: place.home,
  cwd: place.workspace,
  env: { PATH: process.env.PATH, HOME: place.home },
  middleware: [allowAll],
});

describe('HarnessGraph', () => {
  it('takes a request and returns the state, tells what goes on and counts the tokens of each role', async () => {
    const usage = { input: 60, output: 40 };
    const answer = respondTo({});
    const provider = createScriptedProvider({ respond: (request) => ({ ...answer(request), usage }) });
    const status: string[] = [];
    const onStatus = (agent: string, how: string) => status.push(`${agent} ${how}`);
    const graph = new HarnessGraph({ ...where(), provider, onStatus });
    const history = [{ user: 'Hello', assistant: 'Hi' }];
    const state = await graph.run({ userRequest: 'Do it.', sessionContext: { history }, threadId: 'thread-1' });
    expect(state).toMatchObject({
      user_request: 'Do it.',
      session_context: { history },
      status: 'done',
      final_output: 'done',
      verification: 'unverified',
      max_retries: 3,
    });
    expect(status).toEqual([
      ...['planner start', 'planner executor', 'executor start', 'executor reviewer'],
      ...['reviewer start', 'reviewer finalize', 'finalize END'],
    ]);
    const { promptTokens, completionTokens, total, roles } = graph.tokenTracker;
    expect({ promptTokens, completionTokens, total }).toEqual({ promptTokens: 180, completionTokens: 120, total: 300 });
    expect([...roles.keys()]).toEqual(['planner', 'executor', 'reviewer']);
    await graph.run({ userRequest: 'And again.', threadId: 'thread-1' });
    expect(graph.tokenTracker.total).toBe(600);
  });

  it('throws the error that ended the run', async () => {
    const provider = createScriptedProvider({ respond: respondTo({ planner: ['no'] }) });
    const graph = new HarnessGraph({ ...where(), provider });
    await expect(graph.run({ userRequest: 'Do it.' })).rejects.toMatchObject({ code: 'E_AGENT_ANSWER' });
  });

  it('takes a provider by name', async () => {
    const graph = new HarnessGraph({ ...where(), provider: 'offline' });
    const state = await graph.run({ userRequest: 'list the largest source files into report.md' });
    expect(state).toMatchObject({ verification: 'verified', llm_provider: 'offline' });
    expect(await readFile(join(place.workspace, 'report.md'), 'utf8')).toContain('No language model was used');
  });
});

describe('constraints', () => {
  const tool = (name: string, risk: 'read' | 'write' | 'execute') =>
    defineTool({ name, description: `Does ${name}.`, input: z.object({}), risk, execute: () => 'ok' });
  const tools = [tool('look', 'read'), tool('scribble', 'write'), tool('launch', 'execute')];
  const offered = (seen: readonly { step: string; request: { tools: readonly string[] } }[], step: string) =>
    seen
      .find((one) => one.step === step)
      ?.request.tools.filter((name) => tools.some((one) => (one as never as { name: string }).name === name));

  it('a step has what reads, what is of the kind of its tool, and what it names; nothing that is forbidden', async () => {
    const steps = [
      { required_tool: 'none' },
      { required_tool: 'scribble' },
      { required_tool: 'launch', forbidden_tools: ['scribble'] },
      { required_tool: 'none', allowed_tools: ['launch'] },
    ];
    const { session, seen } = await start({ planner: [plan(...steps)] }, { tools });
    await session.run('Do it.');
    expect([1, 2, 3, 4].map((number) => offered(seen, `step_${number}`))).toEqual([
      ['look'],
      ['look', 'scribble'],
      ['launch', 'look'],
      ['launch', 'look'],
    ]);
  });

  it('what is forbidden for the run is not there for anybody, and a plan that requires it goes back', async () => {
    const constraints = { forbidden_tools: ['launch'] };
    const { session, seen } = await start(
      { planner: [plan({ required_tool: 'launch' }), plan({ required_tool: 'scribble' })] },
      { tools, open: { plan: { constraints } } },
    );
    expect(await session.run('Do it.')).toMatchObject({ stop: 'completed' });
    expect(seen.flatMap(({ request }) => request.tools).filter((name) => name === 'launch')).toEqual([]);
    expect(seen[1]?.request.userTexts.at(-1)).toContain('names the tool launch, which is not there');
  });

  it('tokens are counted for the whole tree, before the next call', async () => {
    const answer = respondTo({ planner: [plan({}, {}, {})] });
    const provider = createScriptedProvider({
      respond: (request) => ({ ...answer(request), usage: { input: 50, output: 1 } }),
    });
    const { session } = await start({}, { provider, open: { plan: { constraints: { max_tokens: 100 } } } });
    expect(await session.run('Do it.')).toMatchObject({ stop: 'budget', turns: 2, usage: { input: 100 } });
    expect(provider.requests).toHaveLength(2);
  });

  it('a time without end is no time that is over', async () => {
    const { session } = await start({}, { open: { plan: { constraints: { timeout_seconds: 1e10 } } } });
    expect(await session.run('Do it.')).toMatchObject({ stop: 'completed' });
  });

  it('turns are counted for each agent; a step that has none left has failed', async () => {
    const again = { calls: [{ name: 'look', input: {} }] };
    const { session, state } = await start(
      { executor: { step_1: [again] }, reviewer: [review('finalize', { verdict: 'fail' })] },
      { tools, open: { plan: { constraints: { max_turns: 2 } } } },
    );
    expect(await session.run('Do it.')).toMatchObject({ stop: 'completed', verification: { status: 'failed' } });
    expect(state().actor_outputs).toMatchObject([{ status: 'failed', tool_outputs: ['ok', 'ok'] }]);
  });
});

it('each role may have a model of its own', async () => {
  const { harness, session, seen } = await start({});
  Object.assign(harness.config, { roles: { reviewer: 'offline' } });
  expect(await session.run('Do it.')).toMatchObject({ stop: 'completed' });
  expect(seen.map(({ request }) => roleOf(request))).toEqual(['planner', 'executor']);
});

describe('graphs of the user’s own', () => {
  const step = (edge: string) => ({ step: () => ({ edge, patch: { last: edge } }) });

  it('drive a run', async () => {
    const graph = defineGraph({
      name: 'tiny',
      first: 'count',
      nodes: {
        count: { step: ({ n }) => ({ edge: Number(n) < 2 ? 'count' : 'END', patch: { n: Number(n) + 1 } }) },
      },
      edges: [
        { from: 'count', to: 'count' },
        { from: 'count', to: 'END' },
      ],
      start: () => ({ n: 0 }),
      finish: ({ n }) => ({ text: `counted to ${n}`, stop: 'completed' }),
    });
    const { session } = await start({}, { open: { plan: { graph } } });
    expect(await session.run('Go.')).toMatchObject({ stop: 'completed', text: 'counted to 3' });
  });

  it.each([
    ['an edge to nowhere', { a: step('b') }, [{ from: 'a', to: 'b' }], 'an edge names b, which is no node'],
    ['no way to the end', { a: step('a') }, [{ from: 'a', to: 'a' }], 'no edge leads to END'],
    ['a node nobody reaches', { a: step('END'), b: step('END') }, [{ from: 'a', to: 'END' }], 'no edge leads to b'],
    ['a first node that is not there', {}, [], 'its first node a is not there'],
  ])('are refused for %s', (_name, nodes, edges, detail) => {
    const more = { start: () => ({}), finish: () => ({ text: '', stop: 'completed' as const }) };
    expect(() => defineGraph({ name: 'g', first: 'a', nodes: nodes as never, edges, ...more })).toThrow(detail);
  });

  it('are drawn as Mermaid', async () => {
    const nodes = { a: { agent: 'general', prompt: () => '', take: () => ({ edge: 'END' }) } };
    const more = { start: () => ({}), finish: () => ({ text: '', stop: 'completed' as const }) };
    const graph = defineGraph({
      name: 'g',
      first: 'a',
      nodes,
      edges: [{ from: 'a', to: 'END', label: 'done' }],
      ...more,
    });
    expect(drawGraph(graph)).toBe('flowchart TD\n  a([a])\n  START((START)) --> a\n  a -->|done| END\n  END((END))');
    expect(await drawPlanGraph()).toContain('count_retry -->|replan| planner');
  });
});
