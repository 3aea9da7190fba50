/** A slash command: gets the session façade, returns data, imports no UI. */
import { checkFields, hasBrand } from './definition.ts';

export type CommandOutput =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'pick';
      readonly title: string;
      readonly items: readonly { value: string; label: string }[];
      readonly command: string;
    }
  /** Without a session: a new one. */
  | { readonly type: 'open'; readonly session?: string }
  /** Sent to the model as the user's message. */
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'quit' };

/** What a slash command may use of the session. */
export interface CommandSession {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  readonly lang: string;
  /** Text of the dictionary in the user's language. */
  t(key: string, params?: Record<string, string | number>): string;
  /** Names and one-line descriptions of all slash commands. */
  commands(): readonly { name: string; description: string }[];
  tools(): readonly { name: string; description: string }[];
  models(): Promise<readonly string[]>;
  setModel(model: string): Promise<void>;
  sessions(): Promise<readonly { id: string; title: string; updated: number }[]>;
  /** Makes the history shorter. Returns how many messages it had and has. Throws `E_COMPACTION`, `E_PROVIDER_*`. */
  compact(): Promise<{ before: number; after: number }>;
  usage(): { input: number; output: number; cacheRead: number; cacheWrite: number; cost: number };
}

export interface CommandDefinition {
  readonly name: string;
  /** A key of the dictionary, or plain text for a user's own. */
  readonly description: string;
  run(session: CommandSession, args: string): Promise<CommandOutput> | CommandOutput;
}

const brand = Symbol.for('rein.command');

export type DefinedCommand = CommandDefinition & { readonly [brand]: true };

/** Defines a slash command. Throws a TypeError for a field that cannot be used. */
export function defineCommand(definition: CommandDefinition): DefinedCommand {
  checkFields('command', definition, { name: 'word', description: 'string', run: 'function' });
  return Object.assign({ ...definition }, { [brand]: true as const });
}

/** Whether a value came out of {@link defineCommand}, of whatever copy of the package. */
export function isCommand(value: unknown): value is DefinedCommand {
  return hasBrand(value, brand);
}
