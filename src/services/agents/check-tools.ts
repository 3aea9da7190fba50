/** Tells of tools that an agent's definition names and nobody has: it would do without them and not say why. */
import { readFileSync } from 'node:fs';
import type { AgentDefinition } from '../../protocol/define/agent.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import { toolAliases } from '../../protocol/rule.ts';

/** Reports each unknown name with file and line (`E_AGENT_FILE`). Tools of MCP servers come and go: they count as known. */
export function checkAgentTools(
  agents: Iterable<AgentDefinition>,
  known: ReadonlySet<string>,
  onWarning: (warning: ErrorData) => void,
): void {
  for (const { source: file, tools = [] } of agents) {
    for (const name of tools) {
      if (known.has(name) || name.startsWith('mcp__')) continue;
      const detail = `tools: there is no tool "${name}"`;
      onWarning(new ReinError('E_AGENT_FILE', { file, line: lineOf(file, name), detail }).toData());
    }
  }
}

/** The line that names the tool, below or beside `tools:`; the first one where the file cannot be read any more. */
function lineOf(file: string, tool: string): number {
  const written = [tool, ...Object.keys(toolAliases).filter((alias) => toolAliases[alias] === tool)];
  const lines = readLines(file);
  const from = lines.findIndex((line) => /^tools\s*:/.test(line));
  const words = (line: string) => line.replace(/^tools\s*:/, '').split(/[^\w-]+/);
  const at = lines.findIndex((line, index) => index >= from && words(line).some((word) => written.includes(word)));
  return Math.max(from, at, 0) + 1;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
