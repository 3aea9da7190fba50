/** A tool: something the model chooses to call. */
import type { z } from 'zod';
import type { ToolHost } from '../host.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ContentPart, ResultStatus } from '../message.ts';
import type { ToolSchema } from '../prompt.ts';
import type { Todo } from '../todo.ts';
import { checkFields, hasBrand } from './definition.ts';
import type { InputSchema } from './input.ts';

const risks = ['read', 'write', 'execute', 'network'] as const;

export type Risk = (typeof risks)[number];

/** What a call brings back. A string is an `ok` result. */
export interface ToolOutput {
  readonly content: string | readonly ContentPart[];
  readonly status?: ResultStatus;
  /** Stored in the same append as the result. */
  readonly updates?: readonly ToolUpdate[];
}

export type ToolUpdate =
  | { readonly type: 'todo-update'; readonly todos: readonly Todo[] }
  | { readonly type: 'state-update'; readonly name: string; readonly state: Json };

export interface ToolContext<Context = unknown> {
  /** Aborts when the run is aborted or the call's time is up. */
  readonly signal: AbortSignal;
  /** Values the host vouches for, shaped by the tool's `context` schema. Never from the model. */
  readonly context: Context;
  readonly callId: string;
  readonly session: string;
  readonly workspace: ToolHost['workspace'];
  readonly commands: ToolHost['commands'];
  /** Absent outside of a session. */
  readonly tasks?: Tasks;
  /** Shows progress to whoever listens; not stored, not seen by the model. */
  emit(text: string): void;
}

export interface Question {
  readonly question: string;
  readonly options?: readonly string[];
}

/** A run inside a run: which agent definition works on which prompt. */
export interface Delegation {
  readonly agent: string;
  readonly prompt: string;
  /** The call ends at once, the child goes on; its result comes as a message. */
  readonly background?: boolean;
  /** The child begins with the history of its parent, as the same kind of agent. */
  readonly fork?: boolean;
}

/** A background task of the session. */
export interface TaskView {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly status: 'running' | 'waiting' | 'ok' | 'error' | 'cancelled';
  /** Its last words: so far while it runs, its result once it has ended. */
  readonly text: string;
}

/** What a tool may do with the background tasks of its session. */
export interface Tasks {
  list(): readonly TaskView[];
  /** Tells a task that has not ended something. Says whether there is one. */
  update(id: string, message: string): Promise<boolean>;
  /** Ends a task that has not ended; the message of its end follows. Says whether there is one. */
  cancel(id: string): boolean;
}

export type ParsedInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly error: string };

/** What the engine sees of a tool. Exactly one of `execute`, `ask` and `delegate` is there. */
export interface Tool {
  readonly schema: ToolSchema;
  readonly risk: Risk;
  /** A call cut off by a crash may run again by itself. */
  readonly idempotent: boolean;
  readonly timeoutSeconds?: number;
  /** Checks what the model sent; the error text tells the model what to mend. */
  parse(input: JsonObject): ParsedInput;
  /** Calls with the same key run one after the other. */
  queueKey?(input: JsonObject): string | undefined;
  execute?(input: JsonObject, context: ToolContext): Promise<ToolOutput | string>;
  /** The call is a question to a person; the answer is the result. */
  ask?(input: JsonObject): Question;
  /** The call is a child run; its final text is the result. */
  delegate?(input: JsonObject): Delegation;
}

export interface ToolDefinition<Input = JsonObject, Context = unknown> {
  readonly name: string;
  readonly description: string;
  /** A Zod object or a JSON Schema object. */
  readonly input: z.ZodType<Input> | InputSchema<Input> | JsonObject;
  /** Fields that the host fills in; absent from what the model sees, dropped if the model sends them. */
  readonly context?: z.ZodType<Context>;
  readonly risk: Risk;
  readonly idempotent?: boolean;
  readonly timeoutSeconds?: number;
  queueKey?(input: Input, host: Pick<ToolHost, 'workspace'>): string | undefined;
  execute?(input: Input, context: ToolContext<Context>): Promise<ToolOutput | string> | ToolOutput | string;
  ask?(input: Input): Question;
  delegate?(input: Input): Delegation;
}

const brand = Symbol.for('rein.tool');

export type DefinedTool = ToolDefinition<never, never> & { readonly [brand]: true };

const fields = {
  name: 'string?',
  description: 'string?',
  input: 'record',
  risk: risks,
  queueKey: 'function?',
  execute: 'function?',
  ask: 'function?',
  delegate: 'function?',
} as const;

/**
 * Defines a tool. The definition is recognised by a symbol brand, so it may come from another copy of the package.
 * A tool must not throw: what goes wrong is a result with `status: 'error'` that tells the model what to do next
 * (a throw is turned into one).
 *
 * Throws a TypeError for a field that cannot be used. A tool without name or description is none: it is not
 * registered, and whoever lists the tools is told why.
 */
export function defineTool<Input, Context = unknown>(definition: ToolDefinition<Input, Context>): DefinedTool {
  checkFields('tool', definition, fields);
  const ways = [definition.execute, definition.ask, definition.delegate].filter(Boolean);
  if (ways.length !== 1)
    throw new TypeError(`tool "${definition.name}": it needs one of "execute", "ask" and "delegate"`);
  return Object.assign({ ...definition }, { [brand]: true as const }) as unknown as DefinedTool;
}

/** Whether a value came out of {@link defineTool}, of whatever copy of the package. */
export function isTool(value: unknown): value is DefinedTool {
  return hasBrand(value, brand);
}

/** An error result: says what went wrong and what to do next. */
export function toolError(text: string): ToolOutput {
  return { content: text, status: 'error' };
}
