/** Which tools there are: built in, the user's files, the caller's. */
import { tools as builtIn } from '../../extensions/tools/index.ts';
import type { DefinedTool, ToolDefinition } from '../../protocol/define/tool.ts';
import { ReinError } from '../../protocol/errors.ts';

export interface ToolSource {
  readonly tool: DefinedTool;
  /** A file, `built-in` or `caller`. */
  readonly source: string;
}

export interface ToolEntry {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  /** Why it is not registered. */
  readonly problem?: 'no-name' | 'no-description' | 'private-name';
  readonly tool: DefinedTool;
}

/**
 * All tools in order of name, those that are not registered with the reason. Throws `E_EXTENSION_CLASH` when two have
 * the same name, naming both sources.
 */
export function gatherTools(more: readonly ToolSource[]): ToolEntry[] {
  const all = [...builtIn.map((tool) => ({ tool, source: 'built-in' })), ...more].map(toEntry);
  const seen = new Map<string, string>();
  for (const { name, source, problem } of all) {
    const first = seen.get(name);
    if (!problem && first !== undefined) throw new ReinError('E_EXTENSION_CLASH', { name, first, second: source });
    if (!problem) seen.set(name, source);
  }
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function toEntry({ tool, source }: ToolSource): ToolEntry {
  const { name = '', description = '' } = tool as unknown as Partial<ToolDefinition>;
  const entry = { name, description, source, tool };
  if (name === '') return { ...entry, problem: 'no-name' };
  if (name.startsWith('_')) return { ...entry, problem: 'private-name' };
  return description === '' ? { ...entry, problem: 'no-description' } : entry;
}
