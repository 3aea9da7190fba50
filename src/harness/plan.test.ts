import { afterEach, describe, expect, it } from 'vitest';
import { planRigs } from '../testing/plan/plan-rig.ts';
import { issue, plan, planOf, report, review } from '../testing/plan/plan-script.ts';
import { echo } from './__fixtures__/echo.ts';

const start = planRigs(afterEach);

describe('the way through the graph', () => {
  it('passes at once: planner, each step, reviewer', async () => {
    const { session, state, roles, edges } = await start({ planner: [plan({}, {})] });
    const outcome = await session.run('Do it.');
    expect(outcome).toMatchObject({
      stop: 'completed',
      text: '**do part 1**\n\ndone\n\n**do part 2**\n\ndone',
      verification: { status: 'unverified', reason: 'no-checks', checks: [] },
    });
    expect(roles()).toEqual(['planner', 'executor step_1', 'executor step_2', 'reviewer']);
    expect(await edges()).toBe('planner executor executor reviewer finalize END');
    expect(state()).toMatchObject({
      user_request: 'Do it.',
      session_context: { history: [] },
      constraints: {},
      plan: { task_goal: 'the goal' },
      actor_outputs: [
        { step_id: 'step_1', status: 'success', tool_calls: [], tool_outputs: [], result_summary: 'done' },
        { step_id: 'step_2', status: 'success' },
      ],
      review_results: [{ verdict: 'pass', score: 0.85, issues: [], next_action: 'finalize' }],
      current_step_index: 1,
      retry_count: 0,
      max_retries: 3,
      llm_provider: 'scripted',
      status: 'done',
      final_output: outcome.text,
    });
  });

  it('repeats only the step that an issue names, hands it the issue, and passes', async () => {
    const { session, state, roles, seen } = await start({
      planner: [plan({}, {}, {})],
      reviewer: [review('retry_actor', { issues: [issue('step_2 left out the end')] }), review()],
    });
    expect(await session.run('Do it.')).toMatchObject({ stop: 'completed', verification: { status: 'unverified' } });
    expect(roles()).toEqual([
      ...['planner', 'executor step_1', 'executor step_2', 'executor step_3', 'reviewer'],
      ...['executor step_2', 'reviewer'],
    ]);
    expect(seen[5]?.request.userTexts.at(-1)).toContain(
      'What was wrong, and has to be mended:\n- step_2 left out the end mend it',
    );
    expect(state().retry_count).toBe(1);
  });

  it('makes another plan, which knows the verdict', async () => {
    const { session, state, roles, seen, edges } = await start({
      planner: [plan(), plan({ description: 'another way' })],
      reviewer: [review('replan', { issues: [issue('the wrong way')] }), review()],
    });
    await session.run('Do it.');
    expect(roles()).toEqual(['planner', 'executor step_1', 'reviewer', 'planner', 'executor step_1', 'reviewer']);
    expect(seen[3]?.request.userTexts.at(-1)).toContain('- the wrong way mend it');
    expect(seen[3]?.request.userTexts.at(-1)).toContain('Verdicts of the reviewer so far:\n- needs_revision, 0.85');
    expect(await edges()).toBe('planner executor reviewer count_retry planner executor reviewer finalize END');
    expect(state()).toMatchObject({ retry_count: 1, plan: { steps: [{ description: 'another way' }] } });
  });

  it('ends with what there is, not passed, when the one counter of retries and new plans is used up', async () => {
    const { session, state, roles } = await start({ reviewer: [review('retry_actor'), review('replan')] });
    const outcome = await session.run('Do it.');
    expect(outcome).toMatchObject({
      stop: 'completed',
      text: 'done',
      verification: { status: 'failed', reason: 'review' },
    });
    expect(roles().filter((role) => role === 'reviewer')).toHaveLength(4);
    expect(state()).toMatchObject({ retry_count: 3, status: 'done' });
  });

  it('leaves what builds on a step that failed, and does both when it tries again', async () => {
    const failed = report({ status: 'failed', errors: ['no way'], result_summary: 'nothing' });
    const { session, state, roles } = await start({
      planner: [plan({}, {}, {})],
      executor: { step_2: [failed, report()] },
      reviewer: [review('retry_actor', { issues: [issue('a step failed')] }), review()],
    });
    expect(await session.run('Do it.')).toMatchObject({ stop: 'completed', verification: { status: 'unverified' } });
    expect(roles()).toEqual([
      ...['planner', 'executor step_1', 'executor step_2', 'reviewer'],
      ...['executor step_2', 'executor step_3', 'reviewer'],
    ]);
    expect(state().actor_outputs.map(({ step_id, status }) => `${step_id} ${status}`)).toEqual([
      'step_1 success',
      'step_2 failed',
      'step_2 success',
      'step_3 success',
    ]);
  });

  it('records a step with the calls and outputs of its log, whatever the executor says of them', async () => {
    const { session, state } = await start(
      {
        planner: [plan({ required_tool: 'echo' })],
        executor: {
          step_1: [
            { calls: [{ name: 'echo', input: { text: 'a' } }] },
            { ...report(), tool_calls: [{ tool_name: 'rm', arguments: {} }], tool_outputs: ['all gone'] },
          ],
        },
      },
      { tools: [echo] },
    );
    await session.run('Do it.');
    expect(state().actor_outputs).toMatchObject([
      { tool_calls: [{ tool_name: 'echo', arguments: { text: 'a' } }], tool_outputs: ['said a'] },
    ]);
  });

  it('tells the planner what was said before in the session', async () => {
    const { session, seen } = await start({});
    await session.run('First.');
    await session.run('Second.');
    expect(
      seen
        .filter(({ role }) => role === 'planner')
        .at(-1)
        ?.request.userTexts.at(-1),
    ).toContain(`What was said before:\n${JSON.stringify([{ user: 'First.', assistant: 'done' }], null, 1)}`);
  });
});

