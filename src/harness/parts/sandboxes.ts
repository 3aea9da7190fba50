/** Where the commands of a session run: decided once a folder, when the first command is judged. */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../protocol/config.ts';
import type { Environment } from '../../services/config/environment.ts';
import { secretPlaces } from '../../services/permissions/paths.ts';
import type { ChosenSandbox } from '../../services/sandbox/choose-sandbox.ts';
import type { SandboxDriver } from '../../services/sandbox/sandbox-driver.ts';

export type { ChosenSandbox };

/** Throws `E_SANDBOX_UNAVAILABLE` when one is required and none holds, `E_SANDBOX_DOMAINS` when none holds them to their hosts. */
export type SandboxFor = (cwd: string) => Promise<ChosenSandbox>;

export interface SandboxParts {
  readonly options: {
    readonly flags?: { readonly addDirs?: readonly string[] };
    /** Decides instead of what is configured. */
    readonly sandbox?: SandboxFor;
  };
  readonly config: Pick<Config, 'sandbox' | 'sandboxDomains'>;
  readonly environment: Environment;
  /** Absolute paths of files that commands in force run: not for the commands of an agent to change. */
  readonly guarded?: readonly string[];
}

/** What commands may read of `$REIN_HOME`: what is written to be used, nothing that is kept. */
const openInHome = ['skills', 'agents', 'commands', 'hooks', 'tools', 'middleware', 'providers', 'themes', 'memory'];

/** Nothing is loaded or tried before the first call. */
export function createSandboxes({ options, config, environment, guarded = [] }: SandboxParts): SandboxFor {
  const chosen = new Map<string, Promise<ChosenSandbox>>();
  const choose = async (cwd: string) => {
    const { chooseSandbox } = await import('../../services/sandbox/choose-sandbox.ts');
    const { home, userHome } = environment;
    const added = options.flags?.addDirs?.map((folder) => realpathSync(resolve(cwd, folder))) ?? [];
    return chooseSandbox(config.sandbox, {
      roots: [realpathSync(cwd), ...added],
      userHome,
      secrets: [home, ...secretPlaces(userHome)],
      visible: openInHome.map((name) => join(home, name)),
      ...{ aside: join(home, 'aside'), guarded },
      ...(config.sandboxDomains && {
        domains: { domains: config.sandboxDomains, packages: join(home, 'node_modules') },
      }),
      path: environment.process.PATH ?? '/usr/bin:/bin',
    });
  };
  return (cwd) => {
    const known = chosen.get(cwd) ?? (options.sandbox ?? choose)(cwd);
    chosen.set(cwd, known);
    return known;
  };
}

/** The driver for a folder, chosen when its first command starts. */
export function lazyDriver(choose: () => Promise<ChosenSandbox>): SandboxDriver {
  let driver: SandboxDriver | undefined;
  return {
    name: 'chosen',
    async prepare(command) {
      driver = (await choose()).driver;
      return driver.prepare(command);
    },
    close: () => driver?.close?.(),
  };
}
