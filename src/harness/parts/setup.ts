/** What an agent of a session works with: made once a session, shared by its children. */
import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { AgentSetup, Clock, ModelChoice } from '../../engine/ports.ts';
import type { Config } from '../../protocol/config.ts';
import type { AgentDefinition } from '../../protocol/define/agent.ts';
import type { DefinedMiddleware } from '../../protocol/define/middleware.ts';
import type { ReinEvent } from '../../protocol/event.ts';
import type { ToolHost } from '../../protocol/host.ts';
import type { Environment } from '../../services/config/environment.ts';
import { repositoryMemoryFile, userMemoryFile } from '../../services/memory/repository.ts';
import { isSecret } from '../../services/permissions/paths.ts';
import { basePrompt, openingText } from '../../services/prompt/base.ts';
import { readBranch } from '../../services/prompt/branch.ts';
import { loadProjectRules } from '../../services/prompt/project-rules.ts';
import { commandEnvironment } from '../../services/sandbox/command-environment.ts';
import { createCommands } from '../../services/sandbox/commands.ts';
import { createChecker } from '../../services/verification/checker.ts';
import { findRipgrep } from '../../services/workspace/find-ripgrep.ts';
import { createWorkspace } from '../../services/workspace/workspace.ts';
import type { Listeners } from '../listeners.ts';
import type { HarnessOptions } from '../options.ts';
import type { SetupOf } from '../runner.ts';
import { type ChooseModel, narrowSetup } from './agents.ts';
import { bindTool } from './bind-tool.ts';
import type { createDriver } from './drivers.ts';
import type { Extensions } from './extensions.ts';
import type { Redaction } from './redaction.ts';
import { lazyDriver, type SandboxFor } from './sandboxes.ts';

/** Sizes by profile; see docs/reference/configuration.md. */
const profiles = {
  default: {
    read: { lines: 2000, bytes: 50 * 1024 },
    command: { outputBytes: 30 * 1024, timeoutSeconds: 120, maxTimeoutSeconds: 600 },
  },
  local: {
    read: { lines: 100, bytes: 4096 },
    command: { outputBytes: 8 * 1024, timeoutSeconds: 120, maxTimeoutSeconds: 600 },
  },
};

export interface SetupParts {
  readonly options: HarnessOptions;
  readonly config: Config;
  readonly environment: Environment;
  readonly extensions: Extensions;
  readonly models: readonly [ModelChoice, ...ModelChoice[]];
  readonly clock: Clock;
  readonly listeners: Listeners;
  /** The permission gate, unless the caller brought one of its own. */
  readonly gate: DefinedMiddleware;
  readonly sandboxFor: SandboxFor;
  readonly redaction: Redaction;
  /** By name. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly choose: ChooseModel;
  readonly driver: ReturnType<typeof createDriver>;
  newId(): string;
  isTrusted(folder: string): Promise<boolean>;
  readonly beforeCompaction: AgentSetup['beforeCompaction'];
}

export interface SessionSetup {
  readonly forAgent: SetupOf;
  /** Ends what the session's tools left running. */
  close(): Promise<void>;
}

type FolderSetup = Pick<AgentSetup, 'host' | 'tools' | 'checker'>;

/** What each agent of one session works with; the host of a folder is made at its first use and shared. */
export function createSetup(parts: SetupParts): SessionSetup {
  const folders = new Map<string, FolderSetup>();
  const inFolder = (cwd: string): FolderSetup => {
    const made = folders.get(cwd) ?? folderSetup(parts, cwd);
    folders.set(cwd, made);
    return made;
  };
  const emit = (event: ReinEvent) => parts.listeners.tell(event);
  return {
    forAgent: async (about) => {
      const setup = { ...mainSetup(parts, about), ...inFolder(about.cwd), emit };
      if (about.definition === 'main') return setup;
      const { definition, tools, answer } = about;
      const agent = parts.agents.get(definition);
      return narrowSetup(setup, { agent, role: parts.config.roles?.[definition], choose: parts.choose, tools, answer });
    },
    async close() {
      for (const { host } of folders.values()) await host.commands.close();
    },
  };
}

function mainSetup(
  parts: SetupParts,
  { agent, definition, cwd, children }: Parameters<SetupOf>[0],
): Omit<AgentSetup, keyof FolderSetup | 'emit'> {
  const { options, config, extensions, clock, listeners } = parts;
  return {
    ...{ agent, definition, cwd, children, clock },
    ...parts.driver,
    models: parts.models,
    middleware: extensions.middleware.some(({ name }) => name === 'approval')
      ? extensions.middleware
      : [...extensions.middleware, parts.gate],
    interactive: options.interactive ?? false,
    // Only commands run in it, and finding out takes a moment.
    sandboxOf: (tool) => (tool === 'bash' ? parts.sandboxFor(cwd).then(({ level }) => level) : config.sandbox),
    context: options.context ?? {},
    sections: () => sections(parts, cwd),
    opening: async () =>
      openingText({ cwd, now: clock.now(), branch: await readBranch(cwd), platform: process.platform }),
    beforeCompaction: parts.beforeCompaction,
    redact: parts.redaction.redact,
    guard: parts.redaction.guard,
    newId: parts.newId,
    random: Math.random,
    listening: () => listeners.size > 0,
  };
}

/** The head of the prompt: who the model is, and the rules of the folder. */
async function sections({ options, environment, isTrusted }: SetupParts, cwd: string) {
  const base = { name: 'base', text: basePrompt({ append: options.flags?.appendSystemPrompt }) };
  const rules = await loadProjectRules(cwd, { isTrusted, home: environment.home });
  return rules ? [base, rules] : [base];
}

function folderSetup(parts: SetupParts, cwd: string): FolderSetup {
  const host = createHost(parts, cwd);
  const usable = parts.extensions.tools.filter(({ problem }) => !problem);
  const tools = new Map(usable.map(({ name, tool }) => [name, bindTool(tool, host)]));
  return { host, tools, checker: createChecker({ ...host, redact: parts.redaction.redact }) };
}

function createHost({ options, config, environment, sandboxFor, redaction }: SetupParts, cwd: string): ToolHost {
  const limits = profiles[config.profile];
  const memory = join(environment.home, 'memory');
  mkdirSync(memory, { recursive: true, mode: 0o700 });
  const remembered = [userMemoryFile(environment.home), repositoryMemoryFile(environment.home, cwd)];
  const workspace = createWorkspace(cwd, {
    limits: limits.read,
    extraRoots: options.flags?.addDirs?.map((folder) => resolve(cwd, folder)),
    extraFiles: { folder: memory, files: remembered.map((file) => relative(memory, file)) },
    journal: `${environment.home}/cache`,
    ripgrep: findRipgrep(environment.process.PATH),
    isSecret: (path) => isSecret(path, { cwd, home: environment.home, userHome: environment.userHome }),
  });
  const commands = createCommands({
    cwd: workspace.root,
    environment: commandEnvironment(environment.process, workspace.roots),
    limits: limits.command,
    filter: redaction.redactPieces,
    driver: lazyDriver(() => sandboxFor(workspace.root)),
  });
  return { workspace, commands };
}
