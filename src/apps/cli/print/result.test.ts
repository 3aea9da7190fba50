import { expect, test } from 'vitest';
import type { RunOutcome } from '../../../harness/outcome.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { exitOf, toResult } from './result.ts';

const outcome: RunOutcome = {
  session: 's',
  run: 'r',
  stop: 'completed',
  text: '',
  turns: 1,
  usage: noUsage,
  cost: 0,
  refused: [],
  interrupts: [],
};
const refused = (refusal: 'rule' | 'person' | 'nobody') => [{ tool: 'bash', callId: 'c', input: {}, refusal }];
const failed = (code: 'E_INTERNAL' | 'E_PROVIDER_AUTH' | 'E_INPUT_FILE' | 'E_SANDBOX_UNAVAILABLE') =>
  ({ stop: 'error', error: { code, params: {}, message: '' } }) as const;

test.each<[Partial<RunOutcome>, number, string]>([
  [{}, 0, 'success'],
  [{ refused: refused('nobody') }, 55, 'success'],
  [{ refused: refused('rule') }, 0, 'success'],
  [{ refused: refused('person') }, 0, 'success'],
  [{ stop: 'rejected' }, 55, 'success'],
  [{ stop: 'waiting' }, 55, 'success'],
  [{ stop: 'max-turns', refused: refused('nobody') }, 53, 'error_max_turns'],
  [{ stop: 'budget' }, 54, 'error_max_budget_usd'],
  [{ stop: 'timeout' }, 124, 'error_during_execution'],
  [{ stop: 'aborted' }, 130, 'error_during_execution'],
  [{ stop: 'error' }, 1, 'error_during_execution'],
  [failed('E_INTERNAL'), 1, 'error_during_execution'],
  [failed('E_PROVIDER_AUTH'), 41, 'error_during_execution'],
  [failed('E_INPUT_FILE'), 42, 'error_during_execution'],
  [failed('E_SANDBOX_UNAVAILABLE'), 58, 'error_during_execution'],
])('%j: %i %s', (part, exit, subtype) => {
  const whole = { ...outcome, ...part };
  expect(exitOf(whole)).toBe(exit);
  expect(toResult(whole, 5, undefined)).toMatchObject({ subtype, is_error: subtype !== 'success', duration_ms: 5 });
});
