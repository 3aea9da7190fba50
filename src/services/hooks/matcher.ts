/** Which tools, and which occasions of an event, a hook is for. */
import type { HookEvent } from '../../protocol/define/hook.ts';
import { toolAliases } from '../../protocol/rule.ts';

/** What an event is matched by where it is about no tool: the field of its input that says which kind it is. */
const kinds: Partial<Record<HookEvent, string>> = {
  ...{ SessionStart: 'source', SessionEnd: 'reason', PreCompact: 'trigger', Notification: 'kind' },
  ...{ SubagentStart: 'agent', SubagentStop: 'agent' },
};

/**
 * Whether a matcher such as `Edit|Write`, `mcp__git__.*` or `*` is about what happened: a tool by its own name or a
 * usual alias, `resume` for a start, `manual` for a compaction, the kind of a sub-agent. Events without a kind always
 * match.
 */
export function matchesInput(matcher: string, event: HookEvent, input: object): boolean {
  if (matcher === '' || matcher === '*') return true;
  const fields = input as Readonly<Record<string, unknown>>;
  const about = typeof fields.tool === 'string' ? fields.tool : fields[kinds[event] ?? ''];
  if (typeof about !== 'string') return true;
  const pattern = toPattern(matcher);
  return namesOf(about, event).some((name) => pattern?.test(name) ?? name === matcher);
}

function namesOf(about: string, event: HookEvent): string[] {
  if (event === 'Notification') return [about, notificationType(about)];
  if (event === 'SubagentStart' || event === 'SubagentStop') return [about, agentType(about)];
  return [about, ...aliasesOf(about)];
}

/** `general` for the agent at `main/general-1`. */
export function agentType(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/-\d+$/, '');
}

/** What the kind of an interrupt is called elsewhere. */
export function notificationType(kind: string): string {
  return kind === 'question' ? 'elicitation_dialog' : 'permission_prompt';
}

/** The name that people know a tool by elsewhere, else its own. */
export function usualName(tool: string): string {
  return aliasesOf(tool)[0] ?? tool;
}

function aliasesOf(tool: string): string[] {
  return Object.keys(toolAliases).filter((alias) => toolAliases[alias] === tool);
}

/** A repeated group can take for ever even on a short name: such a pattern is a name like any other. */
function toPattern(matcher: string): RegExp | undefined {
  if (/\)[*+{]/.test(matcher)) return undefined;
  try {
    return new RegExp(`^(?:${matcher})$`, 'u');
  } catch {
    return undefined;
  }
}
