/** The permission gate, made of the decision service, the policy hooks and what is configured. */
import { createApproval } from '../../extensions/middleware/_approval.ts';
import type { HookContext } from '../../protocol/define/hook.ts';
import type { DefinedMiddleware, MiddlewareContext } from '../../protocol/define/middleware.ts';
import type { HookRunner } from '../../services/hooks/hook-runner.ts';
import { explainRefusal } from '../../services/permissions/explain.ts';
import { createDecider, type DeciderParts } from './permissions.ts';

export interface GateParts extends DeciderParts {
  readonly hooks: HookRunner;
}

/** The permission gate: rules and modes, then the hooks, then a person. Nothing passes that one of them refuses. */
export function createGate({ hooks, ...parts }: GateParts): DefinedMiddleware {
  const decide = createDecider(parts);
  return createApproval({
    async decide({ call, session, ask }) {
      const { tool, input } = call;
      const decision = await decide({ tool: tool.schema.name, risk: tool.risk, input }, session, ask);
      return { ...decision, text: explainRefusal(tool.schema.name, decision) };
    },
    hooks: async (event, call, context) => (hooks.has(event) ? hooks.ask(event, call, toHookContext(context)) : []),
  });
}

function toHookContext({ session, signal }: MiddlewareContext): HookContext {
  return { session: session.id, cwd: session.cwd, agent: session.agent, signal };
}
