/** What the command line needs of the configuration without a session: the language, keys of the file, stored keys. */

import { join } from 'node:path';
import type { ConfigFile } from '../../protocol/config.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Json } from '../../protocol/json.ts';
import { getKey, setKeyText } from '../../services/config/edit.ts';
import { readEnvironment } from '../../services/config/environment.ts';
import { resolveLanguage } from '../../services/config/language.ts';
import { loadConfig, userConfigFile } from '../../services/config/load.ts';
import { checkNames } from '../../services/config/names.ts';
import { configError } from '../../services/config/problem.ts';
import { chooseModel, keyVariable, saveKey } from '../../services/config/provider.ts';
import { parseJsonc, readText } from '../../services/config/read-file.ts';
import { languages } from '../../services/i18n/translate.ts';
import type { Harness } from '../create-harness.ts';
import { knownNames } from '../parts/flags.ts';
import { gatherDefinitions, type ModelSources } from '../parts/models.ts';
import { createRedaction } from '../parts/redaction.ts';

/** The language to speak when there is no harness (yet). Never throws: a broken configuration has no say. */
export async function preferredLanguage(wanted: string | undefined): Promise<string> {
  const environment = await readEnvironment().catch(() => undefined);
  try {
    return (await loadConfig({ environment, languages, ...(wanted && { flags: { lang: wanted } }) })).config.lang;
  } catch {
    return resolveLanguage(wanted, languages, { get: (name) => process.env[name] });
  }
}

/** The value in force at a dotted path, `undefined` when nothing is set there; the whole configuration for no path. */
export function getSetting(harness: Pick<Harness, 'config'>, path?: string): Json | undefined {
  return path === undefined ? (harness.config as unknown as Json) : getKey(harness.config, path);
}

/** The value at a dotted path of the user's file as it is, right or wrong. Throws `E_CONFIG_SYNTAX`. */
export async function readSetting({ home }: Pick<Harness, 'home'>, path?: string): Promise<Json | undefined> {
  const file = userConfigFile(home);
  const content = await parseJsonc((await readText(file)) ?? '', file);
  return path === undefined ? (content as Json) : getKey(content as object, path);
}

/**
 * Sets a key of the user's file from text as typed: JSON where that fits the key, else the text itself. Throws
 * `E_CONFIG_*` or `E_PROVIDER_UNKNOWN`, and changes nothing, when commands could not work with the value.
 */
export async function setSetting(harness: Harness, path: string, text: string): Promise<void> {
  const file = userConfigFile(harness.home);
  await setKeyText(file, path, text, async (changed) => {
    checkNames(changed, file, knownNames);
    await checkProviders(changed, file, harness);
  });
}

async function checkProviders(changed: ConfigFile, file: string, harness: Harness): Promise<void> {
  const { provider, model, roles = {}, providers } = changed;
  const models = [model, ...Object.values(roles)].filter((name) => name !== undefined);
  if (provider === undefined && models.length === 0 && !providers) return;
  const config = { ...harness.config, ...changed };
  const own = (await harness.extensions()).providers;
  const known = gatherDefinitions({}, own);
  for (const [name, { wire, baseUrl }] of Object.entries(providers ?? {})) {
    if (!known.has(name) && (!wire || !baseUrl)) {
      throw configError(file, `providers.${name}`, { text: 'config.providerParts' });
    }
  }
  const definitions = gatherDefinitions(config, own);
  checkNames(changed, file, { providers: [...definitions.keys()] });
  const { environment } = await harness.sources();
  for (const name of models) checkModel(name, { config, environment, definitions });
}

/** A bare name may be one of a provider that has its key at another time. */
function checkModel(name: string, sources: ModelSources): void {
  try {
    chooseModel(name, sources);
  } catch (error) {
    if (!(ReinError.is(error) && error.code === 'E_MODEL_UNKNOWN')) throw error;
  }
}

/** Where the configuration is read from; a file need not exist. */
export function settingFiles(harness: Pick<Harness, 'home' | 'cwd'>): { user: string; project: string } {
  return { user: userConfigFile(harness.home), project: join(harness.cwd, '.rein', 'config.json') };
}

/** Stores a provider's key in `$REIN_HOME/.env`. `ask` gives it. Throws `E_PROVIDER_UNKNOWN`, `E_KEY_INVALID`, `E_CONFIG_WRITE`. */
export async function storeKey(harness: Harness, provider: string, ask: () => Promise<string>): Promise<void> {
  const { definitions } = await harness.sources();
  // Nobody is asked for a key that has no place.
  const variable = keyVariable(provider, definitions);
  await saveKey({ provider, variable, key: await ask(), home: harness.home });
}

/** Makes what takes secrets out of texts: those that the environment and `$REIN_HOME/.env` hold, and what looks like one. */
export async function createTextRedactor(): Promise<(text: string) => string> {
  const environment = await readEnvironment().catch(() => ({ process: process.env, stored: {} }));
  return createRedaction(environment).redact;
}
