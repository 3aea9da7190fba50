/** What comes out of the plan graph: its last words, and whether they are proven. */
import type { GraphResult } from '../../protocol/define/graph.ts';
import type { HarnessState, Plan, VerificationReason } from '../../protocol/plan.ts';
import { latest } from './plan-prompts.ts';

/** The status that checks, evidence and review give; a review that passed does not outweigh a check that failed. */
export function judgeResult(
  state: Pick<HarnessState, 'checks' | 'evidence' | 'question' | 'review_results' | 'stop'>,
): Pick<HarnessState, 'verification' | 'reason'> {
  const failed = (reason: VerificationReason) => ({ verification: 'failed', reason }) as const;
  if (state.stop === 'rejected' && state.question === null) return failed('refused');
  const bad = state.checks.find(({ ok }) => !ok);
  if (bad) return failed(bad.notRun ? 'check-not-run' : 'check-failed');
  if (state.question !== null) return failed('question');
  if (state.evidence?.voided !== undefined) return failed('voided');
  if (state.review_results.at(-1)?.verdict !== 'pass') return failed('review');
  if (state.checks.length === 0) return { verification: 'unverified', reason: 'no-checks' };
  return { verification: 'verified', reason: null };
}

/** What a person reads at the end: the plan, the question, or what each step brought. */
export function finalText(state: HarnessState): string {
  const { plan, question, feedback } = state;
  if (question !== null) return question;
  const outputs = latest(state.actor_outputs);
  if (outputs.length === 0) return plan ? planText(plan) : feedback.join('\n');
  const [only] = outputs;
  if (outputs.length === 1 && only) return only.result_summary;
  return outputs
    .map(({ step_id, result_summary }) => {
      const step = plan?.steps.find(({ id }) => id === step_id);
      return `**${step?.description ?? step_id}**\n\n${result_summary}`;
    })
    .join('\n\n');
}

/** A plan as Markdown. */
function planText({ task_goal, steps, success_criteria, checks, assumptions, risks }: Plan): string {
  const items = (mark: string, texts: readonly string[]) => texts.map((text) => `- ${mark}${text}`);
  const numbered = steps.map(({ description, required_tool, risk_level }, at) => {
    return `${at + 1}. ${description} (${required_tool}, ${risk_level})`;
  });
  const proofs = checks.map((check) => {
    if ('command' in check) return `\`${check.command}\``;
    return 'file_exists' in check ? check.file_exists : `${check.file_matches.path} ~ ${check.file_matches.pattern}`;
  });
  const notes = [
    ...items('✓ ', success_criteria),
    ...items('▸ ', proofs),
    ...items('≈ ', assumptions),
    ...items('! ', risks),
  ];
  return [`# ${task_goal}`, numbered.join('\n'), notes.join('\n')].filter((part) => part !== '').join('\n\n');
}

/** How a run of the plan graph ends: its last words, its stop reason and what was verified. */
export function toGraphResult(state: HarnessState): GraphResult {
  const { verification, reason, checks, evidence, final_output, stop } = state;
  return {
    text: final_output,
    stop: stop ?? 'completed',
    ...(verification && {
      verification: {
        status: verification,
        ...(reason && { reason }),
        checks,
        ...(evidence && { evidence }),
      },
    }),
  };
}
