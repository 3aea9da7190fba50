/** Hooks that are commands, in the format of Claude Code: JSON in, exit code and JSON out. */
import type { ConfigFile } from '../../protocol/config.ts';
import {
  type DefinedHook,
  defineHook,
  type HookAnswer,
  type HookContext,
  type HookEvent,
  policyEvents,
} from '../../protocol/define/hook.ts';
import { readAnswer } from './answer.ts';
import { agentType, notificationType, usualName } from './matcher.ts';
import type { HookCommand, HookCommandResult } from './run-hook-command.ts';

export type HookGroups = NonNullable<ConfigFile['hooks']>;

/**
 * What a failure of a policy hook means. `closed`: whatever is not a clean answer refuses. `usual`: exit code 2, a crash
 * and a timeout refuse, other codes and unreadable answers are warnings. `lenient`: only exit code 2 refuses.
 */
export type Strictness = 'closed' | 'usual' | 'lenient';

export interface CommandHookHost {
  /** Variables the commands see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly mode: string;
  run(request: HookCommand): Promise<HookCommandResult>;
  /** The name of a file that the command names and that is not what was agreed to. */
  findChanged(command: string, cwd: string): Promise<string | undefined>;
  warn(hook: string, detail: string): void;
}

interface CommandHook {
  readonly event: HookEvent;
  readonly matcher?: string;
  readonly command: string;
  readonly timeoutSeconds?: number;
  readonly strictness: Strictness;
}

/** The hooks of a `hooks` section. Groups of the user's own configuration are `closed` unless they say otherwise. */
export function createCommandHooks(groups: HookGroups, strictness: Strictness, host: CommandHookHost): DefinedHook[] {
  return (Object.entries(groups) as [HookEvent, HookGroups[HookEvent]][]).flatMap(([event, list = []]) =>
    list.flatMap(({ matcher, hooks }) =>
      hooks.map(({ command, timeout, policy }) =>
        toHook(
          { event, matcher, command, timeoutSeconds: timeout, strictness: policy === false ? 'lenient' : strictness },
          host,
        ),
      ),
    ),
  );
}

function toHook(hook: CommandHook, host: CommandHookHost): DefinedHook {
  const { event, matcher, command, timeoutSeconds } = hook;
  const name = command.length > 60 ? `${command.slice(0, 59)}…` : command;
  return defineHook({
    ...{ name, event, matcher, timeoutSeconds },
    run: (input, context) => ask({ ...hook, name }, host, input, context),
  });
}

type Named = CommandHook & { readonly name: string };

async function ask(
  hook: Named,
  host: CommandHookHost,
  input: object,
  context: HookContext,
): Promise<HookAnswer | undefined> {
  const isPolicy = policyEvents.includes(hook.event);
  const changed = await host.findChanged(hook.command, context.cwd);
  if (changed !== undefined) return fail(hook, host, changedText(changed), true);
  let result: HookCommandResult;
  try {
    result = await host.run({
      command: hook.command,
      cwd: context.cwd,
      environment: { ...host.environment, CLAUDE_PROJECT_DIR: context.cwd },
      input: JSON.stringify(toPayload(hook.event, input, { context, mode: host.mode })),
      signal: context.signal,
    });
  } catch (error) {
    return fail(hook, host, error instanceof Error ? error.message : String(error), hook.strictness !== 'lenient');
  }
  const { exit, stdout, stderr } = result;
  if (exit === 2 && isPolicy) return { decision: 'deny', reason: stderr.trim() || 'it exited with code 2' };
  if (exit !== 0) {
    const refuses = hook.strictness === 'closed' || (hook.strictness === 'usual' && exit === null);
    const how = exit === null ? 'it was ended by a signal' : `it exited with code ${exit}`;
    return fail(hook, host, stderr.trim() ? `${how}: ${stderr.trim()}` : how, refuses);
  }
  const read = readAnswer(hook.event, stdout);
  if (read.message) host.warn(hook.name, read.message);
  if (!read.ok) return fail(hook, host, read.problem, hook.strictness === 'closed');
  return isPolicy ? read.answer : undefined;
}

function changedText(file: string): string {
  return `${file}, which it names, is not what was agreed to; the user has to look at it, say \`rein trust\` and begin anew`;
}

/** A policy hook that fails throws, which refuses; what may be passed over is a warning. */
function fail(hook: Named, host: CommandHookHost, detail: string, refuses: boolean): undefined {
  if (refuses || !policyEvents.includes(hook.event)) throw new Error(detail);
  host.warn(hook.name, detail);
}

/** What the command reads, under the names that hooks of this format know. */
function toPayload(event: HookEvent, input: object, { context, mode }: { context: HookContext; mode: string }): object {
  const { tool, callId, output, stop, input: toolInput, ...rest } = input as Readonly<Record<string, never>>;
  const { session, cwd, agent } = context;
  const isChild = event === 'SubagentStart' || event === 'SubagentStop';
  return {
    session_id: session,
    transcript_path: '',
    cwd,
    permission_mode: mode,
    hook_event_name: event,
    agent,
    ...(tool !== undefined && { tool_name: usualName(tool), tool_input: toolInput ?? {}, tool_use_id: callId ?? '' }),
    ...(output !== undefined && { tool_response: output }),
    ...(stop !== undefined && { stop, stop_hook_active: false }),
    ...(event === 'PreCompact' && { custom_instructions: '' }),
    ...(event === 'Notification' && { notification_type: notificationType(rest.kind ?? '') }),
    ...(isChild && { agent_id: rest.session ?? '', agent_type: agentType(rest.agent ?? '') }),
    ...rest,
  };
}
