/** Middleware: code around every model or tool call, as an onion of plain objects. */
import type { Config } from '../config.ts';
import type { Refusal, StoredBody, VolatileBody } from '../event.ts';
import type { Decision, Interrupt } from '../interrupt.ts';
import type { Json, JsonObject } from '../json.ts';
import type {
  AssistantMessage,
  ContentPart,
  Message,
  ResultStatus,
  ToolCallPart,
  ToolResult,
  UserMessage,
} from '../message.ts';
import type { PromptSection, ToolSchema } from '../prompt.ts';
import type { ModelRequest } from '../request.ts';
import type { Todo } from '../todo.ts';
import type { Usage } from '../usage.ts';
import type { AgentDefinition } from './agent.ts';
import { checkFields, type FieldRule, hasBrand } from './definition.ts';
import type { ModelStop } from './provider.ts';
import type { DefinedTool, Tool, ToolUpdate } from './tool.ts';

/** Outermost first. Each line says why it stands where it stands. */
export const slots = [
  'todo', // sees the run as a whole: reminds before it may end
  'skills', // adds to the prompt what the model may load
  'files', // shrinks results after everything inside has made them
  'subagents', // delegates before anything inside is spent
  'compaction', // decides what history is sent
  'repair', // compaction can leave calls without an end
  'background', // announces results of tasks that went on meanwhile
  'user', // the user's own code sees a repaired, compacted request
  'cache', // marks the final prefix ...
  'memory', // ... before memory, whose changes must not break it
  'approval', // innermost: sees every call exactly as it would run
] as const;

export type Slot = (typeof slots)[number];

/** A call of the last answer on its way to a result. */
export interface OpenCallView {
  readonly part: ToolCallPart;
  readonly started: boolean;
  /** A person's answer to its interrupt. */
  readonly decision?: Decision;
  readonly result?: ToolResult;
}

/** What a middleware sees of the session. Read only. */
export interface SessionView {
  readonly id: string;
  readonly run: string;
  readonly agent: string;
  readonly cwd: string;
  readonly model: string;
  readonly interactive: boolean;
  readonly messages: readonly Message[];
  /** The stored head of the requests, once it is rendered. The same object until it changes. */
  readonly prompt?: { readonly sections: readonly PromptSection[]; readonly tools: readonly ToolSchema[] };
  /** For each message the sequence number under which it entered the history; 0 for what a compaction put first. */
  readonly messageSeqs: readonly number[];
  /** Tokens that the last answer's request and text took (0: not known), and the model's window. */
  readonly context: { readonly used: number; readonly window?: number };
  /** Calls of the last answer, until all have a result. */
  readonly openCalls: readonly OpenCallView[];
  readonly todos: readonly Todo[];
  readonly turn: number;
  readonly usage: Usage;
  /** Rules granted for this session since it was opened. */
  readonly grants: readonly string[];
}

export interface MiddlewareContext<State = unknown> {
  /** This middleware's private state. */
  readonly state: State;
  readonly session: SessionView;
  readonly signal: AbortSignal;
  emit(event: VolatileBody): void;
  /** To be awaited before a summary is asked for: hooks that want the history as it is see it then. */
  beforeCompaction(trigger: 'auto' | 'manual'): Promise<void>;
}

/** What `beforeX` and `afterX` may give back; stored by the engine in that step's append. */
export interface Step<State = unknown> {
  /** Messages for the model. In `afterModel` they mean one more turn. */
  readonly append?: readonly UserMessage[];
  readonly state?: State;
  readonly events?: readonly Extract<StoredBody, { type: 'todo-update' | 'compaction' | 'prompt' | 'tool-call-end' }>[];
}

/** The context of a model call. */
export interface ModelCallContext<State = unknown> extends MiddlewareContext<State> {
  /**
   * Stores the step and ends this pass through the onion: the model is called anew, with the history as it then is.
   * Never returns.
   */
  restart(step: Step<State>): never;
}

export interface ModelResponse {
  readonly message: AssistantMessage;
  readonly stop: ModelStop;
  readonly usage: Usage;
  /** US dollars. */
  readonly cost?: number;
}

export interface CallResult {
  readonly status: ResultStatus;
  readonly content: readonly ContentPart[];
  readonly refusal?: Refusal;
  readonly updates?: readonly ToolUpdate[];
  readonly usage?: Usage;
  readonly cost?: number;
}

