/** The composition root: makes everything out of its parts. Nothing is opened or loaded before it is needed. */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../engine/ports.ts';
import type { Config } from '../protocol/config.ts';
import type { AgentDefinition } from '../protocol/define/agent.ts';
import type { DefinedTool } from '../protocol/define/tool.ts';
import { type ErrorData, ReinError } from '../protocol/errors.ts';
import { checkAgentTools } from '../services/agents/check-tools.ts';
import { agentFolders } from '../services/agents/folders.ts';
import { loadAgents } from '../services/agents/load.ts';
import type { Environment } from '../services/config/environment.ts';
import { loadConfig } from '../services/config/load.ts';
import type { PermissionDecision } from '../services/permissions/decide.ts';
import type { JudgedCall } from '../services/permissions/match.ts';
import type { SessionStore } from '../services/sessions/store.ts';
import type { ProjectTrust } from '../services/trust/judge.ts';
import { offWarning, trustStore, trustWarnings } from './doors/trust.ts';
import { openSession } from './open-session.ts';
import { openHomeStore } from './open-store.ts';
import type { HarnessOptions, OpenOptions } from './options.ts';
import type { ChooseModel } from './parts/agents.ts';
import { type Extensions, loadExtensions } from './parts/extensions.ts';
import { toLoadOptions } from './parts/flags.ts';
import { guardFiles } from './parts/hooks.ts';
import {
  chooseOnce,
  gatherDefinitions,
  type MainModels,
  type ModelSources,
  mainModels,
  testConnection,
} from './parts/models.ts';
import { createDecider } from './parts/permissions.ts';
import { createRedaction, type Redaction } from './parts/redaction.ts';
import { type ChosenSandbox, createSandboxes } from './parts/sandboxes.ts';
import { Registry } from './registry.ts';
import type { Session } from './session.ts';

const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  },
};

/**
 * Makes a harness for one working folder. Reads the configuration; opens no store, no connection and no extension
 * before it is needed. Throws `E_CONFIG_*`, `E_FOLDER_MISSING`.
 */
export function createHarness(options: HarnessOptions = {}): Promise<Harness> {
  return makeHarness(options);
}

/**
 * A harness for looking at things, never for runs: a configuration file that is wrong counts as empty, its deny rules
 * too, and `onInvalid` is told. Throws `E_FOLDER_MISSING`.
 */
export async function makeHarness(options: HarnessOptions, onInvalid?: (error: ReinError) => void): Promise<Harness> {
  const cwd = toFolder(options.cwd ?? process.cwd());
  const { load, trust } = await toLoadOptions({ ...options, cwd });
  const { config, environment, warnings } = await loadConfig({ ...load, onInvalid });
  for (const warning of [...warnings, ...trustWarnings(trust, cwd)]) options.onWarning?.(warning);
  return new Harness({ ...options, cwd }, { config, environment, trust });
}

function toFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new ReinError('E_FOLDER_MISSING', { path });
  }
}

interface Loaded {
  readonly config: Config;
  readonly environment: Environment;
  readonly trust: ProjectTrust;
}

/** One working folder with its configuration, extensions and sessions. Made by `createHarness`; close it after use. */
export class Harness {
  readonly cwd: string;
  readonly home: string;
  /** The person's own home folder. */
  readonly userHome: string;
  readonly lang: string;
  readonly config: Config;
  /** What of the folder's own settings and code is in force. */
  readonly trust: ProjectTrust;
  readonly #options: HarnessOptions;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #environment: Environment;
  readonly #redaction: Redaction;
  readonly #open = new Set<Session>();
  #store: Promise<SessionStore> | undefined;
  #extensions: Promise<Extensions> | undefined;
  #agents: Promise<ReadonlyMap<string, AgentDefinition>> | undefined;
  #sources: Promise<ModelSources> | undefined;
  #models: Promise<MainModels> | undefined;
  readonly #choose: ChooseModel = chooseOnce(() => this.sources());

  constructor(options: HarnessOptions & { readonly cwd: string }, { config, environment, trust }: Loaded) {
    this.cwd = options.cwd;
    this.home = environment.home;
    this.userHome = environment.userHome;
    this.lang = config.lang;
    this.config = config;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#newId = options.newId ?? randomUUID;
    this.#environment = environment;
    this.#redaction = createRedaction(environment, config);
    this.trust = trust;
  }

  /** The sessions of this home. Opened at the first call. Throws `E_STORE_*`, `E_HOME_UNUSABLE`. */
  store(): Promise<SessionStore> {
    this.#store ??= this.#openStore();
    return this.#store;
  }

