/** What a caller may ask of a harness and of a session. */
import type { Clock } from '../engine/ports.ts';
import type { PermissionMode, SandboxSetting } from '../protocol/config.ts';
import type { DefinedCommand } from '../protocol/define/command.ts';
import type { DefinedHook } from '../protocol/define/hook.ts';
import type { DefinedMiddleware } from '../protocol/define/middleware.ts';
import type { DefinedProvider, Provider } from '../protocol/define/provider.ts';
import type { DefinedTool } from '../protocol/define/tool.ts';
import type { ErrorData } from '../protocol/errors.ts';
import type { Json } from '../protocol/json.ts';
import type { Effort } from '../protocol/request.ts';
import type { DriverOptions } from './parts/drivers.ts';
import type { SandboxFor } from './parts/sandboxes.ts';

/** What flags say; over environment, project and user configuration. */
export interface Flags {
  readonly lang?: string;
  /** `provider/model`, or a model of the default provider. */
  readonly model?: string;
  readonly fallbackModel?: string;
  readonly effort?: Effort;
  readonly permissionMode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly sandbox?: SandboxSetting;
  readonly maxTurns?: number;
  /** Of a plan, and of `verify`. */
  readonly maxRetries?: number;
  readonly maxTokens?: number;
  readonly maxBudgetUsd?: number;
  readonly timeoutSeconds?: number;
  readonly addDirs?: readonly string[];
  readonly appendSystemPrompt?: string;
  /** Path of a file with the shape of `config.json`. */
  readonly settings?: string;
}

export interface HarnessOptions {
  /** Where Rein keeps its files; `$REIN_HOME`, else `~/.rein`. */
  readonly home?: string;
  /** The environment; `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The working folder that project configuration belongs to; the process's by default. */
  readonly cwd?: string;
  readonly flags?: Flags;
  /** A provider of the caller's own, instead of the configured one; `model` names a model of it. */
  readonly provider?: Provider;
  readonly model?: string;
  readonly tools?: readonly DefinedTool[];
  readonly middleware?: readonly DefinedMiddleware[];
  readonly hooks?: readonly DefinedHook[];
  readonly providers?: readonly DefinedProvider[];
  readonly commands?: readonly DefinedCommand[];
  /** Trusted values for tools that declare a `context`. The model never sees or sets them. */
  readonly context?: Readonly<Record<string, Json>>;
  /** Decides where the commands of a folder run, instead of what is configured: a sandbox of the caller's own. */
  readonly sandbox?: SandboxFor;
  /** Somebody can answer interrupts. Without it, what would ask is refused. */
  readonly interactive?: boolean;
  /** A Markdown file that ends the prompt of new sessions, such as what `rein analyze` has stored. */
  readonly memory?: string;
  /** Time and ids, so that a run can be replayed exactly. */
  readonly clock?: Clock;
  newId?(): string;
  onWarning?(warning: ErrorData): void;
}

export interface OpenOptions extends DriverOptions {
  /** Id of an existing session, `latest` for the newest of this folder; a new session when absent. */
  readonly resume?: string;
  /** Go on in a copy that shares the history, instead of in the session itself. */
  readonly fork?: boolean;
  /** Id for a new session. */
  readonly id?: string;
}
