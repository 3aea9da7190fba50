/** What a hook command printed, as an answer. */
import { isObject } from '../../lib/is-object.ts';
import type { HookAnswer, HookEvent } from '../../protocol/define/hook.ts';
import type { JsonObject } from '../../protocol/json.ts';

export type ReadAnswer = { readonly message?: string } & (
  | { readonly ok: true; readonly answer?: HookAnswer }
  | { readonly ok: false; readonly problem: string }
);

/** Nothing is no opinion. Text that is no JSON object is context for a prompt, and unreadable anywhere else. */
export function readAnswer(event: HookEvent, stdout: string): ReadAnswer {
  const text = stdout.trim();
  if (text === '') return { ok: true };
  const said = parse(text);
  if (!said) {
    if (event === 'UserPromptSubmit' && !text.startsWith('{'))
      return { ok: true, answer: { decision: 'allow', context: text } };
    return { ok: false, problem: 'what it printed is no JSON object' };
  }
  const message = typeof said.systemMessage === 'string' ? { message: said.systemMessage } : {};
  const read = toAnswer(event, said);
  return read === 'unknown'
    ? { ...message, ok: false, problem: 'its decision is not one that is known' }
    : { ...message, ok: true, ...(read && { answer: read }) };
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function toAnswer(event: HookEvent, said: JsonObject): HookAnswer | undefined | 'unknown' {
  const specific = isObject(said.hookSpecificOutput) ? said.hookSpecificOutput : {};
  if (said.continue === false) return deny(said.stopReason ?? said.reason);
  if (said.decision === 'block') return deny(said.reason);
  if (said.decision !== undefined && said.decision !== 'approve') return 'unknown';
  if (event === 'UserPromptSubmit') {
    const { additionalContext: context } = specific;
    return typeof context === 'string' ? { decision: 'allow', context } : undefined;
  }
  if (event === 'PermissionRequest') return toPermission(specific.decision, said.decision === 'approve');
  if (event !== 'PreToolUse') return undefined;
  const { permissionDecision: wanted, permissionDecisionReason: reason, updatedInput: input } = specific;
  const more = {
    ...(typeof reason === 'string' && { reason }),
    ...(isObject(input) && { input: input as JsonObject }),
  };
  if (input !== undefined && !isObject(input)) return 'unknown';
  switch (wanted) {
    case 'allow':
    case 'ask':
    case 'deny':
      return { decision: wanted, ...more };
    case undefined:
    case 'defer':
      // A rewrite alone has no opinion on whether it may run.
      return isObject(input) || said.decision === 'approve' ? { decision: 'allow', ...more } : undefined;
    default:
      return 'unknown';
  }
}

function toPermission(decision: unknown, approved: boolean): HookAnswer | undefined | 'unknown' {
  if (decision === undefined) return approved ? { decision: 'allow' } : undefined;
  if (!isObject(decision)) return 'unknown';
  const { behavior, message, updatedInput: input } = decision;
  if (behavior === 'deny') return deny(message);
  return behavior === 'allow'
    ? { decision: 'allow', ...(isObject(input) && { input: input as JsonObject }) }
    : 'unknown';
}

function deny(reason: unknown): HookAnswer {
  return { decision: 'deny', ...(typeof reason === 'string' && { reason }) };
}
