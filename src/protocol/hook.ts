/** A hook: a user's code at a lifecycle point. Observers are isolated; policy hooks fail closed. */
import type { JsonObject } from './json.ts';

export interface HookInputs {
  SessionStart: { source: 'startup' | 'resume' };
  SessionEnd: { reason: string };
  UserPromptSubmit: { prompt: string };
  PreToolUse: { tool: string; input: JsonObject; callId: string };
  PermissionRequest: { tool: string; input: JsonObject; callId: string };
  PostToolUse: { tool: string; input: JsonObject; callId: string; output: string; status: string };
  Stop: { stop: string };
}

export type HookEvent = keyof HookInputs;

/** Hooks whose failure refuses what they guard. All others only watch. */
export const policyEvents: readonly HookEvent[] = ['PreToolUse', 'UserPromptSubmit', 'PermissionRequest'];

export interface HookContext {
  readonly session: string;
  readonly cwd: string;
  readonly agent: string;
  readonly signal: AbortSignal;
}

/**
 * What a policy hook may say. Nothing: no opinion. A plain object without `decision` given by a PreToolUse hook
 * blocks the call and becomes its result.
 */
export type HookAnswer =
  | { readonly decision: 'allow' | 'deny' | 'ask'; readonly reason?: string; readonly input?: JsonObject }
  | JsonObject;

export interface HookDefinition<E extends HookEvent = HookEvent> {
  readonly name: string;
  readonly event: E;
  /** Tool names this hook is for, joined with `|`; all when absent. */
  readonly matcher?: string;
  /** Seconds; default 60. */
  readonly timeoutSeconds?: number;
  run(
    input: HookInputs[E],
    context: HookContext,
  ): Promise<HookAnswer | undefined | void> | HookAnswer | undefined | void;
}

const brand = Symbol.for('rein.hook');

export type DefinedHook = HookDefinition<never> & { readonly [brand]: true };

/** Defines a hook for one lifecycle event. */
export function defineHook<E extends HookEvent>(definition: HookDefinition<E>): DefinedHook {
  return Object.assign({ ...definition }, { [brand]: true as const }) as unknown as DefinedHook;
}

export function isHook(value: unknown): value is DefinedHook {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}
