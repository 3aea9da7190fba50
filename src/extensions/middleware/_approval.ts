/**
 * The one place where a tool call is let through, refused or put before a person: policy hooks, then the permission
 * decision. Innermost of all middleware, so that it judges exactly what would run.
 */
import type { HookAnswer } from '../../protocol/define/hook.ts';
import {
  type CallResult,
  type DefinedMiddleware,
  defineMiddleware,
  type MiddlewareContext,
  type ToolCall,
} from '../../protocol/define/middleware.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** What the permission service says of a call. */
export interface ApprovalDecision {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly narrowRule?: string;
  readonly warnings: readonly string[];
  readonly refusal?: 'rule' | 'person' | 'nobody';
  /** With `deny`: the result for the model. */
  readonly text: string;
}

export interface ApprovalQuestion {
  readonly call: ToolCall;
  readonly session: MiddlewareContext['session'];
  /** A hook wants a person to look, whatever the rules allow. */
  readonly ask: boolean;
}

/** What a policy hook said, and which. */
interface HookVerdict {
  readonly hook: string;
  readonly answer: HookAnswer;
}

export interface ApprovalOptions {
  decide(question: ApprovalQuestion): ApprovalDecision | Promise<ApprovalDecision>;
  /**
   * Runs the policy hooks for a call, in order, each with the input as the one before left it. A hook that fails is
   * reported as `deny` with the reason.
   */
  hooks?(
    event: 'PreToolUse' | 'PermissionRequest',
    call: { readonly tool: string; readonly input: JsonObject; readonly callId: string },
    context: MiddlewareContext,
  ): Promise<readonly HookVerdict[]>;
}

/** Makes the approval middleware from what the harness composed. */
export function createApproval(options: ApprovalOptions): DefinedMiddleware {
  return defineMiddleware({
    name: 'approval',
    slot: 'approval',
    wrapToolCall: (call, next, context) => judge(options, { call, next, context }),
  });
}

interface Pass {
  readonly call: ToolCall;
  readonly next: (call: ToolCall) => Promise<CallResult>;
  readonly context: MiddlewareContext;
}

async function judge(options: ApprovalOptions, { call: asked, next, context }: Pass): Promise<CallResult> {
  const { session } = context;
  const policy = asked.approved === undefined ? await applyHooks(options, asked, context) : { call: asked, ask: false };
  if ('result' in policy) return policy.result;
  const { call, ask } = policy;
  // Also what a hook has made of it again, when just that was approved.
  const approved = call.approved !== undefined;
  const decision = await options.decide({ call, session, ask });
  if (decision.verdict === 'allow' || (decision.verdict === 'ask' && approved)) return next(call);
  // A person's word stands above what only nobody could answer, never above a rule.
  if (approved && decision.refusal === 'nobody') return next(call);
  if (decision.verdict === 'deny') return refused(decision.text, decision.refusal ?? 'rule');
  const request = { tool: call.tool.schema.name, input: call.input, callId: call.id };
  for (const { hook, answer } of (await options.hooks?.('PermissionRequest', request, context)) ?? []) {
    const said = toPolicy(answer);
    if (said.decision === 'deny') return refused(hookRefusal(call, hook, said.reason), 'rule');
    // A rewrite would run what nobody judged; PreToolUse is the place for it.
    if (said.decision === 'allow' && !said.input) return next(call);
  }
  return call.suspend({
    kind: 'approval',
    warnings: decision.warnings,
    ...(decision.narrowRule !== undefined && !ask && { rule: decision.narrowRule }),
  });
}

type Policy = { readonly call: ToolCall; readonly ask: boolean } | { readonly result: CallResult };

/** Deny wins over ask, ask over allow; `allow` alone grants nothing, the rules still decide. */
async function applyHooks(options: ApprovalOptions, first: ToolCall, context: MiddlewareContext): Promise<Policy> {
  let call = first;
  let ask = false;
  const { name } = first.tool.schema;
  const verdicts = await options.hooks?.('PreToolUse', { tool: name, input: first.input, callId: first.id }, context);
  let blocked: CallResult | undefined;
  for (const { hook, answer } of verdicts ?? []) {
    const said = toPolicy(answer);
    if (said.result !== undefined)
      blocked ??= { status: 'denied', content: [{ type: 'text', text: said.result }], refusal: 'rule' };
    if (said.decision === 'deny') return { result: refused(hookRefusal(first, hook, said.reason), 'rule') };
    if (said.decision === 'ask') ask = true;
    if (said.input) {
      const parsed = first.tool.parse(said.input);
      if (!parsed.ok)
        return { result: refused(hookRefusal(first, hook, `it rewrote the input: ${parsed.error}`), 'rule') };
      call = call.with(parsed.input);
    }
  }
  return blocked ? { result: blocked } : { call, ask };
}

interface PolicyAnswer {
  readonly decision?: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
  readonly input?: JsonObject;
  /** The call is blocked and this is its result. */
  readonly result?: string;
}

/** An object without `decision` blocks the call and becomes its result; a decision that is none is a deny. */
function toPolicy(answer: HookAnswer): PolicyAnswer {
  if (!Object.hasOwn(answer, 'decision')) return { result: JSON.stringify(answer) };
  const { decision, reason, input, result } = answer as Readonly<Record<string, unknown>>;
  const text = typeof reason === 'string' ? { reason } : {};
  if (decision === 'block' && result !== undefined) {
    return { result: typeof result === 'string' ? result : JSON.stringify(result) };
  }
  if (decision === 'block') return { decision: 'deny', ...text };
  if (decision !== 'allow' && decision !== 'ask' && decision !== 'deny') {
    return { decision: 'deny', reason: 'its answer is not understood' };
  }
  if (input === undefined) return { decision, ...text };
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject
    ? { decision, ...text, input: input as JsonObject }
    : { decision: 'deny', reason: 'its input is no object' };
}

function hookRefusal(call: ToolCall, hook: string, reason = 'it gave no reason'): string {
  return `${call.tool.schema.name} was not run: the hook ${hook} refused it: ${reason.replace(/[.\s]+$/, '')}. Do not try it again in another form; find another way.`;
}

function refused(text: string, refusal: 'rule' | 'person' | 'nobody'): CallResult {
  return { status: 'denied', content: [{ type: 'text', text }], refusal };
}
