/** How a run went, as scripts read it: the exit code and the result object. */
import type { RunOutcome } from '../../../harness/outcome.ts';
import { catalogue, type ErrorData, exitCodes } from '../../../protocol/errors.ts';
import type { Verification } from '../../../protocol/event.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { noUsage, type Usage } from '../../../protocol/usage.ts';

export interface Result {
  readonly type: 'result';
  readonly subtype:
    | 'success'
    | 'error_during_execution'
    | 'error_max_turns'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  readonly is_error: boolean;
  readonly result: string;
  readonly session_id: string;
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly total_cost_usd: number;
  readonly usage: ReturnType<typeof toUsage>;
  readonly permission_denials: readonly { tool_name: string; tool_use_id: string; tool_input: JsonObject }[];
  readonly structured_output?: Json;
  readonly verification?: Verification;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Token counts under the names that scripts know. */
export function toUsage({ input, output, cacheRead, cacheWrite }: Usage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

/** The exit code of a run that ended. A call that was refused because nobody could be asked makes a good end a 55. */
export function exitOf({ stop, refused, error, verification }: RunOutcome): number {
  switch (stop) {
    case 'completed':
      if (verification?.status === 'failed') return exitCodes.unverified;
      return refused.some(({ refusal }) => refusal === 'nobody') ? exitCodes.refused : exitCodes.ok;
    case 'rejected':
    case 'waiting':
      return exitCodes.refused;
    case 'max-turns':
      return exitCodes.maxTurns;
    case 'budget':
      return exitCodes.budget;
    case 'timeout':
      return exitCodes.timeout;
    case 'aborted':
      return exitCodes.interrupted;
    case 'error':
      return exitOfError(error);
  }
}

/** The exit code of an error, on its own or as the end of a run. */
export function exitOfError(error: Pick<ErrorData, 'code'> | undefined): number {
  return error === undefined ? exitCodes.error : (catalogue[error.code]?.exit ?? exitCodes.error);
}

/** The run ended as it should, though perhaps with a no. */
export function isSuccess({ stop }: Pick<RunOutcome, 'stop'>): boolean {
  return stop === 'completed' || stop === 'rejected' || stop === 'waiting';
}

/** `message` is the error's text in the language of the person. */
export function toResult(outcome: RunOutcome, durationMs: number, message: string | undefined): Result {
  const { usage, error } = outcome;
  return {
    type: 'result',
    subtype: subtypeOf(outcome),
    is_error: !isSuccess(outcome),
    result: outcome.text,
    session_id: outcome.session,
    num_turns: outcome.turns,
    duration_ms: durationMs,
    total_cost_usd: outcome.cost,
    usage: toUsage(usage),
    permission_denials: outcome.refused.map(({ tool, callId, input }) => ({
      tool_name: tool,
      tool_use_id: callId,
      tool_input: input,
    })),
    ...(outcome.structured !== undefined && { structured_output: outcome.structured }),
    ...(outcome.verification && { verification: outcome.verification }),
    ...(error && message !== undefined && { error: { code: error.code, message } }),
  };
}

function subtypeOf({ stop, error }: RunOutcome): Result['subtype'] {
  if (error?.code === 'E_SCHEMA_UNMET') return 'error_max_structured_output_retries';
  if (stop === 'max-turns') return 'error_max_turns';
  if (stop === 'budget') return 'error_max_budget_usd';
  return isSuccess({ stop }) ? 'success' : 'error_during_execution';
}

/** The result object of a call of the program that failed outside of any run. */
export function toFailure(code: string, message: string, durationMs: number, session = ''): Result {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    result: '',
    session_id: session,
    num_turns: 0,
    duration_ms: durationMs,
    total_cost_usd: 0,
    usage: toUsage(noUsage),
    permission_denials: [],
    error: { code, message },
  };
}
