/** Answers of planner, executor and reviewer for tests of the plan graph. */
import type { ScriptRequest, Turn } from '../turn.ts';

export interface PlanScript {
  /** Answers in turn; the last one stays. A text, an object (sent as JSON) or a turn. */
  readonly planner?: readonly unknown[];
  /** By step id: answers in turn, over all tries. Success at once when absent. */
  readonly executor?: Readonly<Record<string, readonly unknown[]>>;
  readonly reviewer?: readonly unknown[];
}

/** What a planner answers: a plan of these steps, in the shape of `planSchema`. */
export const plan = (...steps: object[]) => planOf({}, ...steps);

/** The same, with other fields in place of the usual ones. */
export const planOf = (over: object, ...steps: object[]) => ({
  task_goal: 'the goal',
  task_type: 'coding',
  assumptions: [],
  risks: [],
  success_criteria: ['it is there'],
  steps: (steps.length > 0 ? steps : [{}]).map((step, at) => ({
    id: `step_${at + 1}`,
    description: `do part ${at + 1}`,
    required_tool: 'none',
    expected_output: 'something',
    risk_level: 'low',
    ...step,
  })),
  requires_user_confirmation: false,
  ...over,
});

/** What an executor answers of a step that went well; `over` changes fields. */
export const report = (over: object = {}) => ({
  status: 'success',
  actions_taken: [{ action: 'did it', outcome: 'done' }],
  artifacts_created: [],
  errors: [],
  result_summary: 'done',
  ...over,
});

/** What a reviewer answers; it passes only with `finalize`. */
export const review = (next_action = 'finalize', over: object = {}) => ({
  verdict: next_action === 'finalize' ? 'pass' : 'needs_revision',
  score: 0.85,
  issues: [],
  next_action,
  ...over,
});

/** Something a reviewer finds wrong. */
export const issue = (description: string) => ({
  type: 'quality',
  severity: 'medium',
  description,
  suggested_fix: 'mend it',
});

export type Role = 'planner' | 'executor' | 'reviewer';

/** Which agent a request comes from. */
export function roleOf({ system }: Pick<ScriptRequest, 'system'>): Role | undefined {
  return /You are the (planner|executor|reviewer) of Rein/.exec(system)?.[1] as Role | undefined;
}

/** The step that an executor's request is about. */
export function stepOf({ userTexts }: Pick<ScriptRequest, 'userTexts'>): string {
  return /"id": "([^"]+)"/.exec(userTexts.find((text) => text.startsWith('Carry out')) ?? '')?.[1] ?? '';
}

/** Plays the script; `seen` gets each request with its role. */
export function respondTo(script: PlanScript, seen: { role: Role; step: string; request: ScriptRequest }[] = []) {
  const counts = new Map<string, number>();
  return (request: ScriptRequest): Turn => {
    const role = roleOf(request);
    if (!role) throw new Error('a request of nobody');
    const step = role === 'executor' ? stepOf(request) : '';
    seen.push({ role, step, request });
    const answers =
      role === 'executor'
        ? (script.executor?.[step] ?? [report()])
        : (script[role] ?? [role === 'planner' ? plan() : review()]);
    const count = counts.get(role + step) ?? 0;
    counts.set(role + step, count + 1);
    return toTurn(answers[Math.min(count, answers.length - 1)]);
  };
}

function toTurn(answer: unknown): Turn {
  if (typeof answer === 'string') return { text: answer };
  const isTurn =
    typeof answer === 'object' && answer !== null && ['calls', 'text', 'status'].some((key) => key in answer);
  const isReport = isTurn && 'result_summary' in (answer as object);
  return isTurn && !isReport ? (answer as Turn) : { text: JSON.stringify(answer) };
}
