/** A point where the run waits for a person, and what the person may say. */
import type { JsonObject } from './json.ts';

export interface InterruptCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

export interface Interrupt {
  readonly id: string;
  readonly kind: 'approval' | 'question' | 'plan';
  /** Path of the agent that waits, such as `main` or `main/review-1`. */
  readonly agent: string;
  /** The call exactly as it would run. */
  readonly call?: InterruptCall;
  readonly question?: string;
  readonly options?: readonly string[];
  readonly plan?: JsonObject;
  /** Hash of exactly what would run; an answer must name it. */
  readonly digest: string;
  /** What is odd about the call: hidden characters, look-alike hosts, ... */
  readonly warnings: readonly string[];
  /** The narrow rule that "session" and "always" would store. */
  readonly rule?: string;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
}

export type DecisionKind = 'approve' | 'approve_session' | 'approve_always' | 'edit' | 'reject' | 'answer';

export interface Decision {
  readonly decision: DecisionKind;
  readonly digest: string;
  /** With `edit`: the input to run instead. */
  readonly input?: JsonObject;
  /** With `answer`: what the person said. */
  readonly answer?: string;
  /** With `reject`: told to the model, and the run goes on. */
  readonly reason?: string;
}

/** The decisions that fit an interrupt. */
export function fittingDecisions(interrupt: Interrupt): readonly DecisionKind[] {
  if (interrupt.kind === 'question') return ['answer', 'reject'];
  if (interrupt.kind === 'plan') return ['approve', 'edit', 'reject'];
  return interrupt.rule === undefined
    ? ['approve', 'edit', 'reject']
    : ['approve', 'approve_session', 'approve_always', 'edit', 'reject'];
}

/** Whether a decision, wherever it comes from, is whole and fits an interrupt. */
export function isFitting(interrupt: Interrupt, decision: unknown): decision is Decision {
  if (!isObject(decision) || decision.digest !== interrupt.digest) return false;
  const { decision: kind, input, answer, reason = '' } = decision;
  if (!fittingDecisions(interrupt).some((one) => one === kind) || typeof reason !== 'string') return false;
  if (kind === 'edit') return isObject(input);
  return kind !== 'answer' || typeof answer === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
