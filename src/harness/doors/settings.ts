/** What the command line needs of the configuration without a session: the language, keys of the file, stored keys. */

import { join } from 'node:path';
import type { Json } from '../../protocol/json.ts';
import { getKey, setKeyText } from '../../services/config/edit.ts';
import { readEnvironment } from '../../services/config/environment.ts';
import { resolveLanguage } from '../../services/config/language.ts';
import { loadConfig, userConfigFile } from '../../services/config/load.ts';
import { saveKey } from '../../services/config/provider.ts';
import type { Harness } from '../create-harness.ts';
import { createRedaction } from '../parts/redaction.ts';

const languages = ['en', 'zh-CN', 'zh-TW'];

/** The language to speak when there is no harness (yet). Never throws: a broken configuration has no say. */
export async function preferredLanguage(wanted: string | undefined): Promise<string> {
  const environment = await readEnvironment().catch(() => undefined);
  try {
    return (await loadConfig({ environment, ...(wanted && { flags: { lang: wanted } }) })).config.lang;
  } catch {
    return resolveLanguage(wanted, languages, { get: (name) => process.env[name] });
  }
}

/** The value in force at a dotted path, `undefined` when nothing is set there; the whole configuration for no path. */
export function getSetting(harness: Pick<Harness, 'config'>, path?: string): Json | undefined {
  return path === undefined ? (harness.config as unknown as Json) : getKey(harness.config, path);
}

/**
 * Sets a key of the user's file from text as typed: JSON where that fits the key, else the text itself. Throws
 * `E_CONFIG_*` and changes nothing when the result would not be valid.
 */
export async function setSetting(path: string, text: string): Promise<void> {
  await setKeyText(userConfigFile((await readEnvironment()).home), path, text);
}

/** Where the configuration is read from; a file need not exist. */
export function settingFiles(harness: Pick<Harness, 'home' | 'cwd'>): { user: string; project: string } {
  return { user: userConfigFile(harness.home), project: join(harness.cwd, '.rein', 'config.json') };
}

/** Stores a provider's key in `$REIN_HOME/.env`. Throws `E_PROVIDER_UNKNOWN`, `E_CONFIG_WRITE`. */
export async function storeKey(harness: Harness, provider: string, key: string): Promise<void> {
  const { definitions } = await harness.sources();
  await saveKey(provider, key, { definitions, home: harness.home });
}

/** Makes what takes secrets out of texts: those that the environment and `$REIN_HOME/.env` hold, and what looks like one. */
export async function createTextRedactor(): Promise<(text: string) => string> {
  const environment = await readEnvironment().catch(() => ({ process: process.env, stored: {} }));
  return createRedaction(environment).redact;
}
