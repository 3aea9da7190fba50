/** What a command of the program is: one file in `commands/`, loaded when it is asked for. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';

export interface CliCommand {
  /** Adds arguments, sub-commands, flags of its own and actions. An action that fails without a throw sets `cli.exit`. */
  define(command: Command, cli: Cli): void;
}
