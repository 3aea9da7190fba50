/** What is needed to reach a model: which provider, key, address and model. */
import type { Config } from '../../protocol/config.ts';
import type { ProviderDefinition } from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import { type Environment, saveVariable } from './environment.ts';

export interface ProviderSources {
  readonly config: Pick<Config, 'provider' | 'model' | 'providers'>;
  readonly environment: Pick<Environment, 'get'>;
  /** Every provider there is, by name. */
  readonly definitions: ReadonlyMap<string, Omit<ProviderDefinition, 'create'>>;
}

export interface ProviderConfig {
  readonly provider: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Which is asked first when none is configured. */
const order = ['openai', 'anthropic', 'gemini', 'custom', 'ollama', 'openrouter'];

/** Settings of one provider: environment over configuration over its defaults. Throws `E_PROVIDER_UNKNOWN`. */
export function loadProviderConfig(name: string, sources: ProviderSources): ProviderConfig {
  const definition = sources.definitions.get(name);
  if (!definition) {
    throw new ReinError('E_PROVIDER_UNKNOWN', { provider: name, known: [...sources.definitions.keys()] });
  }
  const set = sources.config.providers?.[name] ?? {};
  const variable = (suffix: string) => {
    return definition.envPrefix && sources.environment.get(`${definition.envPrefix}_${suffix}`);
  };
  const given = {
    apiKey: variable('API_KEY'),
    baseUrl: (variable('BASE_URL') ?? set.baseUrl ?? definition.defaultBaseUrl)?.replace(/\/+$/, ''),
    userAgent: variable('USER_AGENT') ?? set.userAgent,
    headers: set.headers,
  };
  return {
    provider: name,
    model: variable('MODEL_NAME') ?? set.model ?? definition.defaultModel,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/** The configured provider, else the first with a key, else `offline`. */
export function defaultProvider({ config, environment, definitions }: ProviderSources): string {
  if (config.provider !== undefined) return config.provider;
  const names = [...new Set([...order, ...definitions.keys()])];
  const withKey = names.find((name) => {
    const prefix = definitions.get(name)?.envPrefix;
    return prefix !== undefined && environment.get(`${prefix}_API_KEY`) !== undefined;
  });
  return withKey ?? 'offline';
}

/**
 * Reads `provider/model`, a provider's name or a model of the default provider; without text the configured model,
 * else the default provider's own. Throws `E_PROVIDER_UNKNOWN`.
 */
export function chooseModel(text: string | undefined, sources: ProviderSources): ProviderConfig {
  const wanted = text ?? sources.config.model;
  if (wanted === undefined) return loadProviderConfig(defaultProvider(sources), sources);
  const slash = wanted.indexOf('/');
  const first = slash === -1 ? wanted : wanted.slice(0, slash);
  if (sources.definitions.has(first)) {
    const settings = loadProviderConfig(first, sources);
    return slash === -1 ? settings : { ...settings, model: wanted.slice(slash + 1) };
  }
  return { ...loadProviderConfig(defaultProvider(sources), sources), model: wanted };
}

/** Stores a provider's key in `$REIN_HOME/.env`. Throws `E_PROVIDER_UNKNOWN`, `E_USAGE` or `E_CONFIG_WRITE`. */
export async function saveKey(
  name: string,
  key: string,
  sources: Pick<ProviderSources, 'definitions'> & { home: string },
) {
  const definition = sources.definitions.get(name);
  if (!definition?.envPrefix) {
    const known = [...sources.definitions].filter(([, each]) => each.envPrefix).map(([each]) => each);
    throw new ReinError('E_PROVIDER_UNKNOWN', { provider: name, known });
  }
  await saveVariable(sources.home, `${definition.envPrefix}_API_KEY`, key.trim());
}