describe('answers that cannot be used', () => {
  const bad = [
    ['prose', 'I would first look around.', 'There is no JSON in it.'],
    ['an empty plan', planOf({ steps: [] }), 'A plan has at least one step'],
    ['200 steps', plan(...Array.from({ length: 200 }, () => ({}))), 'steps'],
    ['the same id twice', plan({ id: 'a' }, { id: 'a' }), 'The step id a occurs more than once'],
    ['a tool that is not there', plan({ required_tool: 'teleport' }), 'names the tool teleport, which is not there'],
    ['a field that is missing', { ...plan(), task_type: 'magic' }, 'task_type'],
  ] as const;

  it.each(bad)('a plan of %s goes back to the planner once, then its next one counts', async (_name, answer, why) => {
    const { session, seen, roles } = await start({ planner: [answer, plan()] });
    expect(await session.run('Do it.')).toMatchObject({ stop: 'completed' });
    expect(roles()).toEqual(['planner', 'planner', 'executor step_1', 'reviewer']);
    expect(seen[1]?.request.userTexts.at(-1)).toContain(why);
  });

  it.each(bad)('a plan of %s twice ends the run with an error that names the planner', async (_name, answer) => {
    const { session, roles } = await start({ planner: [answer] });
    expect(await session.run('Do it.')).toMatchObject({
      stop: 'error',
      error: { code: 'E_AGENT_ANSWER', params: { agent: 'planner' } },
    });
    expect(roles()).toEqual(['planner', 'planner']);
  });

  it('a plan in prose or in a fenced block is found, with tools by their other names', async () => {
    const text = `Here it is:\n\n\`\`\`json\n${JSON.stringify(plan({ required_tool: 'Read' }), null, 2)}\n\`\`\`\nGood luck!`;
    const { session, state } = await start({ planner: [text] });
    expect(await session.run('Do it.')).toMatchObject({ stop: 'completed' });
    expect(state().plan?.steps[0]?.required_tool).toBe('read_file');
  });

  it.each([
    ['an unknown next_action', review('dance')],
    ['a score above 1', review('finalize', { score: 7 })],
    ['a question that is missing', review('ask_user')],
  ])('a review with %s is asked for once more, then ends the run', async (_name, answer) => {
    const mended = await start({ reviewer: [answer, review()] });
    expect(await mended.session.run('Do it.')).toMatchObject({ stop: 'completed' });
    const broken = await start({ reviewer: [answer] });
    expect(await broken.session.run('Do it.')).toMatchObject({
      stop: 'error',
      error: { code: 'E_AGENT_ANSWER', params: { agent: 'reviewer' } },
    });
  });

  it('a step without a report has failed, and the reviewer sees why', async () => {
    const { session, state, seen } = await start({
      executor: { step_1: ['All good!'] },
      reviewer: [review('finalize', { verdict: 'fail' })],
    });
    expect(await session.run('Do it.')).toMatchObject({ verification: { status: 'failed', reason: 'review' } });
    expect(state().actor_outputs).toMatchObject([{ step_id: 'step_1', status: 'failed' }]);
    expect(seen.at(-1)?.request.userTexts.at(-1)).toContain('"status": "failed"');
  });

  it('a step that uses up its turns has failed, and that is said in words', async () => {
    const call = { calls: [{ name: 'read_file', input: { file_path: 'a.txt' } }] };
    const { session, state } = await start(
      { executor: { step_1: [call] }, reviewer: [review('finalize', { verdict: 'fail' })] },
      { flags: { maxTurns: 1 } },
    );
    expect(await session.run('Do it.')).toMatchObject({
      stop: 'completed',
      text: 'Not finished: the limit of turns (1) was reached.',
      verification: { status: 'failed', reason: 'review' },
    });
    expect(state().actor_outputs).toMatchObject([{ status: 'failed', errors: [expect.not.stringMatching(/E_/)] }]);
  });

  it.each(['planner', 'reviewer'] as const)(
    'a %s that uses up its turns ends the run as the limit does',
    async (role) => {
      const call = { calls: [{ name: 'read_file', input: { file_path: 'a.txt' } }] };
      const { session } = await start({ [role]: [call] }, { flags: { maxTurns: 1 } });
      expect(await session.run('Do it.')).toMatchObject({
        stop: 'max-turns',
        error: { code: 'E_MAX_TURNS', params: { limit: 1 } },
      });
    },
  );

  it('what is wrong with an answer is said on one line', async () => {
    const { session } = await start({ reviewer: [review('finalize', { score: 7, issues: [{}] })] });
    const { error } = await session.run('Do it.');
    expect(error?.params.detail).toMatch(
      /^It does not have the shape that is asked for: score: .+; issues\.0\.\w+: [^\n]+$/,
    );
  });

  it('a model that cannot be reached ends the run with its own error', async () => {
    const { session } = await start({ planner: [{ status: 401 }] });
    expect(await session.run('Do it.')).toMatchObject({ stop: 'error', error: { code: 'E_PROVIDER_AUTH' } });
  });
});
