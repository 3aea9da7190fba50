/** How a plan goes on, as lines for a person who watches. */
import { visibleName, visibleText } from '../../../lib/text/visible.ts';
import type { ReinEvent, Verification } from '../../../protocol/event.ts';
import type { CheckResult, Plan, Review } from '../../../protocol/plan.ts';
import { addUsage, noUsage, totalTokens, type Usage } from '../../../protocol/usage.ts';
import { type Language, t } from '../../../services/i18n/translate.ts';

/** Progress of a plan for people: a line for each step begun and ended, with what it took. */
export class PlanProgress {
  readonly #lang: Language;
  readonly #spent = new Map<string, { usage: Usage; cost: number }>();
  #plan: Plan | undefined;
  #index = 0;
  #maxRetries = 0;

  constructor(lang: Language) {
    this.#lang = lang;
  }

  /** The lines an event brings; none for most. */
  lines(event: ReinEvent): string[] {
    if (event.type === 'run-end' && event.agent === 'main') return this.#end(event.verification);
    if (event.type !== 'plan-update') return [];
    const { node, edge, patch, child, usage, cost = 0 } = event;
    if (usage) {
      const before = this.#spent.get(node) ?? { usage: noUsage, cost: 0 };
      this.#spent.set(node, { usage: addUsage(before.usage, usage), cost: before.cost + cost });
    }
    if (typeof patch.max_retries === 'number') this.#maxRetries = patch.max_retries;
    if (typeof patch.current_step_index === 'number') this.#index = patch.current_step_index;
    // From the planner, or as a person changed it.
    if (patch.plan) return this.#show(patch.plan as unknown as Plan);
    if (node === 'executor' && child !== undefined && edge === undefined && !usage) return this.#step();
    if (node === 'count_retry') {
      return [t('plan.retry', this.#lang, { count: patch.retry_count, max: this.#maxRetries })];
    }
    return [...added(patch.checks), ...added(patch.review_results)].map((result) => this.#result(result as never));
  }

  #show(plan: Plan): string[] {
    this.#plan = plan;
    const steps = plan.steps.map(({ description, required_tool }, at) => {
      return `  ${at + 1}. ${visibleName(description)} (${visibleName(required_tool)})`;
    });
    return [t('plan.goal', this.#lang, { goal: visibleName(plan.task_goal) }), ...steps];
  }

  #step(): string[] {
    const step = this.#plan?.steps[this.#index];
    if (!this.#plan || !step) return [];
    const about = { number: this.#index + 1, count: this.#plan.steps.length };
    return [t('plan.step', this.#lang, { ...about, description: visibleName(step.description) })];
  }

  #result(result: CheckResult | Review): string {
    if ('verdict' in result) return t(`plan.review.${result.verdict}`, this.#lang, { score: result.score });
    return checkLine(result, this.#lang);
  }

  #end(verification: Verification | undefined): string[] {
    const roles = [...this.#spent].map(([role, { usage, cost }]) => {
      return t('plan.tokens', this.#lang, { role, tokens: totalTokens(usage), cost: cost.toFixed(4) });
    });
    this.#spent.clear();
    // What failed is said to everybody, also where nobody watches.
    const isSaid = verification === undefined || verification.status === 'failed';
    return isSaid ? roles : [...roles, ...verificationLines(verification, this.#lang)];
  }
}

function added(value: unknown): unknown[] {
  const list = (value as { $append?: unknown } | undefined)?.$append;
  return Array.isArray(list) ? list : [];
}

function checkLine({ ok, notRun, criterion }: CheckResult, lang: Language): string {
  const how = ok ? 'passed' : notRun ? 'notRun' : 'failed';
  return t(`plan.check.${how}`, lang, { criterion: visibleName(criterion) });
}

/** What is proven and what is not; with the output of what failed, and the files that a check changed. */
export function verificationLines({ status, reason, checks, evidence }: Verification, lang: Language): string[] {
  const failed = checks.filter(({ ok }) => !ok);
  const changed = reason === 'voided' ? (evidence?.changed ?? []) : [];
  const why = reason && t(`plan.reason.${reason}`, lang);
  return [
    ...failed.flatMap((check) => [
      checkLine(check, lang),
      ...(check.output
        ? visibleText(check.output)
            .split('\n')
            .slice(-20)
            .map((line) => `  ${line}`)
        : []),
    ]),
    t(`plan.status.${status}`, lang, { reason: why }),
    ...changed.map((path) => `  ${visibleName(path)}`),
  ];
}
