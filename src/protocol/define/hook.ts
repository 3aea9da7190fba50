/** A hook: a user's code at a lifecycle point. Observers are isolated; policy hooks fail closed. */
import type { Json, JsonObject } from '../json.ts';
import { checkFields, hasBrand } from './definition.ts';

export interface HookInputs {
  SessionStart: { source: 'startup' | 'resume' };
  SessionEnd: { reason: string };
  UserPromptSubmit: { prompt: string };
  PreToolUse: { tool: string; input: JsonObject; callId: string };
  PermissionRequest: { tool: string; input: JsonObject; callId: string };
  PostToolUse: { tool: string; input: JsonObject; callId: string; output: string; status: string };
  /** A summary is about to take the place of the older messages; the log keeps them. */
  PreCompact: { trigger: 'auto' | 'manual' };
  SubagentStart: { agent: string; session: string };
  SubagentStop: { agent: string; session: string; stop: string };
  /** Somebody has to answer. */
  Notification: { kind: 'approval' | 'question' | 'plan'; message: string };
  Stop: { stop: string };
}

export type HookEvent = keyof HookInputs;

/** Every event there is. */
export const hookEvents: readonly HookEvent[] = [
  ...(['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse'] as const),
  ...(['PreCompact', 'SubagentStart', 'SubagentStop', 'Notification', 'Stop'] as const),
];

/** Hooks whose failure refuses what they guard. All others only watch. */
export const policyEvents: readonly HookEvent[] = ['PreToolUse', 'UserPromptSubmit', 'PermissionRequest'];

export interface HookContext {
  readonly session: string;
  readonly cwd: string;
  readonly agent: string;
  readonly signal: AbortSignal;
}

/**
 * What a policy hook may say. Nothing: no opinion. `input` of a PreToolUse hook runs instead, if the rules allow it;
 * `context` of a UserPromptSubmit hook is added to the prompt. `block`, and a plain object without `decision`, given by
 * a PreToolUse hook block the call and become its result.
 */
export type HookAnswer =
  | {
      readonly decision: 'allow' | 'deny' | 'ask';
      readonly reason?: string;
      readonly input?: JsonObject;
      readonly context?: string;
    }
  | { readonly decision: 'block'; readonly result: Json }
  | JsonObject;

export interface HookDefinition<E extends HookEvent = HookEvent> {
  readonly name: string;
  readonly event: E;
  /** A pattern for names of tools, such as `write_file|edit_file`, `Edit|Write` or `mcp__git__.*`; all when absent. */
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

/** Defines a hook for one lifecycle event. Throws a TypeError for a field that cannot be used. */
export function defineHook<E extends HookEvent>(definition: HookDefinition<E>): DefinedHook {
  checkFields('hook', definition, { name: 'text', event: hookEvents, matcher: 'string?', run: 'function' });
  return Object.assign({ ...definition }, { [brand]: true as const }) as unknown as DefinedHook;
}

/** What the two plain hooks of {@link definePreTool} and {@link definePostTool} are called, and for which tools. */
export interface PlainHookOptions {
  readonly name?: string;
  readonly matcher?: string;
}

/** A hook before each tool call, as a plain function: a value it returns blocks the call and is its result. */
export function definePreTool(
  run: (name: string, args: JsonObject) => Promise<Json | undefined | void> | Json | undefined | void,
  { name = run.name || 'pre-tool', matcher }: PlainHookOptions = {},
): DefinedHook {
  return defineHook({
    ...{ name, event: 'PreToolUse', matcher },
    run: async ({ tool, input }) => {
      const result = await run(tool, input);
      return result === undefined || result === null ? undefined : { decision: 'block', result };
    },
  });
}

/** A hook after each tool call that really ran, as a plain function; it only watches. */
export function definePostTool(
  run: (name: string, args: JsonObject, result: string) => Promise<void> | void,
  { name = run.name || 'post-tool', matcher }: PlainHookOptions = {},
): DefinedHook {
  return defineHook({
    ...{ name, event: 'PostToolUse', matcher },
    run: ({ tool, input, output }) => run(tool, input, output),
  });
}

/** Whether a value came out of {@link defineHook}, of whatever copy of the package. */
export function isHook(value: unknown): value is DefinedHook {
  return hasBrand(value, brand);
}
