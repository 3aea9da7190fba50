/** What would become of a tool call, and why: for people who write rules. */

import type { ToolDefinition } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { parseRule } from '../../protocol/rule.ts';
import type { PermissionDecision } from '../../services/permissions/decide.ts';
import { needsMark } from '../../services/permissions/shell/judge.ts';
import type { Harness } from '../create-harness.ts';

export interface CallExplanation extends PermissionDecision {
  readonly tool: string;
  readonly input: JsonObject;
  /** Allow rules of the configuration that let nothing run, because they name an interpreter without saying so. */
  readonly unmarked: readonly string[];
}

/**
 * Explains a call as people write it: `Bash(npm test)`, `Edit(src/a.ts)`, `web_fetch(https://x.test)`, or a name with
 * its input as JSON. `undefined` when the text is no call of a tool there is.
 */
export async function explainCall(harness: Harness, text: string): Promise<CallExplanation | undefined> {
  const typed = parseJson(text) ?? parseWritten(text);
  const tool = typed && ((await harness.tools()).get(typed.tool) as ToolDefinition | undefined);
  const isServer = typed?.tool.startsWith('mcp__') === true;
  if (!typed || !(tool || isServer)) return undefined;
  const call = { ...typed, risk: tool?.risk ?? ('execute' as const) };
  const rules = harness.config.permissions.allow.map((rule) => ({ rule, parsed: parseRule(rule) }));
  const unmarked = rules.filter(({ parsed }) => parsed?.tool === 'bash' && needsMark(parsed.pattern ?? ''));
  return { ...typed, ...(await harness.decide(call)), unmarked: unmarked.map(({ rule }) => rule) };
}

/** Where each tool's argument goes that rules are about. */
const subjects: Readonly<Record<string, string>> = {
  ...{ bash: 'command', web_fetch: 'url', glob: 'pattern', grep: 'path', ls: 'path', task: 'agent', use_skill: 'name' },
  ...{ read_file: 'file_path', write_file: 'file_path', edit_file: 'file_path' },
};

function parseWritten(text: string): { tool: string; input: JsonObject } | undefined {
  const rule = parseRule(text);
  if (!rule) return undefined;
  const subject = subjects[rule.tool];
  return { tool: rule.tool, input: rule.pattern !== undefined && subject ? { [subject]: rule.pattern } : {} };
}

/** `bash {"command": "ls"}`. */
function parseJson(text: string): { tool: string; input: JsonObject } | undefined {
  const [, name, json] = /^(\w+)\s+(\{[\s\S]*\})\s*$/.exec(text.trim()) ?? [];
  const tool = parseRule(name ?? '')?.tool;
  if (tool === undefined || json === undefined) return undefined;
  try {
    return { tool, input: JSON.parse(json) as JsonObject };
  } catch {
    return undefined;
  }
}