/** A tool call on its way through the onion. Immutable: `with` gives a copy with another input. */
export interface ToolCall {
  readonly id: string;
  readonly tool: Tool;
  readonly input: JsonObject;
  /** A person's approval of exactly this input, named by its digest. */
  readonly approved?: string;
  with(input: JsonObject): ToolCall;
  /**
   * Opens an interrupt and ends this pass through the onion; after the answer the onion runs again with the call as
   * it was approved. Never returns.
   */
  suspend(interrupt: Omit<Interrupt, 'id' | 'agent' | 'openedAt' | 'call' | 'digest'>): never;
}

type Maybe<T> = T | undefined | void | Promise<T | undefined | void>;

export interface Middleware<State = unknown> {
  readonly name: string;
  readonly slot?: Slot;
  /** Shape of the private state, such as a Zod object, with defaults for everything: `state.parse({})` is the first one. */
  readonly state?: { parse(stored: unknown): State };
  readonly tools?: readonly DefinedTool[];
  /** Prompt sections, rendered once a prefix. */
  sections?(session: Pick<SessionView, 'cwd' | 'agent' | 'model'>): Promise<readonly Omit<PromptSection, 'hash'>[]>;
  /** Looks at a message of the user's before it is stored; what it gives back is stored instead. */
  receive?(message: UserMessage, context: MiddlewareContext<State>): Promise<UserMessage>;
  beforeAgent?(context: MiddlewareContext<State>): Maybe<Step<State>>;
  beforeModel?(context: MiddlewareContext<State>): Maybe<Step<State>>;
  wrapModelCall?(
    request: ModelRequest,
    next: (request: ModelRequest) => Promise<ModelResponse>,
    context: ModelCallContext<State>,
  ): Promise<ModelResponse>;
  /** Shortens the history now, because a person asked. Throws `E_COMPACTION` when it cannot. */
  compact?(
    request: ModelRequest,
    next: (request: ModelRequest) => Promise<ModelResponse>,
    context: MiddlewareContext<State>,
  ): Promise<Step<State>>;
  wrapToolCall?(
    call: ToolCall,
    next: (call: ToolCall) => Promise<CallResult>,
    context: MiddlewareContext<State>,
  ): Promise<CallResult>;
  afterModel?(response: ModelResponse, context: MiddlewareContext<State>): Maybe<Step<State>>;
  afterAgent?(context: MiddlewareContext<State>): Maybe<Step<State>>;
}

/** What the harness tells a built-in middleware when it makes one: for one home and one working folder. */
export interface MiddlewareHost {
  /** `REIN_HOME`. */
  readonly home: string;
  /** The person's own home folder. */
  readonly userHome: string;
  readonly cwd: string;
  readonly config: Config;
  /** The sub-agents there are, by name. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Somebody can answer interrupts. */
  readonly interactive: boolean;
  /** A Markdown file that the caller wants remembered in new sessions, besides the user's own. */
  readonly memory?: string;
  /** Whether the user has declared a folder as trusted. */
  isTrusted(folder: string): Promise<boolean>;
}

/** What a file in `extensions/middleware` may export instead of a middleware: made once a harness. */
export type MiddlewareFactory = (host: MiddlewareHost) => DefinedMiddleware | Promise<DefinedMiddleware>;

const brand = Symbol.for('rein.middleware');

export type DefinedMiddleware = Middleware<never> & { readonly [brand]: true };

const fields: Readonly<Record<keyof Middleware, FieldRule>> = {
  name: 'text',
  slot: [...slots, undefined],
  state: 'record?',
  tools: 'record?',
  sections: 'function?',
  receive: 'function?',
  beforeAgent: 'function?',
  beforeModel: 'function?',
  wrapModelCall: 'function?',
  compact: 'function?',
  wrapToolCall: 'function?',
  afterModel: 'function?',
  afterAgent: 'function?',
};

/** Defines a middleware; without a slot it takes `user`. Throws a TypeError for a field that cannot be used. */
export function defineMiddleware<State = Json>(middleware: Middleware<State>): DefinedMiddleware {
  checkFields('middleware', middleware, fields);
  return Object.assign({ ...middleware }, { [brand]: true as const }) as unknown as DefinedMiddleware;
}

/** Whether a value came out of {@link defineMiddleware}, of whatever copy of the package. */
export function isMiddleware(value: unknown): value is DefinedMiddleware {
  return hasBrand(value, brand);
}
