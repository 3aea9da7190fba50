/** The graph that plans, carries out and reviews. Each node says in a few lines what it asks and where it goes. */
import { digest } from '../../lib/digest.ts';
import {
  defineGraph,
  type GraphContext,
  type GraphNode,
  type GraphPatch,
  type GraphValues,
  graphEnd,
  type Taken,
} from '../../protocol/define/graph.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Check, HarnessState, Plan, PlanStep, Review } from '../../protocol/plan.ts';
import { stillHolding } from './evidence.ts';
import {
  answerOf,
  type Read,
  readPlan,
  readReport,
  readReview,
  reportOf,
  stepTools,
  toActorOutput,
  usableTools,
  whatRefused,
} from './plan-answers.ts';
import { executorPrompt, plannerPrompt, reviewerPrompt } from './plan-prompts.ts';
import { finalText, judgeResult, toGraphResult } from './plan-result.ts';
import { overruled, stepsToRepeat } from './review-outcome.ts';

const fold = (values: GraphValues) => values as unknown as HarnessState;
const patchOf = (changes: Partial<HarnessState>) => changes as unknown as GraphPatch;
const problemOf = (read: Read<unknown>) => ('problem' in read ? read.problem : undefined);
const toolsFor = (values: GraphValues, { tools }: GraphContext) => usableTools(tools, fold(values).constraints);

const planner: GraphNode = {
  agent: 'planner',
  prompt: (values, context) => plannerPrompt(fold(values), toolsFor(values, context)),
  tools: (values, context) => [...toolsFor(values, context).values()].filter(isReading).map(({ name }) => name),
  check: (text, values, context) => problemOf(readPlan(text, toolsFor(values, context))),
  take(end, values, context) {
    if (end.stop === 'rejected')
      return { edge: 'finalize', patch: patchOf({ ...refused, feedback: [whatRefused(end)] }) };
    const plan = answerOf('planner', end, readPlan(end.text, toolsFor(values, context)));
    const isRisky = plan.requires_user_confirmation || plan.steps.some(({ risk_level }) => risk_level === 'high');
    const edge = fold(values).plan_only ? 'finalize' : isRisky ? 'confirm' : 'executor';
    return { edge, patch: withPlan(plan) };
  },
};

function withPlan(plan: Plan): GraphPatch {
  const open_steps = plan.steps.map(({ id }) => id);
  return patchOf({ plan, open_steps, actor_outputs: [], feedback: [], current_step_index: 0, status: 'acting' });
}

function isReading({ risk, name }: { risk: string; name: string }): boolean {
  return risk === 'read' && !name.startsWith('mcp__');
}

/** A person says yes, changes the plan, or says no; a reason goes back to the planner. */
const confirm: GraphNode = {
  step(values, { decision, interactive, tools }) {
    const state = fold(values);
    const plan = state.plan as unknown as JsonObject;
    const ask = { kind: 'plan', plan, digest: digest(plan), warnings: [] } as const;
    if (!interactive) return { edge: 'finalize', patch: patchOf({ stop: 'rejected' }) };
    if (!decision) return { ask };
    if (decision.decision === 'approve') return { edge: 'executor' };
    if (decision.decision === 'edit') {
      const read = readPlan(JSON.stringify(decision.input ?? null), usableTools(tools, state.constraints));
      return 'problem' in read
        ? { ask: { ...ask, warnings: [read.problem] } }
        : { edge: 'executor', patch: withPlan(read.value) };
    }
    if (!decision.reason) return { edge: 'finalize', patch: patchOf({ stop: 'rejected' }) };
    return { edge: 'planner', patch: joinRequest(state, decision.reason) };
  },
};

function joinRequest(state: HarnessState, text: string): GraphPatch {
  const question = state.question === null ? '' : `${state.question}\n`;
  const user_request = `${state.user_request}\n\n${question}${text}`;
  return patchOf({ user_request, question: null, status: 'planning', feedback: [text] });
}

