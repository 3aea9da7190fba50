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
  const { project, settings, flags, languages } = options;
  const files = {
    user: userConfigFile(environment.home),
    ...(project && { project: join(project.folder, '.rein', 'config.json') }),
  };
  let joined = overlay({}, await readTolerantly(options, files.user));
  const warnings: ErrorData[] = [];
  // A folder whose .rein is the home itself has no project file: the same file would count twice.
  if (project && files.project && files.project !== files.user) {
    const content = await readTolerantly(options, files.project, project.text);
    const { config, ignored } = overlayProject(joined, project.accept?.(content) ?? content, project.trusted);
    joined = config;
    if (ignored.length > 0) {
      const why = { text: project.trusted ? 'config.ofProject' : 'config.untrusted' };
      warnings.push(new ReinError('E_CONFIG_IGNORED', { file: files.project, keys: ignored.sort(), why }).toData());
    }
  }
  if (settings !== undefined) joined = overlay(joined, await readSettings(options, settings));
  if (flags) joined = overlay(joined, checked(options, checkConfig(flags, 'flags'), 'flags'));
  return { config: complete(joined, languages ?? [], environment), environment, files, warnings };
}

/** The content of a file, or of the text that it held; a wrong one counts as empty where somebody is told. */
async function readTolerantly(options: LoadOptions, file: string, text?: string): Promise<ConfigFile> {
  try {
    const content = text === undefined ? await readConfigFile(file) : await parseConfig(text, file);
    return checked(options, content ?? {}, file);
  } catch (error) {
    if (!options.onInvalid || !ReinError.is(error)) throw error;
    options.onInvalid(error);
    return {};
  }
}

/** A file that a flag names has to be there, and to be right. */
async function readSettings(options: LoadOptions, file: string): Promise<ConfigFile> {
  const content = await readConfigFile(file);
  if (!content) throw new ReinError('E_INPUT_FILE', { file, detail: 'ENOENT' });
  return checked(options, content, file);
}

function checked({ languages, toolNames }: LoadOptions, content: ConfigFile, file: string): ConfigFile {
  checkNames(content, file, { languages, toolNames });
  return content;
}

/** Puts the defaults where nothing was said. */
function complete(joined: ConfigFile, languages: readonly string[], environment: Environment): Config {
  const { $schema, ...rest } = joined;
  return {
    ...rest,
    lang: resolveLanguage(rest.lang, languages, environment),
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
}

/** Where the user's configuration file is. */
export function userConfigFile(home: string): string {
  return join(home, 'config.json');
}
