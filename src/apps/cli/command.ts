/** What a command of the program is: one file in `commands/`, loaded when it is asked for. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';

export interface CliCommand {
  /** Adds arguments, sub-commands, flags of its own and actions. An action returns the exit code, 0 when it is absent. */
  define(command: Command, cli: Cli): void;
}
