/** Why a run ends, and what a loop looks like. Pure. */
import { isSameJson } from '../lib/same-json.ts';
import { type ErrorData, ReinError } from '../protocol/errors.ts';
import type { StopReason, Verification } from '../protocol/event.ts';
import { contentText } from '../protocol/message.ts';
import type { Budget, Limits, Spent } from './ports.ts';
import type { SessionState } from './session-state.ts';

export interface Stop {
  readonly stop: StopReason;
  readonly error?: ReinError;
  readonly verification?: Verification;
}

const stopOf: Partial<Record<ReinError['code'], Stop['stop']>> = {
  E_ABORTED: 'aborted',
  E_TIMEOUT: 'timeout',
  E_BUDGET: 'budget',
  E_MAX_TURNS: 'max-turns',
};

/** How a run ends that this error stopped. */
export function stopFor(error: ReinError): Stop {
  return { stop: stopOf[error.code] ?? 'error', error };
}

const inWords: Partial<Record<ReinError['code'], string>> = {
  E_ABORTED: 'it was stopped',
  E_TIMEOUT: 'it took longer than allowed',
  E_BUDGET: 'the budget was used up',
  E_LOOP: 'it made the same calls again and again with the same result',
  E_ANSWER_CUT: 'its answer was cut off',
};

/** Why a run did not complete, in English words without a code: a model reads it, and a person may. */
export function whyStopped(stop: StopReason, error?: ErrorData): string {
  if (!error) return stop === 'rejected' ? 'a person refused a call' : stop;
  if (error.code === 'E_MAX_TURNS') return `the limit of turns (${String(error.params.limit)}) was reached`;
  const detail = inWords[error.code] ?? error.params.detail;
  return typeof detail === 'string' ? detail : error.code.slice(2).toLowerCase().replaceAll('_', ' ');
}

/** Looked at before each model call: the limit that is used up, if any. */
export function usedUp(state: SessionState, limits: Limits, budget: Budget): Stop | undefined {
  const { maxTurns, timeoutSeconds } = limits;
  if (state.run && state.run.turns >= maxTurns) {
    return { stop: 'max-turns', error: new ReinError('E_MAX_TURNS', { limit: maxTurns }) };
  }
  const error = spentUp(limits, budget);
  if (error) return { stop: 'budget', error };
  if (timeoutSeconds !== undefined && budget.elapsedMs() >= timeoutSeconds * 1000) {
    return { stop: 'timeout', error: new ReinError('E_TIMEOUT', { limit: timeoutSeconds }) };
  }
  return undefined;
}

/** The limit of tokens or money that is used up, if any. */
export function spentUp({ maxTokens, maxBudgetUsd }: Limits, { tokens, cost }: Spent): ReinError | undefined {
  if (maxTokens !== undefined && tokens >= maxTokens) {
    return new ReinError('E_BUDGET', { limit: `${maxTokens} tokens` });
  }
  if (maxBudgetUsd !== undefined && cost >= maxBudgetUsd) {
    return new ReinError('E_BUDGET', { limit: `${maxBudgetUsd} USD` });
  }
  return undefined;
}

const repeats = 3;
const longestCycle = 3;

/**
 * The name of the calls that go round in circles: the newest calls are three times the same one, two or three, with
 * the same inputs and the same results. Undefined when there is no such loop.
 */
export function findLoop(recent: SessionState['recentCalls']): string | undefined {
  for (let cycle = 1; cycle <= longestCycle; cycle++) {
    const tail = recent.slice(-cycle * repeats);
    if (tail.length < cycle * repeats) return undefined;
    if (tail.every((call, i) => i < cycle || isSame(call, tail[i - cycle]))) {
      return tail
        .slice(0, cycle)
        .map((call) => call.name)
        .join(', ');
    }
  }
  return undefined;
}

type Finished = SessionState['recentCalls'][number];

function isSame(a: Finished, b: Finished | undefined): boolean {
  return (
    b !== undefined &&
    a.name === b.name &&
    a.result.status === b.result.status &&
    isSameJson(a.input, b.input) &&
    contentText(a.result.content) === contentText(b.result.content)
  );
}
