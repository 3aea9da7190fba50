/** What a tree of sessions has spent and is about to spend. */
import { untilAborted } from '../lib/until-aborted.ts';
import { ReinError } from '../protocol/errors.ts';
import type { AssistantPart } from '../protocol/message.ts';
import type { ModelRequest } from '../protocol/request.ts';
import { costOf, noUsage, totalTokens, type Usage } from '../protocol/usage.ts';
import { completeUsage, requestTokens } from './history/count-tokens.ts';
import type { Budget, Clock, Limits, ModelChoice, Spent } from './ports.ts';
import { modelName, type Runtime } from './runtime.ts';
import { spentUp } from './stop.ts';

const nothing: Spent = { tokens: 0, cost: 0 };

/** The counter of a tree of sessions; `tokens` and `cost` begin with what its log says was already spent. */
export function createBudget(clock: Pick<Clock, 'monotonic'>, spent: Spent): Budget {
  let depth = 0;
  let since = 0;
  let before = 0;
  const calls = new Set<Spent>();
  let dearest: Spent = nothing;
  let ended = Promise.withResolvers<void>();
  const budget: Budget = {
    ...spent,
    told: new Set(),
    underWay: () => (calls.size > 0 ? [...calls].reduce(sum, nothing) : undefined),
    expect: (estimate) => most(estimate, dearest),
    begin(estimate) {
      const call = budget.expect(estimate);
      calls.add(call);
      return (took) => {
        calls.delete(call);
        dearest = most(dearest, took);
        budget.tokens += took.tokens;
        budget.cost += took.cost;
        ended.resolve();
        ended = Promise.withResolvers();
      };
    },
    nextEnd: () => ended.promise,
    elapsedMs: () => before + (depth > 0 ? clock.monotonic() - since : 0),
    enter() {
      if (depth++ === 0) since = clock.monotonic();
    },
    leave() {
      if (--depth === 0) before += clock.monotonic() - since;
    },
  };
  return budget;
}

function sum(a: Spent, b: Spent): Spent {
  return { tokens: a.tokens + b.tokens, cost: a.cost + b.cost };
}

function most(a: Spent, b: Spent): Spent {
  return { tokens: Math.max(a.tokens, b.tokens), cost: Math.max(a.cost, b.cost) };
}

/** Counts one model call for the tree. */
export interface Meter {
  /** A report, completed by estimate where a limit depends on what it leaves out. */
  complete(usage: Usage, parts: readonly AssistantPart[]): Usage;
  /** The call is over. */
  end(took: Usage): void;
}

/**
 * A model call begins: at once when it fits into what is left, else when no other one is under way. Throws `E_BUDGET`
 * when nothing is left by then, and the signal's reason.
 */
export function startMeter(runtime: Runtime, choice: ModelChoice, request: ModelRequest): Meter | Promise<Meter> {
  const { setup, budget, abort } = runtime;
  const { prices } = choice.info;
  const take = (usage: Usage): Spent => ({ tokens: totalTokens(usage), cost: costOf(usage, prices) });
  const isLimited = countsTowardsLimit(runtime, choice);
  const estimate = take(isLimited ? { ...noUsage, input: requestTokens(request) } : noUsage);
  // Most calls need not wait, and then nothing does.
  return hasRoom() ? start() : waitForRoom();

  function hasRoom(): boolean {
    const error = spentUp(setup.limits, budget);
    if (error) throw error;
    const others = budget.underWay();
    return !others || fits(setup.limits, [budget, others, budget.expect(estimate)].reduce(sum, nothing));
  }

  async function waitForRoom(): Promise<Meter> {
    do await untilAborted(budget.nextEnd(), abort.signal);
    while (!hasRoom());
    return start();
  }

  function start(): Meter {
    const end = budget.begin(estimate);
    return {
      complete: (usage, parts) => (isLimited ? completeUsage(usage, request, parts) : usage),
      end: (took) => end(take(took)),
    };
  }
}

/** Whether tokens or money of this model are limited. Says so when money is, and nothing tells what it costs. */
function countsTowardsLimit(runtime: Runtime, choice: ModelChoice): boolean {
  const { maxTokens, maxBudgetUsd } = runtime.setup.limits;
  const { prices } = choice.info;
  if (maxBudgetUsd !== undefined && !prices) {
    runtime.warnOnce(new ReinError('E_PRICES_UNKNOWN', { model: modelName(choice) }));
  }
  return (
    maxTokens !== undefined || (maxBudgetUsd !== undefined && prices !== undefined && prices.input + prices.output > 0)
  );
}

function fits({ maxTokens = Infinity, maxBudgetUsd = Infinity }: Limits, { tokens, cost }: Spent): boolean {
  return tokens <= maxTokens && cost <= maxBudgetUsd;
}
