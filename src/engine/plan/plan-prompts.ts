/** What the agents of the plan graph are asked: the task in words, what is known as JSON. */
import type { GraphTool } from '../../protocol/define/graph.ts';
import type { ActorOutput, HarnessState, PlanStep } from '../../protocol/plan.ts';
import { shorten } from './plan-answers.ts';

const maxOutput = 600;

/** What the planner is asked: the task, the tools, and on a second try what became of the last plan. */
export function plannerPrompt(state: HarnessState, tools: ReadonlyMap<string, GraphTool>): string {
  const names = [...tools.values()].map(({ name, description }) => `- ${name}: ${firstSentence(description)}`);
  const { history } = state.session_context;
  const { plan, feedback, actor_outputs, review_results } = state;
  return paragraphs([
    'Make a plan for this request:',
    state.user_request,
    history.length > 0 && `What was said before:\n${json(history)}`,
    hasPolicy(state) && `Constraints:\n${json(state.constraints)}`,
    state.own_checks.length > 0 && `The user will run these checks:\n${json(state.own_checks)}`,
    plan &&
      `An earlier plan did not succeed. Make another one.\nThe earlier plan:\n${json({ task_goal: plan.task_goal, steps: plan.steps })}`,
    review_results.length > 0 &&
      `Verdicts of the reviewer so far:\n${list(review_results.map(({ verdict, score }) => `${verdict}, ${score}`))}`,
    actor_outputs.length > 0 && `What its steps brought:\n${lines(actor_outputs.map(summary))}`,
    feedback.length > 0 && `What to heed:\n${list(feedback)}`,
    `Tools that a step may require:\n${names.join('\n')}`,
    'Answer with the plan as JSON, and nothing else.',
  ]);
}

/** What the executor of one step is asked, with the results of the steps before it. */
export function executorPrompt(state: HarnessState, step: PlanStep): string {
  const before = state.actor_outputs.filter(({ step_id }) => step_id !== step.id);
  const own = state.actor_outputs.findLast(({ step_id }) => step_id === step.id);
  return paragraphs([
    `Carry out this one step of a plan, and no other:\n${json(step)}`,
    `The goal of the whole plan: ${state.plan?.task_goal}`,
    `The request it serves: ${state.user_request}`,
    hasPolicy(state) && `Constraints:\n${json(state.constraints)}`,
    before.length > 0 && `Results of other steps:\n${lines(latest(before).map(summary))}`,
    own && `The step was tried before:\n${json(summary(own))}`,
    own && state.feedback.length > 0 && `What was wrong, and has to be mended:\n${list(state.feedback)}`,
    'When the step is done, answer with its report as JSON, and nothing else.',
  ]);
}

/** What the reviewer is asked: the plan, what its steps brought, and the checks that the harness ran itself. */
export function reviewerPrompt(state: HarnessState): string {
  const { plan, checks } = state;
  const outputs = latest(state.actor_outputs).map(({ child, ...output }) => ({
    ...output,
    tool_outputs: output.tool_outputs.map((text) => shorten(text, maxOutput)),
    tool_calls: output.tool_calls.map((call) => shorten(JSON.stringify(call), maxOutput)),
  }));
  return paragraphs([
    'Review what was done for this request:',
    state.user_request,
    `Success criteria:\n${list(plan?.success_criteria ?? [])}`,
    `Steps of the plan:\n${json(plan?.steps)}`,
    `What the steps brought (calls and outputs are recorded, the rest is the executor's word):\n${json(outputs)}`,
    checks.length > 0 && `Checks that were run, and how they went:\n${json(checks)}`,
    `Retries so far: ${state.retry_count} of ${state.max_retries}`,
    'Answer with your review as JSON, and nothing else.',
  ]);
}

/** The newest record of each step, in order. */
export function latest(outputs: readonly ActorOutput[]): ActorOutput[] {
  return [...new Map(outputs.map((output) => [output.step_id, output])).values()];
}

/** It goes to every later step: what says nothing is left out. */
function summary({ step_id, status, result_summary, artifacts_created, errors }: ActorOutput) {
  const made = artifacts_created.length > 0 && { artifacts_created };
  return { step_id, status, result_summary, ...made, ...(errors.length > 0 && { errors }) };
}

function hasPolicy({ constraints }: HarnessState): boolean {
  return Object.keys(constraints).length > 0;
}

function paragraphs(parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n');
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 1);
}

/** A JSON list with one line for each of its values. */
function lines(values: readonly unknown[]): string {
  return `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`;
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s/, 1)[0] ?? text;
}