  async #openStore(): Promise<SessionStore> {
    const { guard } = this.#redaction;
    const about = { clock: this.#clock, newId: this.#newId, guard };
    return openHomeStore(this.home, { ...about, onWarning: (warning) => this.#warn(warning) });
  }

  /** Tools, middleware, hooks and commands: built in, the user's and the caller's. */
  extensions(): Promise<Extensions> {
    this.#extensions ??= this.#loadExtensions();
    return this.#extensions;
  }

  async #loadExtensions(): Promise<Extensions> {
    const { home, cwd, config } = this;
    const host = {
      ...{ home, cwd, config, agents: await this.agents(), userHome: this.userHome },
      interactive: this.#options.interactive ?? false,
      memory: this.#options.memory,
      isTrusted: (folder: string) => this.isTrusted(folder),
    };
    const warn = (warning: ErrorData) => this.#warn(warning);
    const off = await offWarning(this, this.trust);
    if (off) warn(off);
    const extensions = await loadExtensions(this.#options, { ...host, trust: this.trust }, warn);
    const known = extensions.tools.filter(({ problem }) => !problem).map(({ name }) => name);
    checkAgentTools(host.agents.values(), new Set(known), warn);
    return extensions;
  }

  /** Agent definitions by name: bundled, the user's and, where the folder is trusted, the project's. */
  agents(): Promise<ReadonlyMap<string, AgentDefinition>> {
    this.#agents ??= this.#loadAgents();
    return this.#agents;
  }

  async #loadAgents(): Promise<ReadonlyMap<string, AgentDefinition>> {
    const { home, userHome, cwd } = this;
    const folders = agentFolders({ home, userHome, cwd, trusted: await this.isTrusted(cwd) });
    return loadAgents(folders, (warning) => this.#warn(warning));
  }

  /** Whether the user has declared a folder as trusted. */
  async isTrusted(folder: string): Promise<boolean> {
    if (folder === this.cwd) return this.trust.trusted;
    return (await trustStore(this.home).read(folder)) !== undefined;
  }

  /** The registered tools by name. */
  async tools(): Promise<Registry<DefinedTool>> {
    const { tools } = await this.extensions();
    return new Registry(tools.filter(({ problem }) => !problem).map(({ name, tool }) => [name, tool]));
  }

  /** Provider definitions and what is configured for them. */
  sources(): Promise<ModelSources> {
    this.#sources ??= this.#loadSources();
    return this.#sources;
  }

  async #loadSources(): Promise<ModelSources> {
    const { providers } = await this.extensions();
    const definitions = gatherDefinitions(this.config, providers);
    return { config: this.config, environment: this.#environment, definitions };
  }

  /** Whether a provider can be reached with what is configured. Never throws. */
  async testConnection(provider: string, signal: AbortSignal = AbortSignal.timeout(20_000)) {
    return testConnection(provider, await this.sources(), signal);
  }

  /** Where commands run in this folder, and why; tried out at the first call. Throws `E_SANDBOX_UNAVAILABLE`. */
  async sandbox(): Promise<Pick<ChosenSandbox, 'level' | 'why'>> {
    const parts = { options: this.#options, config: this.config, environment: this.#environment };
    const { level, why } = await createSandboxes(parts)(this.cwd);
    return { level, why };
  }

  /** What the permission rules say of a call of the main agent, with somebody there to ask. */
  async decide(call: JudgedCall): Promise<PermissionDecision> {
    const parts = { options: this.#options, config: this.config, environment: this.#environment };
    const isTrusted = (folder: string) => this.isTrusted(folder);
    const { paths: guarded } = await guardFiles(this);
    const decider = createDecider({ ...parts, sandboxFor: createSandboxes(parts), guarded, isTrusted });
    return decider(call, { cwd: this.cwd, agent: 'main', grants: [], interactive: true }, false);
  }

  /**
   * Opens a session: a new one of this folder, or an existing one. Throws `E_SESSION_MISSING`, `E_PROVIDER_*`,
   * `E_STORE_*`, `E_HOOK_FILE`. While another process runs the session, what is sent goes to its inbox.
   */
  async open(open: OpenOptions = {}): Promise<Session> {
    this.#models ??= mainModels(this.#options, () => this.sources());
    const [store, models, extensions] = await Promise.all([this.store(), this.#models, this.extensions()]);
    const session = await openSession(
      {
        ...{ store, models, extensions, options: this.#options, config: this.config, environment: this.#environment },
        ...{ cwd: this.cwd, home: this.home, trust: this.trust, redaction: this.#redaction, choose: this.#choose },
        ...{ clock: this.#clock, newId: this.#newId, agents: await this.agents() },
        isTrusted: (folder) => this.isTrusted(folder),
        warn: (warning) => this.#warn(warning),
        closed: (session) => void this.#open.delete(session),
      },
      open,
    );
    this.#open.add(session);
    return session;
  }

  #warn(warning: ErrorData): void {
    this.#options.onWarning?.(warning);
  }

  /** Closes every session and the store. Open runs stay open and can be resumed. */
  async close(): Promise<void> {
    for (const session of [...this.#open]) await session.close();
    await (await this.#store?.catch(() => undefined))?.close();
  }
}
