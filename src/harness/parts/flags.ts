/** Flags as the top layer of the configuration. */
import { tools } from '../../extensions/tools/index.ts';
import type { ConfigFile } from '../../protocol/config.ts';
import { readEnvironment } from '../../services/config/environment.ts';
import type { LoadOptions } from '../../services/config/load.ts';
import { languages } from '../../services/i18n/translate.ts';
import { onlyInForce } from '../../services/trust/items.ts';
import type { ProjectTrust } from '../../services/trust/judge.ts';
import { loadTrust } from '../doors/trust.ts';
import type { Flags, HarnessOptions } from '../options.ts';

/** Names that a configuration may use and no schema knows. */
export const knownNames = {
  languages,
  toolNames: tools.map((tool) => (tool as unknown as { name: string }).name),
};

/** What the configuration is loaded from, for these options, and what of the folder is in force. */
export async function toLoadOptions(
  options: HarnessOptions & { readonly cwd: string },
): Promise<{ load: LoadOptions; trust: ProjectTrust }> {
  const { env = process.env, home, flags = {}, cwd } = options;
  const environment = await readEnvironment(home === undefined ? env : { ...env, REIN_HOME: home });
  const file = toConfigFile(flags);
  const trust = await loadTrust({ home: environment.home, cwd });
  const { trusted, config: text, allows } = trust;
  const accept = (content: ConfigFile) => (trusted ? onlyInForce(content, allows) : content);
  const load = {
    environment,
    project: { folder: cwd, trusted, text, accept },
    settings: flags.settings,
    ...(Object.keys(file).length > 0 && { flags: file }),
    ...knownNames,
  };
  return { load, trust };
}

function toConfigFile({ lang, permissionMode, allow, deny, sandbox, ...flags }: Flags): ConfigFile {
  const permissions = defined({ mode: permissionMode, allow: allow && [...allow], deny: deny && [...deny] });
  const { maxTurns, maxRetries, maxTokens, maxBudgetUsd, timeoutSeconds } = flags;
  const limits = defined({ maxTurns, maxRetries, maxTokens, maxBudgetUsd, timeoutSeconds });
  return defined({ lang, sandbox, permissions, limits });
}

/** Without the keys that say nothing; undefined when none is left. */
function defined<T extends object>(object: T): T {
  const entries = Object.entries(object).filter(([, value]) => {
    return value !== undefined && (typeof value !== 'object' || Array.isArray(value) || Object.keys(value).length > 0);
  });
  return Object.fromEntries(entries) as T;
}
