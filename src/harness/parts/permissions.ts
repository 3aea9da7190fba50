/** What the permission service says of a call, with all it has to know: rules, mode, trust, sandbox, memory, the shell. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../protocol/config.ts';
import type { SessionView } from '../../protocol/define/middleware.ts';
import type { Environment } from '../../services/config/environment.ts';
import { repositoryMemoryFile, userMemoryFile } from '../../services/memory/repository.ts';
import { decide, type PermissionDecision, type PermissionQuestion } from '../../services/permissions/decide.ts';
import type { JudgedCall } from '../../services/permissions/match.ts';
import type { MemoryPlace } from '../../services/permissions/memory.ts';
import { realPath } from '../../services/permissions/real-path.ts';
import { closedJudge, createShellJudge, type ShellJudge } from '../../services/permissions/shell/judge.ts';
import { createShadowTest } from '../../services/permissions/shell/shadow.ts';
import { loadShellParser } from '../../services/permissions/shell/tree.ts';
import type { HarnessOptions } from '../options.ts';
import { modeFor } from './caution.ts';
import type { SandboxFor } from './sandboxes.ts';

export interface DeciderParts {
  readonly options: HarnessOptions;
  readonly config: Config;
  readonly environment: Environment;
  readonly sandboxFor: SandboxFor;
  /** Absolute paths of files that commands in force run. */
  readonly guarded?: readonly string[];
  isTrusted(folder: string): Promise<boolean>;
}

/** Where a call is made. */
type CallPlace = Pick<SessionView, 'cwd' | 'agent' | 'grants' | 'interactive'>;

/** `ask`: a hook wants a person to look, whatever the rules allow. */
export type Decider = (call: JudgedCall, place: CallPlace, ask: boolean) => Promise<PermissionDecision>;

const memoryTools = ['read_file', 'edit_file', 'write_file'];

/** What the rules say of a call, with all that they need to know looked up: sandbox, trust, own files. */
export function createDecider(parts: DeciderParts): Decider {
  const { options, config, environment, sandboxFor, guarded, isTrusted } = parts;
  const repositoryFiles = new Map<string, string>();

  /** Asked for the tools alone that can touch it, because finding out reads files. */
  async function memoryFor({ tool, risk }: JudgedCall, { cwd, agent }: CallPlace): Promise<MemoryPlace | undefined> {
    if (!memoryTools.includes(tool)) return undefined;
    const repository = repositoryFiles.get(cwd) ?? repositoryMemoryFile(environment.home, cwd);
    repositoryFiles.set(cwd, repository);
    return {
      ...{ user: userMemoryFile(environment.home), repository, exists: existsSync },
      subAgent: agent !== 'main',
      trusted: risk === 'write' && (await isTrusted(cwd)),
    };
  }

  return async (call, place, ask) => {
    const { cwd, grants, interactive } = place;
    const isCommand = call.tool === 'bash';
    const roots = options.flags?.addDirs?.map((folder) => realPath(resolve(cwd, folder))) ?? [];
    const trusted = await isTrusted(cwd);
    const { narrowRule, ...decision } = decide({
      ...{ rules: config.permissions, ask, grants, call, interactive, cwd, roots },
      mode: modeFor([cwd, ...roots], trusted, { options, config, environment }),
      // Only commands run in it, and finding out takes a moment.
      sandbox: isCommand ? (await sandboxFor(cwd)).level : 'none',
      shell: isCommand ? await shellJudge(environment, [cwd, ...roots]) : undefined,
      home: environment.home,
      userHome: environment.userHome,
      ...{ realPath, guarded },
      memory: await memoryFor(call, place),
      ...(isCommand && { gitRunsPrograms: await gitTest(cwd) }),
    } satisfies PermissionQuestion);
    // What is stored or holds on is for folders that the user vouched for.
    return trusted && narrowRule !== undefined ? { ...decision, narrowRule } : decision;
  };
}

/** Loaded for commands alone. */
async function gitTest(cwd: string): Promise<() => boolean> {
  const { findGitPrograms } = await import('../../services/sandbox/git-programs.ts');
  return () => findGitPrograms(cwd) !== undefined;
}

/** Without its parser only commands that a rule writes out run by themselves. */
async function shellJudge(environment: Environment, folders: readonly string[]): Promise<ShellJudge> {
  const parse = await loadShellParser().catch(() => undefined);
  const isShadowed = createShadowTest(environment.process.PATH, folders);
  return parse ? createShellJudge({ parse, isShadowed }) : closedJudge;
}