const executor: GraphNode = {
  agent: 'executor',
  prompt: (values) => executorPrompt(fold(values), stepOf(fold(values))),
  tools: (values, context) => stepTools(toolsFor(values, context), stepOf(fold(values))),
  check: (text) => problemOf(readReport(text)),
  take(end, values) {
    const state = fold(values);
    const step = stepOf(state);
    const report = reportOf(end);
    const outputs = { actor_outputs: { $append: [toActorOutput(step, report, end)] } } as unknown as GraphPatch;
    // A person who says no is not asked again in another way.
    if (end.stop === 'rejected') return { edge: 'finalize', patch: { ...outputs, ...patchOf(refused) } };
    const rest = state.open_steps.slice(1);
    // What builds on a step that failed is left; the reviewer sees how far it came.
    const goesOn = report.status !== 'failed' && rest.length > 0;
    const next = state.plan?.steps.findIndex(({ id }) => id === (rest[0] ?? step.id)) ?? 0;
    const patch = {
      ...outputs,
      open_steps: rest,
      current_step_index: next,
      ...(!goesOn && { status: 'reviewing', checks: [], evidence: null }),
    } as unknown as GraphPatch;
    return { edge: goesOn ? 'executor' : allChecks(state).length > 0 ? 'checks' : 'reviewer', patch };
  },
};

function stepOf({ plan, open_steps }: HarnessState): PlanStep {
  return plan!.steps.find(({ id }) => id === open_steps[0])!;
}

const refused = { stop: 'rejected', checks: [], evidence: null } as const;

/** The user's own last: nothing that a model proposed has a say after them. */
function allChecks({ own_checks, plan }: HarnessState): { check: Check; own: boolean }[] {
  const proposed = plan?.checks ?? [];
  return [...proposed.map((check) => ({ check, own: false })), ...own_checks.map((check) => ({ check, own: true }))];
}

/** One check at a time, so that none that was made is made again. None may change what is checked. */
const checks: GraphNode = {
  async step(values, context) {
    const state = fold(values);
    const all = allChecks(state);
    const { check, own } = all[state.checks.length]!;
    const before = state.evidence ?? { seq: context.seq, files: await context.fingerprint() };
    const result = await context.check(check, own);
    if ('ask' in result) return result;
    const evidence = { ...(await stillHolding(before, context)), seq: context.seq };
    const patch = { checks: { $append: [result as unknown as JsonObject] }, evidence };
    return {
      edge: state.checks.length + 1 < all.length ? 'checks' : 'reviewer',
      patch: patch as unknown as GraphPatch,
    };
  },
};

const reviewer: GraphNode = {
  agent: 'reviewer',
  prompt: (values) => reviewerPrompt(fold(values)),
  tools: (values, context) => [...toolsFor(values, context).keys()],
  check: (text) => problemOf(readReview(text)),
  take(end, values) {
    const state = fold(values);
    if (end.stop === 'rejected') return { edge: 'finalize', patch: patchOf(refused) };
    const review = overruled(answerOf('reviewer', end, readReview(end.text)), state);
    const change = end.calls.find(({ risk, status }) => {
      return (risk === 'write' || risk === 'execute') && status !== 'denied' && status !== 'cancelled';
    });
    const voided = state.evidence && change ? { evidence: { ...state.evidence, voided: change.tool } } : {};
    const added = { review_results: { $append: [review as unknown as JsonObject] } };
    return withPatch(afterReview(review, state), { ...voided, ...added } as GraphPatch);
  },
};

function afterReview(review: Review, state: HarnessState): Taken {
  if (review.next_action === 'ask_user') {
    return { edge: 'ask_user', patch: patchOf({ question: review.question ?? '' }) };
  }
  const isOver =
    review.next_action === 'finalize' || review.verdict === 'pass' || state.retry_count >= state.max_retries;
  if (isOver) return { edge: 'finalize' };
  const feedback = review.issues.map(({ description, suggested_fix }) => `${description} ${suggested_fix}`.trim());
  if (review.next_action === 'replan') {
    return { edge: 'count_retry', patch: patchOf({ feedback, status: 'planning' }) };
  }
  return {
    edge: 'count_retry',
    patch: patchOf({ feedback, status: 'acting', open_steps: stepsToRepeat(review, state) }),
  };
}

