/** Loads the configuration: flag > environment > project > user. */
import { join } from 'node:path';
import type { Config, ConfigFile } from '../../protocol/config.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { resolveLanguage } from './language.ts';
import { defaults, overlay, overlayProject } from './merge.ts';
import { checkNames, type KnownNames } from './names.ts';
import { checkConfig } from './problem.ts';
import { parseConfig, readConfigFile } from './read-file.ts';

export interface LoadOptions extends Pick<KnownNames, 'languages' | 'toolNames'> {
  /** Read before; else the process's. */
  readonly environment?: Environment;
  /** The project whose `.rein/config.json` is read, and whether the user trusts it. */
  readonly project?: {
    readonly folder: string;
    readonly trusted: boolean;
    /** What the file holds, where it was read before. */
    readonly text?: string;
    /** Takes out what the user has not seen as it is now. */
    accept?(content: ConfigFile): ConfigFile;
  };
  /** File named by `--settings`; above project and user. */
  readonly settings?: string;
  /** What flags say; above everything. */
  readonly flags?: ConfigFile;
  /** Told of a file that is wrong, which then counts as empty. Absent: such a file is an error. */
  onInvalid?(error: ReinError): void;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly environment: Environment;
  /** The user's file, and the project's. They need not exist. */
  readonly files: { readonly user: string; readonly project?: string };
  /** What a project's file says without effect (`E_CONFIG_IGNORED`). */
  readonly warnings: readonly ErrorData[];
}

/**
 * Loads and joins all sources; a missing file means defaults. Writes nothing.
 * Throws `E_CONFIG_SYNTAX` or `E_CONFIG_INVALID` for a file that is wrong, also for a project's.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const environment = options.environment ?? (await readEnvironment());
  const { languages, toolNames } = options;
  const files = {
    user: userConfigFile(environment.home),
    ...(options.project && { project: join(options.project.folder, '.rein', 'config.json') }),
  };
  const check = (content: ConfigFile, file: string): ConfigFile => {
    checkNames(content, file, { languages, toolNames });
    return content;
  };
  const tolerant = async (content: () => Promise<ConfigFile>): Promise<ConfigFile> => {
    try {
      return await content();
    } catch (error) {
      if (!options.onInvalid || !ReinError.is(error)) throw error;
      options.onInvalid(error);
      return {};
    }
  };
  const read = (file: string) => tolerant(async () => check((await readConfigFile(file)) ?? {}, file));

  let joined = overlay({}, await read(files.user));
  const warnings: ErrorData[] = [];
  // A folder whose .rein is the home itself has no project file: the same file would count twice.
  if (files.project && options.project && files.project !== files.user) {
    const { trusted, text, accept = (content) => content } = options.project;
    const content =
      text === undefined
        ? await read(files.project)
        : await tolerant(async () => check(await parseConfig(text, files.project!), files.project!));
    const { config, ignored } = overlayProject(joined, accept(content), trusted);
    joined = config;
    warnings.push(...ignored.map((key) => new ReinError('E_CONFIG_IGNORED', { file: files.project!, key }).toData()));
  }
  if (options.settings !== undefined) {
    const content = await readConfigFile(options.settings);
    if (!content) throw new ReinError('E_INPUT_FILE', { file: options.settings, detail: 'ENOENT' });
    joined = overlay(joined, check(content, options.settings));
  }
  if (options.flags) joined = overlay(joined, check(checkConfig(options.flags, 'flags'), 'flags'));

  const { $schema, ...rest } = joined;
  const config: Config = {
    ...rest,
    lang: resolveLanguage(rest.lang, languages ?? [], environment),
    profile: rest.profile ?? defaults.profile,
    permissions: {
      mode: rest.permissions?.mode ?? defaults.permissions.mode,
      allow: rest.permissions?.allow ?? [],
      ask: rest.permissions?.ask ?? [],
      deny: rest.permissions?.deny ?? [],
    },
    sandbox: rest.sandbox ?? defaults.sandbox,
    limits: { ...defaults.limits, ...rest.limits },
    skills: { mode: rest.skills?.mode ?? defaults.skills.mode },
  };
  return { config, environment, files, warnings };
}

/** Where the user's configuration file is. */
export function userConfigFile(home: string): string {
  return join(home, 'config.json');
}
