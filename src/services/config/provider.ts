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
 * else the default provider's own. Throws `E_PROVIDER_UNKNOWN`, `E_MODEL_UNKNOWN`.
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
  const settings = loadProviderConfig(defaultProvider(sources), sources);
  if (!mayOffer(settings, wanted, sources)) {
    if (slash !== -1)
      throw new ReinError('E_PROVIDER_UNKNOWN', { provider: first, known: [...sources.definitions.keys()] });
    throw new ReinError('E_MODEL_UNKNOWN', { model: wanted, provider: settings.provider });
  }
  return { ...settings, model: wanted };
}

/** The vendors themselves know no names with a slash: what stands before it was meant as a provider. */
const vendors = ['openai', 'anthropic'];

function mayOffer({ provider, model, baseUrl }: ProviderConfig, wanted: string, sources: ProviderSources): boolean {
  if (provider === 'offline') return wanted === model;
  const isVendor = vendors.includes(provider) && baseUrl === sources.definitions.get(provider)?.defaultBaseUrl;
  return !(isVendor && wanted.includes('/'));
}

/** The variable that holds a provider's key. Throws `E_PROVIDER_UNKNOWN`, also for one that takes none. */
export function keyVariable(provider: string, definitions: ProviderSources['definitions']): string {
  const prefix = definitions.get(provider)?.envPrefix;
  if (prefix) return `${prefix}_API_KEY`;
  const known = [...definitions].filter(([, each]) => each.envPrefix).map(([each]) => each);
  throw new ReinError('E_PROVIDER_UNKNOWN', { provider, known });
}

const maxKey = 4096;

/** Stores a provider's key in `$REIN_HOME/.env`. Throws `E_KEY_INVALID`, `E_CONFIG_WRITE`. */
export async function saveKey(about: { provider: string; variable: string; key: string; home: string }): Promise<void> {
  const { provider, variable, home } = about;
  const key = about.key.trim();
  const refuse = (text: string) => new ReinError('E_KEY_INVALID', { provider, detail: { text } });
  if (key === '') throw refuse('cli.login.empty');
  // It travels in a header.
  if (key.length > maxKey || !/^[\x21-\x7e]+$/.test(key)) throw refuse('cli.login.characters');
  await saveVariable(home, variable, key);
}
