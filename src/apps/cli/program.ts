/** The program as commander sees it. A command's file is loaded when it is the one that was typed. */
import { Command, CommanderError, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { nearest } from '../../lib/nearest.ts';
import type { ReinError } from '../../protocol/errors.ts';
import type { Cli } from './cli.ts';
import type { CliCommand } from './command.ts';
import { commands } from './commands/index.ts';
import { type FlagSpec, flagTable, type Parse, readOptions, usageError } from './flags.ts';
import { withPrompt } from './plain-flags.ts';

type Loader = () => Promise<{ default: CliCommand }>;

/** Help was asked for, of this command. */
export class HelpRequest {
  readonly command: Command;

  constructor(command: Command) {
    this.command = command;
  }
}

export interface Program {
  readonly root: Command;
  /** Loads what a command's help shows: of the root, the arguments of every command. */
  loadFor(command: Command): Promise<void>;
  /** Runs what was typed. Throws `E_USAGE`, {@link HelpRequest}, and whatever the command throws. */
  run(argv: readonly string[]): Promise<void>;
}

/** `main` is what runs without a command. */
export function createProgram(cli: Cli, main: () => Promise<void>): Program {
  const root = new Command('rein');
  prepare(root);
  root.version(manifest.version, '--version').helpCommand('help [command]').action(main);
  addFlags(root);
  for (const name of Object.keys(commands)) root.command(name);
  root.hook('preAction', () => {
    cli.options = readOptions(root.opts());
  });
  const loaded = new Set<Command>();
  const define = async (command: Command) => {
    const load = (commands as Readonly<Record<string, Loader>>)[command.name()];
    if (!load || loaded.has(command)) return;
    loaded.add(command);
    (await load()).default.define(command, cli);
  };
  root.hook('preSubcommand', (_, command) => define(command));
  const loadFor = async (command: Command) => {
    for (const each of command === root ? root.commands : [command]) await define(each);
  };
  return { root, loadFor, run: (argv) => run(root, argv) };
}

/** Adds every flag to a command. */
function addFlags(command: Command): void {
  for (const [key, spec] of Object.entries(flagTable) as [string, FlagSpec][]) {
    command.addOption(toOption(spec.flags, key, spec.parse));
    if (spec.alias) command.addOption(toOption(spec.alias, key, spec.parse).hideHelp());
  }
}

function toOption(flags: string, key: string, parse?: Parse): Option {
  const option = new Option(flags);
  // Another spelling stores under the same name, so that lists add up.
  option.attributeName = () => key;
  return parse ? option.argParser((value: string, before: unknown) => parse(value, option.long!, before)) : option;
}

/** No text of commander's own reaches a person; what it wants to say is thrown. */
function prepare(command: Command): void {
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .configureHelp({
      formatHelp: (asked) => {
        throw new HelpRequest(asked);
      },
    });
}

async function run(root: Command, argv: readonly string[]): Promise<void> {
  try {
    await root.parseAsync(withPrompt(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return;
    throw toUsageError(error, root);
  }
}

function toUsageError({ code, message }: CommanderError, root: Command): ReinError {
  const [, word = ''] = /'(.*)'/s.exec(message) ?? [];
  switch (code) {
    case 'commander.unknownOption': {
      const meant = nearest(word.split('=')[0]!, flagNames(root));
      return usageError({ text: meant ? 'cli.usage.flagMeant' : 'cli.usage.flag', flag: word, meant });
    }
    case 'commander.unknownCommand':
      return unknownCommand(word, root);
    case 'commander.optionMissingArgument':
      return usageError({ text: 'cli.usage.noValue', flag: word });
    case 'commander.missingArgument':
      return usageError({ text: 'cli.usage.noArgument', argument: word });
    case 'commander.excessArguments': {
      const [first = ''] = root.args;
      if (String(root.getOptionValue('print') ?? '').startsWith('-'))
        return usageError({ text: 'cli.usage.promptFirst' });
      if (!root.commands.some((command) => command.name() === first)) return unknownCommand(first, root);
      return usageError({ text: 'cli.usage.extra', extra: root.args.at(-1) ?? '' });
    }
    default:
      return usageError({ text: 'cli.usage.other', detail: message.replace(/^error: /, '') });
  }
}

/** `word` stands where a command of the program, or of the command that was typed, would. */
function unknownCommand(word: string, root: Command): ReinError {
  const typed = root.commands.find((command) => command.name() === root.args[0]) ?? root;
  const names = typed.commands.map((command) => command.name());
  const meant = nearest(word, names);
  return usageError({ text: meant ? 'cli.usage.commandMeant' : 'cli.usage.command', command: word, meant });
}

/** All long flags of the commands that were loaded. */
function flagNames(command: Command): string[] {
  const own = command.options.flatMap((option) => option.long ?? []);
  return [...own, '--help', ...command.commands.flatMap(flagNames)];
}
