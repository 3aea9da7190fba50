/** What follows from a review, held against what the records say. Pure. */
import type { HarnessState, Review } from '../../protocol/plan.ts';
import { latest } from './plan-prompts.ts';

type Issue = Review['issues'][number];

/**
 * A check that failed, and a step that failed or was left, outweigh a review that passed. A check that may not run will
 * not run the next time either.
 */
export function overruled(review: Review, state: HarnessState): Review {
  const issues = [...failedChecks(state), ...missingSteps(state)];
  if (review.verdict !== 'pass' || issues.length === 0) return review;
  return { ...review, verdict: 'needs_revision', next_action: 'retry_actor', issues: [...review.issues, ...issues] };
}

function failedChecks({ checks }: HarnessState): Issue[] {
  const failed = checks.filter(({ ok, notRun }) => !ok && !notRun);
  return failed.map(({ criterion, output = '' }) => {
    const description = `The check of "${criterion}" failed: ${output}`;
    return { type: 'missing_output', severity: 'high', description, suggested_fix: 'Mend what the check shows.' };
  });
}

function missingSteps({ actor_outputs, open_steps }: HarnessState): Issue[] {
  const failed = latest(actor_outputs).filter(({ status }) => status === 'failed');
  const about = { type: 'missing_output', severity: 'high', suggested_fix: 'Carry it out.' } as const;
  return [
    ...failed.map(({ step_id, result_summary }) => {
      return { ...about, step_id, description: `The step ${step_id} failed: ${result_summary}` };
    }),
    ...open_steps.map((step_id) => ({ ...about, step_id, description: `The step ${step_id} was not carried out.` })),
  ];
}

/** What the issues name, what failed, and what was left; the last step when that is nothing. */
export function stepsToRepeat({ issues }: Review, { plan, open_steps, actor_outputs }: HarnessState): string[] {
  const ids = plan?.steps.map(({ id }) => id) ?? [];
  const words = new Set(
    issues.flatMap((issue) => `${issue.description} ${issue.suggested_fix}`.match(/[\w.-]+/g) ?? []),
  );
  const isNamed = (id: string) => issues.some(({ step_id }) => step_id === id) || words.has(id) || words.has(`${id}.`);
  const failed = (id: string) => actor_outputs.findLast(({ step_id }) => step_id === id)?.status === 'failed';
  const steps = ids.filter((id) => isNamed(id) || failed(id) || open_steps.includes(id));
  return steps.length > 0 ? steps : ids.slice(-1);
}
