import type { Budget, Clock } from './ports.ts';

/** The counter of a tree of sessions; `tokens` and `cost` begin with what its log says was already spent. */
export function createBudget(clock: Pick<Clock, 'monotonic'>, spent: { tokens: number; cost: number }): Budget {
  let depth = 0;
  let since = 0;
  let before = 0;
  return {
    ...spent,
    elapsedMs: () => before + (depth > 0 ? clock.monotonic() - since : 0),
    enter() {
      if (depth++ === 0) since = clock.monotonic();
    },
    leave() {
      if (--depth === 0) before += clock.monotonic() - since;
    },
  };
}
