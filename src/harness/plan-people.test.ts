import { afterEach, describe, expect, it } from 'vitest';
import type { Decision, Interrupt } from '../protocol/interrupt.ts';
import { type PlanRig, planRigs } from '../testing/plan/plan-rig.ts';
import { plan, planOf, report, review } from '../testing/plan/plan-script.ts';
import { waitFor } from '../testing/time.ts';

const start = planRigs(afterEach);

const asked = (rig: PlanRig, not?: Interrupt) =>
  waitFor(async () => (await rig.session.interrupts()).find(({ id }) => id !== not?.id));
const answer = (rig: PlanRig, { id, digest }: Interrupt, decision: Omit<Decision, 'digest'>) =>
  rig.session.answer(id, { ...decision, digest });

describe.each([
  ['a plan that asks for confirmation', planOf({ requires_user_confirmation: true })],
  ['a step of high risk', plan({ risk_level: 'high' })],
])('%s', (_name, risky) => {
  it('is put before a person, and goes on when approved', async () => {
    const rig = await start({ planner: [risky] }, { interactive: true });
    const done = rig.session.run('Do it.');
    const interrupt = await asked(rig);
    expect(interrupt).toMatchObject({ kind: 'plan', agent: 'main', plan: { task_goal: 'the goal' } });
    expect(rig.roles()).toEqual(['planner']);
    await answer(rig, interrupt, { decision: 'approve' });
    expect(await done).toMatchObject({ stop: 'completed', verification: { status: 'unverified' } });
  });

  it('runs as a person changed it; a change that is no plan is asked about again', async () => {
    const rig = await start({ planner: [risky] }, { interactive: true });
    const done = rig.session.run('Do it.');
    const first = await asked(rig);
    await answer(rig, first, { decision: 'edit', input: { nonsense: true } });
    const second = await asked(rig, first);
    expect(second.warnings[0]).toContain('task_goal');
    const input = JSON.parse(JSON.stringify(plan({ id: 'mine' })));
    await answer(rig, second, { decision: 'edit', input });
    await done;
    expect(rig.roles()).toEqual(['planner', 'executor mine', 'reviewer']);
  });

  it('goes back to the planner with the reason it was rejected for, the counter unchanged', async () => {
    const rig = await start({ planner: [risky, plan()] }, { interactive: true });
    const done = rig.session.run('Do it.');
    await answer(rig, await asked(rig), { decision: 'reject', reason: 'without deleting anything' });
    expect(await done).toMatchObject({ stop: 'completed' });
    expect(rig.seen[1]?.request.userTexts.at(-1)).toContain('Do it.\n\nwithout deleting anything');
    expect(rig.state().retry_count).toBe(0);
  });

  it('ends rejected when a person says no without a reason', async () => {
    const rig = await start({ planner: [risky] }, { interactive: true });
    const done = rig.session.run('Do it.');
    await answer(rig, await asked(rig), { decision: 'reject' });
    expect(await done).toMatchObject({ stop: 'rejected', verification: { status: 'unverified', reason: 'plan-only' } });
    expect(rig.roles()).toEqual(['planner']);
  });

  it('is the result where nobody is there, and nothing ran', async () => {
    const rig = await start({ planner: [risky] });
    expect(await rig.session.run('Do it.')).toMatchObject({
      stop: 'rejected',
      text: expect.stringMatching(/^# the goal\n/),
    });
    expect(rig.roles()).toEqual(['planner']);
  });
});

describe('a question of the reviewer', () => {
  const script = { reviewer: [review('ask_user', { question: 'Which one?' }), review()] };

  it('is asked; the answer joins the request and the planner goes on, the counter unchanged', async () => {
    const rig = await start(script, { interactive: true });
    const done = rig.session.run('Do it.');
    const interrupt = await asked(rig);
    expect(interrupt).toMatchObject({ kind: 'question', question: 'Which one?' });
    await answer(rig, interrupt, { decision: 'answer', answer: 'The left one.' });
    expect(await done).toMatchObject({ stop: 'completed', verification: { status: 'unverified' } });
    expect(rig.state()).toMatchObject({ user_request: 'Do it.\n\nWhich one?\nThe left one.', retry_count: 0 });
    expect(await rig.edges()).toBe('planner executor reviewer ask_user planner executor reviewer finalize END');
  });

  it('is what comes out where nobody is there', async () => {
    const rig = await start(script);
    expect(await rig.session.run('Do it.')).toMatchObject({
      stop: 'completed',
      text: 'Which one?',
      verification: { status: 'failed', reason: 'question' },
    });
  });

  it('closes with the run that is aborted', async () => {
    const rig = await start(script, { interactive: true });
    const done = rig.session.run('Do it.');
    const { id } = await asked(rig);
    await rig.session.abort();
    expect(await done).toMatchObject({ stop: 'aborted' });
    expect(await rig.session.interrupts()).toEqual([]);
    const events = await Array.fromAsync(rig.session.events());
    expect(events.filter(({ type }) => type === 'interrupt-close')).toMatchObject([
      { interruptId: id, decision: { decision: 'cancelled' } },
    ]);
  });
});

it('an interrupt of an executor is listed and answered at the root', async () => {
  const call = { calls: [{ name: 'ask_user', input: { question: 'Sure?' } }] };
  const done = { status: 'success', result_summary: 'asked' };
  const rig = await start({ executor: { step_1: [call, done] } }, { interactive: true });
  const outcome = rig.session.run('Do it.');
  const interrupt = await asked(rig);
  expect(interrupt).toMatchObject({ kind: 'question', agent: 'main/executor-2', question: 'Sure?' });
  await answer(rig, interrupt, { decision: 'answer', answer: 'Yes.' });
  expect(await outcome).toMatchObject({ stop: 'completed', text: 'asked' });
  expect(rig.state().actor_outputs[0]?.tool_outputs).toEqual(['Yes.']);
});

it('the mode plan shows the plan and changes nothing', async () => {
  const rig = await start(
    { planner: [plan({ risk_level: 'high' })] },
    { flags: { permissionMode: 'plan' }, gated: true },
  );
  expect(await rig.session.run('Do it.')).toMatchObject({
    stop: 'completed',
    text: '# the goal\n\n1. do part 1 (none, high)\n\n- ✓ it is there',
    verification: { status: 'unverified', reason: 'plan-only' },
  });
  expect(rig.roles()).toEqual(['planner']);
});

it('what is said while a plan is open goes to the agent that works, also in another process', async () => {
  const call = { calls: [{ name: 'ask_user', input: { question: 'Left or right?' } }] };
  const script = { executor: { step_1: [call, { status: 'success', result_summary: 'left' }] } };
  const first = await start(script, { interactive: true });
  void first.session.run('Do it.');
  await asked(first);
  await first.harness.close();
  const { home, workspace: cwd } = first.place;
  const open = { resume: first.session.id };
  const next = await start({ executor: { step_1: script.executor.step_1.slice(1) } }, { home, cwd, open });
  expect(await next.session.run('Take the left one.')).toMatchObject({ stop: 'completed', text: 'left' });
  expect(next.seen[0]).toMatchObject({ role: 'executor', step: 'step_1' });
  expect(next.seen[0]?.request.userTexts.at(-1)).toBe('Take the left one.');
});

describe('a person refuses a call', () => {
  const write = { calls: [{ name: 'write_file', input: { file_path: 'hello.txt', content: 'new' } }] };
  const made = { status: 'success', result_summary: 'made' };
  const exists = { checks: [{ criterion: 'it is there', file_exists: 'hello.txt' }] };
  const gated = { gated: true, interactive: true, files: { 'hello.txt': 'old' } } as const;

  it('without a reason: the plan ends rejected, names the call, and is not verified by what was there before', async () => {
    const script = {
      planner: [planOf(exists, { required_tool: 'write_file' }, {})],
      executor: { step_1: [write, made] },
    };
    const rig = await start(script, gated);
    const done = rig.session.run('Do it.');
    await answer(rig, await asked(rig), { decision: 'reject' });
    expect(await done).toMatchObject({
      stop: 'rejected',
      text: 'Not finished: a person refused a call: write_file {"file_path":"hello.txt","content":"new"}.',
      verification: { status: 'failed', reason: 'refused', checks: [] },
      refused: [{ tool: 'write_file', refusal: 'person' }],
    });
    expect(await rig.edges()).toBe('planner executor finalize END');
    expect(await rig.place.read('hello.txt')).toBe('old');
  });

  it('with a reason: the step goes on, and the reviewer sees what was refused and why', async () => {
    const script = { planner: [planOf({}, { required_tool: 'write_file' })], executor: { step_1: [write, made] } };
    const rig = await start(script, gated);
    const done = rig.session.run('Do it.');
    await answer(rig, await asked(rig), { decision: 'reject', reason: 'keep the old one' });
    expect(await done).toMatchObject({ stop: 'completed' });
    expect(rig.seen.at(-1)?.role).toBe('reviewer');
    expect(rig.seen.at(-1)?.request.userTexts.at(-1)).toContain(
      'denied: The user rejected this call: keep the old one',
    );
  });

  it('of the reviewer: the plan ends rejected, too', async () => {
    const look = { calls: [{ name: 'read_file', input: { file_path: '/etc/hostname' } }] };
    const rig = await start({ reviewer: [look, review()] }, gated);
    const done = rig.session.run('Do it.');
    await answer(rig, await asked(rig), { decision: 'reject' });
    expect(await done).toMatchObject({ stop: 'rejected', verification: { status: 'failed', reason: 'refused' } });
  });
});

it('a call that a rule denies is shown to the reviewer as denied', async () => {
  const call = { calls: [{ name: 'write_file', input: { file_path: 'a.txt', content: 'x' } }] };
  const script = {
    planner: [planOf({}, { required_tool: 'write_file' })],
    executor: { step_1: [call, { status: 'success', result_summary: 'made' }] },
  };
  const rig = await start(script, { gated: true, flags: { deny: ['write_file(a.txt)'] } });
  await rig.session.run('Do it.');
  expect(rig.seen.at(-1)?.request.userTexts.at(-1)).toContain('denied: write_file was not run: a rule of the user');
});

describe('a review that passes', () => {
  it.each([
    ['a step that failed', { step_1: [report({ status: 'failed' })] }],
    ['a step that was left because an earlier one failed', { step_1: [report({ status: 'failed' })], step_2: [] }],
  ])('does not outweigh %s', async (_, executor) => {
    const rig = await start({ planner: [plan({}, {})], executor }, { flags: { maxRetries: 1 } });
    expect(await rig.session.run('Do it.')).toMatchObject({ verification: { status: 'failed', reason: 'review' } });
    expect(rig.state().retry_count).toBe(1);
  });
});
