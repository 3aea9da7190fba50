/** Which tools a hook is for. */
import { toolAliases } from '../../protocol/rule.ts';

/** Whether a matcher such as `Edit|Write`, `mcp__git__.*` or `*` is about a tool, by its own name or a usual alias. */
export function matchesTool(matcher: string, tool: string): boolean {
  if (matcher === '' || matcher === '*') return true;
  const pattern = toPattern(matcher);
  return [tool, ...aliasesOf(tool)].some((name) => pattern?.test(name) ?? name === matcher);
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
