import { afterEach, describe, expect, it } from 'vitest';
import type { HarnessState } from '../protocol/plan.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { createSessionRig, type SessionRig } from '../testing/session-rig.ts';
import { issue, type PlanScript, plan, planOf, report, respondTo, review } from './__fixtures__/plan-script.ts';
import type { DriverOptions } from './drivers.ts';
import type { HarnessOptions } from './options.ts';

const rigs: SessionRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
});

async function start(script: PlanScript, options: Partial<HarnessOptions> = {}, driver: DriverOptions = {}) {
  const seen: Parameters<typeof respondTo>[1] = [];
  const provider = createScriptedProvider({ respond: respondTo(script, seen) });
  const first = await createSessionRig({ provider, ...options });
  const rig = await first.reopen({ plan: true, ...driver });
  rigs.push(rig);
  const state = () => rig.session.plan as unknown as HarnessState;
  const roles = () => seen.map(({ role, step }) => (step ? `${role} ${step}` : role));
  const edges = async () => {
    const all = [];
    for await (const event of rig.session.events())
      if (event.type === 'plan-update' && event.edge) all.push(event.edge);
    return all.join(' ');
  };
  return { rig, session: rig.session, provider, seen, state, roles, edges };
}

describe('the plan graph', () => {
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
    const outcome = await session.run('Do it.');
    expect(outcome).toMatchObject({ stop: 'completed', verification: { status: 'unverified' } });
    expect(roles()).toEqual([
      ...['planner', 'executor step_1', 'executor step_2', 'executor step_3', 'reviewer'],
      ...['executor step_2', 'reviewer'],
    ]);
    expect(seen[5]?.request.userTexts.at(-1)).toContain(
      'What was wrong, and has to be mended:\n- step_2 left out the end mend it',
    );
    expect(state().retry_count).toBe(1);
  });
});
