/** The planner-executor-reviewer graph as data: what agents answer, what is checked, what the graph keeps. */
import { z } from 'zod';
import type { Json, JsonObject } from './json.ts';

/** How a success criterion is put to the test. Exactly one of the three ways. */
export type Check = z.infer<ReturnType<typeof buildSchemas>['check']>;

/** How a check went. `ok` is false, and `reason` says why, where it could not run. */
export interface CheckResult {
  readonly criterion: string;
  readonly ok: boolean;
  /** Exit code of a command. */
  readonly exit?: number;
  /** Head and tail of what a command printed, or what was found. */
  readonly output?: string;
  /** It did not run: refused, interrupted, not possible. */
  readonly notRun?: true;
}

export type PlanStep = z.infer<ReturnType<typeof buildSchemas>['step']>;
export type Plan = z.infer<ReturnType<typeof buildSchemas>['plan']>;
/** What an executor says of its step; the calls come from its log. */
export type StepReport = z.infer<ReturnType<typeof buildSchemas>['report']>;
export type Review = z.infer<ReturnType<typeof buildSchemas>['review']>;

/** The record of a plan step: the executor's words, with the calls and outputs that its log has. */
export interface ActorOutput extends StepReport {
  readonly step_id: string;
  readonly tool_calls: readonly { readonly tool_name: string; readonly arguments: JsonObject }[];
  /** Cut where they are long; the child session has them whole. */
  readonly tool_outputs: readonly string[];
  /** The child session. */
  readonly child: string;
}

/** What a caller may forbid or cap for a run. */
export interface PlanConstraints {
  /** Tools that may be used at all; every tool when absent. */
  readonly allowed_tools?: readonly string[];
  readonly forbidden_tools?: readonly string[];
  readonly max_turns?: number;
  readonly max_tokens?: number;
  readonly max_budget_usd?: number;
  readonly timeout_seconds?: number;
  /** Anything else is told to the agents. */
  readonly [policy: string]: Json | readonly string[] | undefined;
}

/** Proof that checks passed: on which state of the files, at which place of the log. */
export interface Evidence {
  /** Last event of the log when the checks were done. */
  readonly seq: number;
  /** Hash of the files that are not ignored: before the first check, and still the same after each. */
  readonly files: string;
  /** The write or execute call that came later, or `files` when they became others during the checks or since. */
  readonly voided?: string;
  /** Which files became others, the first 20; absent when the process that looked at them before is gone. */
  readonly changed?: readonly string[];
}

/** The values of the plan graph: a fold of the log. */
export interface HarnessState {
  readonly user_request: string;
  readonly session_context: { readonly history: readonly { readonly user: string; readonly assistant: string }[] };
  readonly constraints: PlanConstraints;
  readonly plan: Plan | null;
  readonly actor_outputs: readonly ActorOutput[];
  readonly review_results: readonly Review[];
  /** Of the step that is worked on, in `plan.steps`. */
  readonly current_step_index: number;
  /** Retries and new plans together. */
  readonly retry_count: number;
  readonly max_retries: number;
  readonly llm_provider: string;
  readonly status: 'planning' | 'acting' | 'reviewing' | 'done';
  readonly final_output: string;
  /** Steps that are to be worked on, in order. */
  readonly open_steps: readonly string[];
  /** What a reviewer, a check or a person found wrong; for the agents that try again. */
  readonly feedback: readonly string[];
  /** The user's own checks: `--verify` and configuration. */
  readonly own_checks: readonly Check[];
  readonly checks: readonly CheckResult[];
  readonly evidence: Evidence | null;
  readonly verification: 'verified' | 'unverified' | 'failed' | null;
  /** Why it is not verified: a word for scripts. */
  readonly reason: VerificationReason | null;
  /** Only plan; nothing is done. */
  readonly plan_only: boolean;
  readonly question: string | null;
  readonly stop: 'completed' | 'rejected' | null;
}

/** Why a result is not verified. */
export type VerificationReason =
  | 'no-checks'
  | 'check-failed'
  | 'check-not-run'
  | 'voided'
  | 'review'
  | 'refused'
  | 'question'
  | 'plan-only';

export const maxPlanSteps = 50;
const maxChecks = 20;

let schemas: ReturnType<typeof buildSchemas> | undefined;

/** The schemas of what agents answer; built on first use. */
export function planSchemas(): ReturnType<typeof buildSchemas> {
  schemas ??= buildSchemas();
  return schemas;
}

function buildSchemas() {
  const texts = z.array(z.string()).default([]);
  const level = z.enum(['low', 'medium', 'high']);
  const criterion = z.string().min(1);
  const check = z.union([
    z.strictObject({ criterion, command: z.string().min(1) }),
    z.strictObject({ criterion, file_exists: z.string().min(1) }),
    z.strictObject({
      criterion,
      file_matches: z.strictObject({ path: z.string().min(1), pattern: z.string().min(1) }),
    }),
  ]);
  const step = z.object({
    id: z.string().min(1).max(64),
    description: z.string().min(1),
    /** A tool's name, or `none`. */
    required_tool: z.string(),
    expected_output: z.string(),
    risk_level: level,
    allowed_tools: z.array(z.string()).optional(),
    forbidden_tools: z.array(z.string()).optional(),
  });
  const plan = z.object({
    task_goal: z.string().min(1),
    task_type: z.enum(['research', 'coding', 'writing', 'automation', 'data_analysis', 'other']),
    assumptions: texts,
    risks: texts,
    success_criteria: texts,
    steps: z.array(step).min(1, 'A plan has at least one step').max(maxPlanSteps),
    requires_user_confirmation: z.boolean(),
    checks: z.array(check).max(maxChecks).default([]),
  });
  const report = z.object({
    status: z.enum(['success', 'failed', 'partial']),
    actions_taken: z.array(z.object({ action: z.string(), outcome: z.string() })).default([]),
    artifacts_created: texts,
    errors: texts,
    result_summary: z.string(),
  });
  const issue = z.object({
    type: z.enum(['missing_output', 'format_error', 'logic_error', 'safety', 'quality']),
    severity: level,
    description: z.string(),
    suggested_fix: z.string(),
    /** The step it is about; an id in the texts does as well. */
    step_id: z.string().optional(),
  });
  const review = z
    .object({
      verdict: z.enum(['pass', 'fail', 'needs_revision']),
      score: z.number().min(0).max(1),
      issues: z.array(issue),
      next_action: z.enum(['finalize', 'retry_actor', 'replan', 'ask_user']),
      question: z.string().optional(),
    })
    .refine((value) => value.next_action !== 'ask_user' || (value.question ?? '').trim() !== '', {
      path: ['question'],
      message: 'is needed with the next_action ask_user',
    });
  return { check, step, plan, report, review };
}
