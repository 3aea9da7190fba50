/** Which model answers: from names as people write them to providers that can be called. */
import type { ModelChoice } from '../../engine/ports.ts';
import { createByWire } from '../../extensions/providers/_by-wire.ts';
import { modelInfo } from '../../extensions/providers/_models.ts';
import { providers as builtIn } from '../../extensions/providers/index.ts';
import type { Config } from '../../protocol/config.ts';
import {
  type ConnectionTest,
  type DefinedProvider,
  defineProvider,
  type ModelInfo,
  type Provider,
  type ProviderDefinition,
} from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Effort } from '../../protocol/request.ts';
import type { Environment } from '../../services/config/environment.ts';
import { chooseModel, loadProviderConfig, type ProviderConfig } from '../../services/config/provider.ts';
import type { HarnessOptions } from '../options.ts';
import type { ChooseModel } from './agents.ts';

export interface ModelSources {
  readonly config: Pick<Config, 'provider' | 'model' | 'providers' | 'models'> & Partial<Pick<Config, 'lang'>>;
  readonly environment: Pick<Environment, 'get'>;
  /** By name: built in, the user's files, the caller's and those that the configuration defines. */
  readonly definitions: ReadonlyMap<string, ProviderDefinition>;
}

/** All provider definitions by name; a later one with the same name wins. */
export function gatherDefinitions(
  config: Pick<Config, 'providers'>,
  more: readonly DefinedProvider[] = [],
): Map<string, ProviderDefinition> {
  const definitions = new Map<string, ProviderDefinition>([...builtIn, ...more].map((each) => [each.name, each]));
  for (const [name, { wire, model, baseUrl }] of Object.entries(config.providers ?? {})) {
    if (definitions.has(name)) continue;
    if (!wire || !baseUrl)
      throw new ReinError('E_PROVIDER_UNKNOWN', { provider: name, known: [...definitions.keys()] });
    const definition = {
      name,
      envPrefix: toPrefix(name),
      defaultModel: model ?? 'default',
      defaultBaseUrl: baseUrl,
      keyless: true,
    };
    definitions.set(name, defineProvider({ ...definition, create: (options) => createByWire(wire, name, options) }));
  }
  return definitions;
}

function toPrefix(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

/** A provider that can be called, and its model. Throws `E_PROVIDER_UNKNOWN`, `E_PROVIDER_KEY_MISSING`, `E_PROVIDER_URL_MISSING`. */
export async function connect(settings: ProviderConfig, sources: ModelSources): Promise<Provider> {
  const definition = sources.definitions.get(settings.provider);
  if (!definition)
    throw new ReinError('E_PROVIDER_UNKNOWN', { provider: settings.provider, known: [...sources.definitions.keys()] });
  const { apiKey, baseUrl, userAgent, headers } = settings;
  if (!apiKey && !definition.keyless) {
    throw new ReinError('E_PROVIDER_KEY_MISSING', {
      provider: settings.provider,
      variable: `${definition.envPrefix}_API_KEY`,
    });
  }
  if (!baseUrl && definition.keyless && definition.envPrefix) {
    const variable = `${definition.envPrefix}_BASE_URL`;
    throw new ReinError('E_PROVIDER_URL_MISSING', { provider: settings.provider, variable });
  }
  const language = sources.config.lang;
  return definition.create({ apiKey, baseUrl, userAgent, headers, ...(language && { language }) });
}

/** The model that `text` names (`provider/model`, a provider, a model), else the configured one. */
async function chooseFor(text: string | undefined, sources: ModelSources, effort?: Effort): Promise<ModelChoice> {
  const settings = chooseModel(text, sources);
  const info = knownInfo(settings, sources);
  return { provider: await connect(settings, sources), info, effort: effort ?? info.effort };
}

export type MainModels = readonly [ModelChoice, ...ModelChoice[]];

/** The model of the main agent, and the one that stands in for it. Throws `E_PROVIDER_*`. */
export async function mainModels(
  { provider, model, flags }: Pick<HarnessOptions, 'provider' | 'model' | 'flags'>,
  sources: () => Promise<ModelSources>,
): Promise<MainModels> {
  if (provider) return [{ provider, info: { id: model ?? 'default' }, effort: flags?.effort }];
  const found = await sources();
  const first = await chooseFor(flags?.model ?? model, found, flags?.effort);
  return flags?.fallbackModel ? [first, await chooseFor(flags.fallbackModel, found, flags.effort)] : [first];
}

/** Models by name, each made once: their connections serve all sessions. */
export function chooseOnce(sources: () => Promise<ModelSources>): ChooseModel {
  const known = new Map<string, Promise<ModelChoice>>();
  return (name) => {
    const made = known.get(name) ?? sources().then((found) => chooseFor(name, found));
    known.set(name, made);
    return made;
  };
}

function knownInfo({ provider, model }: ProviderConfig, { config }: ModelSources): ModelInfo {
  const own = Object.entries(config.models ?? {}).map(([id, entry]) => ({
    ...entry,
    id: id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id,
  }));
  return modelInfo(model, own);
}

/** Whether a provider can be reached with what is configured. Never throws. */
export async function testConnection(
  name: string,
  sources: ModelSources,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  try {
    return await (await connect(loadProviderConfig(name, sources), sources)).testConnection(signal);
  } catch (error) {
    const { code, message } = ReinError.from(error);
    return { ok: false, detail: `${code}: ${message}` };
  }
}
