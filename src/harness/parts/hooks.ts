/** All hooks of a session: extensions, commands of the configuration, and those written down for Claude Code. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../protocol/config.ts';
import type { DefinedHook } from '../../protocol/define/hook.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import type { Environment } from '../../services/config/environment.ts';
import { readClaudeHooks, toHookGroups } from '../../services/hooks/claude-settings.ts';
import type { HookGroups } from '../../services/hooks/command-hook.ts';
import { HookRunner } from '../../services/hooks/hook-runner.ts';
import { createFileGuard, type FileGuard } from '../../services/trust/file-guard.ts';
import type { ProjectTrust } from '../../services/trust/judge.ts';

export interface HookParts {
  readonly config: Pick<Config, 'hooks' | 'permissions'>;
  readonly environment: Environment;
  readonly cwd: string;
  /** Hooks that are code: built in, from files, from the caller. */
  readonly hooks: readonly DefinedHook[];
  /** What of the folder's own `.claude/settings.json` is in force. */
  readonly trust: ProjectTrust;
  warn(warning: ErrorData): void;
}

const projectHook = /^\.claude\/settings(\.local)?\.json#hooks\./;

export interface SessionHooks {
  readonly hooks: HookRunner;
  /** Absolute paths of files that the commands of hooks and servers in force name. */
  readonly guarded: readonly string[];
}

/** Throws `E_CONFIG_INVALID` when a `.claude/settings.json` cannot be read: what it guards would be unguarded. */
export async function createHooks(parts: HookParts): Promise<SessionHooks> {
  const { config, environment, cwd, trust, warn } = parts;
  const home = await readClaudeHooks(environment.userHome).catch((error: Error) => {
    const file = join(environment.userHome, '.claude', 'settings.json');
    throw new ReinError('E_CONFIG_INVALID', { file, key: 'hooks', detail: error.message }, error);
  });
  // As the text that was agreed to has them: the file itself may have changed since it was judged.
  const agreed = trust.items.filter(({ id, state }) => state === 'trusted' && projectHook.test(id));
  const usual = [
    home,
    ...agreed.map(({ id, text }) => toHookGroups({ [id.replace(projectHook, '')]: JSON.parse(text) })),
  ];
  const own = config.hooks ?? {};
  const commands = [own, ...usual].flatMap(commandsOf);
  const guard = await guardFiles({ cwd, trust }, commands);
  const made = commands.length > 0 ? await commandHooks(parts, guard, own, usual) : [];
  return { hooks: new HookRunner([...parts.hooks, ...made], warn), guarded: guard.paths };
}

/** The files that commands in force name, those of the folder's own pieces as the user agreed to them. */
export function guardFiles(
  { cwd, trust }: Pick<HookParts, 'cwd' | 'trust'>,
  commands: readonly string[] = [],
): Promise<FileGuard> {
  const inForce = trust.items.filter(({ state }) => state === 'trusted');
  return createFileGuard(cwd, inForce, commands);
}

function commandsOf(groups: HookGroups): string[] {
  return Object.values(groups).flatMap((list) => list.flatMap(({ hooks }) => hooks.map(({ command }) => command)));
}

async function commandHooks(
  { config, environment, warn }: HookParts,
  { findChanged }: FileGuard,
  own: HookGroups,
  usual: readonly HookGroups[],
): Promise<DefinedHook[]> {
  const [{ createCommandHooks }, { runHookCommand }, { commandEnvironment }, { endTree, markName }] = await Promise.all(
    [
      import('../../services/hooks/command-hook.ts'),
      import('../../services/hooks/run-hook-command.ts'),
      import('../../services/sandbox/command-environment.ts'),
      import('../../services/sandbox/process-tree.ts'),
    ],
  );
  const host = {
    environment: commandEnvironment(environment.process),
    mode: config.permissions.mode,
    run: (request: Parameters<typeof runHookCommand>[0]) => {
      const mark = `hook.${randomUUID()}`;
      const marked = { ...request, environment: { ...request.environment, [markName]: mark } };
      return runHookCommand(marked, (leader) => endTree(leader, mark));
    },
    findChanged,
    warn: (hook: string, detail: string) => warn(new ReinError('E_HOOK', { hook, detail }).toData()),
  };
  return [
    ...createCommandHooks(own, 'closed', host),
    ...usual.flatMap((groups) => createCommandHooks(groups, 'usual', host)),
  ];
}

/** What the hooks add to a prompt. Throws `E_PROMPT_REFUSED` when one refuses it. */
export async function askPromptHooks(
  hooks: HookRunner,
  prompt: string,
  about: { readonly session: string; readonly cwd: string },
): Promise<string | undefined> {
  const context = { ...about, agent: 'main', signal: AbortSignal.timeout(600_000) };
  const added: string[] = [];
  for (const { hook, answer } of await hooks.ask('UserPromptSubmit', { prompt }, context)) {
    const { decision, reason, context: more } = answer as Readonly<Record<string, unknown>>;
    if (decision !== 'allow') throw new ReinError('E_PROMPT_REFUSED', { hook, detail: String(reason ?? '') });
    if (typeof more === 'string' && more.trim() !== '') added.push(more);
  }
  return added.length > 0 ? added.join('\n\n') : undefined;
}
