/** Names in a configuration that no schema knows: languages, tools, providers. */
import { nearest } from '../../lib/nearest.ts';
import type { ConfigFile } from '../../protocol/config.ts';
import { parseRule, toolAliases } from '../../protocol/rule.ts';
import { configError } from './problem.ts';

export interface KnownNames {
  /** Languages there are; `zh` is one of two of them. */
  readonly languages?: readonly string[];
  /** Built-in tools: a rule for a tool whose name is almost one of these is a typing error. */
  readonly toolNames?: readonly string[];
  /** Where all of them are known: built in, of the user's files and of the configuration. */
  readonly providers?: readonly string[];
}

/** Throws `E_CONFIG_INVALID` for the first name that nothing has. */
export function checkNames(content: ConfigFile, file: string, known: KnownNames): void {
  const { languages, providers } = known;
  if (languages) checkName(content.lang, ['zh', ...languages], (detail) => configError(file, 'lang', detail));
  if (providers) checkName(content.provider, providers, (detail) => configError(file, 'provider', detail));
  checkRules(content, file, known.toolNames ?? []);
}

function checkName(
  value: string | undefined,
  allowed: readonly string[],
  toError: (detail: { text: 'config.notOneOf'; value: string; allowed: string[] }) => Error,
): void {
  if (value !== undefined && !allowed.includes(value)) {
    throw toError({ text: 'config.notOneOf', value, allowed: [...allowed] });
  }
}

function checkRules({ permissions }: ConfigFile, file: string, toolNames: readonly string[]): void {
  const known = [...toolNames, ...Object.values(toolAliases)];
  for (const kind of ['allow', 'ask', 'deny'] as const) {
    for (const [index, text] of (permissions?.[kind] ?? []).entries()) {
      const tool = parseRule(text)?.tool ?? '';
      if (tool.startsWith('mcp__') || known.includes(tool)) continue;
      const meant = toolNames.length > 0 ? nearest(tool, [...known, ...Object.keys(toolAliases)]) : undefined;
      if (meant === undefined) continue;
      throw configError(file, `permissions.${kind}.${index}`, { text: 'config.unknownTool', value: tool, meant });
    }
  }
}