/** Retries and new plans are counted by one counter. */
const count_retry: GraphNode = {
  step(values) {
    const { retry_count, status, plan, open_steps } = fold(values);
    const current_step_index = Math.max(0, plan?.steps.findIndex(({ id }) => id === open_steps[0]) ?? 0);
    const edge = status === 'planning' ? 'planner' : 'executor';
    return { edge, patch: patchOf({ retry_count: retry_count + 1, current_step_index }) };
  },
};

const ask_user: GraphNode = {
  step(values, { decision, interactive }) {
    const state = fold(values);
    if (!interactive) return { edge: 'finalize' };
    const question = state.question ?? '';
    if (!decision) return { ask: { kind: 'question', question, digest: digest({ question }), warnings: [] } };
    const said = decision.decision === 'answer' ? decision.answer : decision.reason;
    if (!said) return { edge: 'finalize', patch: patchOf({ stop: 'rejected' }) };
    return { edge: 'planner', patch: joinRequest(state, said) };
  },
};

const finalize: GraphNode = {
  async step(values, context) {
    const state = fold(values);
    const { evidence } = state;
    const proof = evidence && (await stillHolding(evidence, context));
    const nothingDone = state.plan_only || (state.stop === 'rejected' && state.actor_outputs.length === 0);
    const judged = nothingDone
      ? ({ verification: 'unverified', reason: 'plan-only' } as const)
      : judgeResult({ ...state, evidence: proof });
    const done = { ...judged, evidence: proof, status: 'done', final_output: finalText(state) } as const;
    return { edge: graphEnd, patch: patchOf(done) };
  },
};

function withPatch({ edge, patch }: Taken, more: GraphPatch): Taken {
  return { edge, patch: { ...patch, ...more } };
}

/** Planner, executor and reviewer with one counter of retries and a gate that wants evidence. */
export const planGraph = defineGraph({
  name: 'plan',
  first: 'planner',
  nodes: { planner, confirm, executor, checks, reviewer, count_retry, ask_user, finalize },
  edges: [
    { from: 'planner', to: 'executor' },
    { from: 'planner', to: 'confirm', label: 'risky, or asked for' },
    { from: 'planner', to: 'finalize', label: 'plan only, or refused' },
    { from: 'confirm', to: 'executor', label: 'approved' },
    { from: 'confirm', to: 'planner', label: 'rejected with a reason' },
    { from: 'confirm', to: 'finalize', label: 'rejected' },
    { from: 'executor', to: 'executor', label: 'next step' },
    { from: 'executor', to: 'checks' },
    { from: 'executor', to: 'reviewer', label: 'no checks' },
    { from: 'executor', to: 'finalize', label: 'a person refused a call' },
    { from: 'checks', to: 'checks', label: 'next check' },
    { from: 'checks', to: 'reviewer' },
    { from: 'reviewer', to: 'finalize', label: 'passed, refused, or no retry left' },
    { from: 'reviewer', to: 'count_retry', label: 'retry or replan' },
    { from: 'reviewer', to: 'ask_user', label: 'question' },
    { from: 'count_retry', to: 'executor', label: 'retry_actor' },
    { from: 'count_retry', to: 'planner', label: 'replan' },
    { from: 'ask_user', to: 'planner', label: 'answered' },
    { from: 'ask_user', to: 'finalize', label: 'nobody there' },
    { from: 'finalize', to: graphEnd },
  ],
  start: (user_request, input) => ({ ...emptyState, ...input, user_request }) as unknown as GraphValues,
  finish: (values) => toGraphResult(fold(values)),
});

const emptyState: HarnessState = {
  user_request: '',
  session_context: { history: [] },
  constraints: {},
  plan: null,
  actor_outputs: [],
  review_results: [],
  current_step_index: 0,
  retry_count: 0,
  max_retries: 3,
  llm_provider: '',
  status: 'planning',
  final_output: '',
  open_steps: [],
  feedback: [],
  own_checks: [],
  checks: [],
  evidence: null,
  verification: null,
  reason: null,
  plan_only: false,
  question: null,
  stop: null,
};
