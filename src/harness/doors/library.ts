/** Small doors for programs that want one thing and no harness. */
import type { ConfigFile } from '../../protocol/config.ts';
import type { Provider } from '../../protocol/define/provider.ts';
import { saveConfig as save } from '../../services/config/edit.ts';
import { readEnvironment } from '../../services/config/environment.ts';
import { type LoadedConfig, loadConfig as load, userConfigFile } from '../../services/config/load.ts';
import { checkNames } from '../../services/config/names.ts';
import { type ProviderConfig, loadProviderConfig as settingsOf } from '../../services/config/provider.ts';
import { knownNames } from '../parts/flags.ts';
import { connect, gatherDefinitions, type ModelSources } from '../parts/models.ts';

/** The user's configuration with defaults filled in. Throws `E_CONFIG_SYNTAX`, `E_CONFIG_INVALID`. */
export async function loadConfig(): Promise<LoadedConfig['config']> {
  return (await load(knownNames)).config;
}

/** Sets keys of the user's configuration file; other keys and comments stay. Throws `E_CONFIG_*`. */
export async function saveConfig(values: ConfigFile): Promise<void> {
  const { home } = await readEnvironment();
  const file = userConfigFile(home);
  await save(file, values, (changed) => checkNames(changed, file, knownNames));
}

/** Key, address and model of a provider from environment, `$REIN_HOME/.env` and configuration. Throws `E_PROVIDER_UNKNOWN`. */
export async function loadProviderConfig(name: string): Promise<ProviderConfig> {
  return settingsOf(name, await sources());
}

/** A provider that can be called, and the model it would use. Throws `E_PROVIDER_*`, `E_CONFIG_*`. */
export async function createProvider(
  name: string,
  options: { readonly model?: string } = {},
): Promise<{ readonly provider: Provider; readonly model: string }> {
  const from = await sources();
  const settings = settingsOf(name, from);
  return { provider: await connect(settings, from), model: options.model ?? settings.model };
}

async function sources(): Promise<ModelSources> {
  const { config, environment } = await load(knownNames);
  return { config, environment, definitions: gatherDefinitions(config) };
}
