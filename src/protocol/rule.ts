/** Permission rules as text: `tool` or `tool(pattern)`. What a pattern matches is the permission service's matter. */

export interface Rule {
  /** Our own name of the tool; may end in `*` for tools of MCP servers. */
  readonly tool: string;
  /** Absent: every call of the tool. */
  readonly pattern?: string;
  /** As it was written. */
  readonly text: string;
}

/** Names that people know from elsewhere. */
export const toolAliases: Readonly<Record<string, string>> = {
  Bash: 'bash',
  Read: 'read_file',
  Edit: 'edit_file',
  Write: 'write_file',
  Glob: 'glob',
  Grep: 'grep',
  WebFetch: 'web_fetch',
  Agent: 'task',
};

const form = /^([A-Za-z][\w-]*\*?)(?:\(([\s\S]*)\))?$/;

/** Reads a rule; `undefined` when it is none: no tool name, brackets that do not close, an empty pattern. */
export function parseRule(text: string): Rule | undefined {
  const match = form.exec(text.trim());
  if (!match) return undefined;
  const [, name, pattern] = match;
  if (name!.endsWith('*') && !name!.startsWith('mcp__')) return undefined;
  if (pattern !== undefined && pattern.trim() === '') return undefined;
  return {
    tool: Object.hasOwn(toolAliases, name!) ? toolAliases[name!]! : name!,
    ...(pattern !== undefined && { pattern }),
    text,
  };
}
