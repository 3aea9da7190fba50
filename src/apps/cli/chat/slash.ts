/** Slash commands: what they may use of the conversation. */

import type { Harness } from '../../../harness/create-harness.ts';
import { listModels } from '../../../harness/doors/doctor.ts';
import type { Session } from '../../../harness/session.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { CommandOutput, CommandSession } from '../../../protocol/define/command.ts';
import { ReinError } from '../../../protocol/errors.ts';
import { label } from '../../../services/i18n/translate.ts';
import type { Cli } from '../cli.ts';
import { usageError } from '../flags.ts';

export interface SlashDoors {
  readonly cli: Cli;
  readonly harness: Harness;
  readonly session: Session;
  setModel(model: string): Promise<void>;
}

/**
 * Runs `/name arguments`. Throws `E_USAGE` for a name that is not there, `E_SLASH_COMMAND` for a command that throws or
 * returns nothing.
 */
export async function runSlashCommand(line: string, doors: SlashDoors): Promise<CommandOutput> {
  const [, name = '', args = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  const { commands, tools } = await doors.harness.extensions();
  const command = await commands.get(name)?.();
  if (!command) {
    const meant = nearest(name, commands.keys());
    throw usageError({
      text: meant ? 'cli.usage.commandMeant' : 'cli.usage.command',
      command: `/${name}`,
      meant: meant && `/${meant}`,
    });
  }
  const all = await Promise.all([...commands.values()].map((load) => load()));
  const usable = tools.filter(({ problem }) => !problem);
  const { usage, cost } = await (await doors.harness.store()).usage(doors.session.id);
  const own = toCommandSession(doors, { commands: all, tools: usable, used: { ...usage, cost } });
  try {
    const output: CommandOutput | undefined = await command.run(own, args);
    if (output?.type === undefined) throw new TypeError('it returned nothing that has a `type`');
    return output;
  } catch (error) {
    // What somebody's own file throws is its fault, and the message should not say that it is ours.
    const detail = error instanceof Error ? error.message : String(error);
    throw ReinError.is(error) ? error : new ReinError('E_SLASH_COMMAND', { name, detail }, error);
  }
}

type Named = readonly { readonly name: string; readonly description: string }[];

function toCommandSession(
  { cli, harness, session, setModel }: SlashDoors,
  known: { commands: Named; tools: Named; used: ReturnType<CommandSession['usage']> },
): CommandSession {
  const { state } = session;
  return {
    id: session.id,
    cwd: state?.cwd ?? harness.cwd,
    model: state?.model ?? '',
    lang: cli.lang,
    t: (key, params) => label(key, cli.lang, params),
    commands: () => known.commands,
    tools: () => known.tools,
    // Of the provider that this conversation uses, which need not be the configured one.
    models: () => listModels(harness, state?.model),
    setModel,
    sessions: async () => (await harness.store()).list({ cwd: harness.cwd }),
    compact: () => session.compact(),
    usage: () => known.used,
  };
}
