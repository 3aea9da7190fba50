/** The permission gate, made of the decision service, the policy hooks and what is configured. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createApproval } from '../extensions/middleware/_approval.ts';
import type { Config } from '../protocol/config.ts';
import type { HookContext } from '../protocol/hook.ts';
import type { DefinedMiddleware, MiddlewareContext, SessionView, ToolCall } from '../protocol/middleware.ts';
import type { Environment } from '../services/config/environment.ts';
import type { HookRunner } from '../services/hooks/hook-runner.ts';
import { repositoryMemoryFile, userMemoryFile } from '../services/memory/repository.ts';
import { decide, type PermissionQuestion } from '../services/permissions/decide.ts';
import { explainRefusal } from '../services/permissions/explain.ts';
import type { MemoryPlace } from '../services/permissions/memory.ts';
import { createShadowTest } from '../services/permissions/shadow.ts';
import { closedJudge, createShellJudge, type ShellJudge } from '../services/permissions/shell.ts';
import { loadShellParser } from '../services/permissions/shell-tree.ts';
import { modeFor } from './caution.ts';
import type { HarnessOptions } from './options.ts';
import type { SandboxFor } from './sandboxes.ts';

export interface GateParts {
  readonly options: HarnessOptions;
  readonly config: Config;
  readonly environment: Environment;
  readonly hooks: HookRunner;
  readonly sandboxFor: SandboxFor;
  isTrusted(folder: string): Promise<boolean>;
}

const memoryTools = ['read_file', 'edit_file', 'write_file'];

export function createGate({
  options,
  config,
  environment,
  hooks,
  sandboxFor,
  isTrusted,
}: GateParts): DefinedMiddleware {
  const repositoryFiles = new Map<string, string>();

  /** Asked for the tools alone that can touch it, because finding out reads files. */
  async function memoryFor({ tool }: ToolCall, { cwd, agent }: SessionView): Promise<MemoryPlace | undefined> {
    if (!memoryTools.includes(tool.schema.name)) return undefined;
    const repository = repositoryFiles.get(cwd) ?? repositoryMemoryFile(environment.home, cwd);
    repositoryFiles.set(cwd, repository);
    return {
      ...{ user: userMemoryFile(environment.home), repository, exists: existsSync },
      subAgent: agent !== 'main',
      trusted: tool.risk === 'write' && (await isTrusted(cwd)),
    };
  }

  return createApproval({
    async decide({ call, session, ask }) {
      const isCommand = call.tool.schema.name === 'bash';
      const roots = options.flags?.addDirs?.map((folder) => resolve(session.cwd, folder)) ?? [];
      const trusted = await isTrusted(session.cwd);
      const { narrowRule, ...decision } = decide({
        mode: modeFor([session.cwd, ...roots], trusted, { options, config, environment }),
        rules: config.permissions,
        ask,
        grants: session.grants,
        call: { tool: call.tool.schema.name, risk: call.tool.risk, input: call.input },
        // Only commands run in it, and finding out takes a moment.
        sandbox: isCommand ? (await sandboxFor(session.cwd)).level : 'none',
        interactive: session.interactive,
        cwd: session.cwd,
        roots,
        shell: isCommand ? await shellJudge(environment, [session.cwd, ...roots]) : undefined,
        home: environment.home,
        userHome: environment.userHome,
        memory: await memoryFor(call, session),
      } satisfies PermissionQuestion);
      // What is stored or holds on is for folders that the user vouched for.
      const rule = trusted && narrowRule !== undefined ? { narrowRule } : {};
      return { ...decision, ...rule, text: explainRefusal(call.tool.schema.name, decision) };
    },
    hooks: async (event, call, context) => (hooks.has(event) ? hooks.ask(event, call, toHookContext(context)) : []),
  });
}

/** Without its parser only commands that a rule writes out run by themselves. */
export async function shellJudge(environment: Environment, folders: readonly string[]): Promise<ShellJudge> {
  const parse = await loadShellParser().catch(() => undefined);
  return parse
    ? createShellJudge({ parse, isShadowed: createShadowTest(environment.process.PATH, folders) })
    : closedJudge;
}

function toHookContext({ session, signal }: MiddlewareContext): HookContext {
  return { session: session.id, cwd: session.cwd, agent: session.agent, signal };
}
