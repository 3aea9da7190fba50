/** What is known of a session at any moment: made by the fold alone, read by all of the engine. */
import type { StoredEventOf } from '../protocol/event.ts';
import type { Decision, Interrupt } from '../protocol/interrupt.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { Message, ToolCallPart, ToolResult } from '../protocol/message.ts';
import type { PromptSection, ToolSchema } from '../protocol/prompt.ts';
import type { Todo } from '../protocol/todo.ts';
import { noUsage, type Usage } from '../protocol/usage.ts';
import type { TaskState } from './calls/fold-tasks.ts';
import type { Pinned } from './history/fold-compaction.ts';
import { History } from './history/normalise.ts';
import type { GraphState } from './plan/fold-plan.ts';

/** A call of the last turn on its way to a result. */
export interface OpenCall {
  readonly part: ToolCallPart;
  /** As it would run: what the model asked for, or what a hook or person made of it. */
  input: JsonObject;
  /** Opened and not yet answered. */
  interrupt?: Interrupt;
  /** The answer to its interrupt. */
  decision?: Decision;
  /** The digest a person approved. */
  approved?: string;
  /** The input that was shown to who edited it. */
  shown?: JsonObject;
  started: boolean;
  child?: string;
  result?: ToolResult;
}

export interface RunState {
  readonly id: string;
  readonly driver: string;
  turns: number;
  usage: Usage;
  cost: number;
  /** A person said no without a reason: the run ends. */
  rejected: boolean;
  /** Loops the model was told of. */
  corrections: number;
  /** Times the model was told that its last words are not as they must be, and that a check failed. */
  reasks: number;
  retries: number;
}

export interface SessionState {
  seq: number;
  cwd: string;
  definition: string;
  prompt?: { readonly sections: readonly PromptSection[]; readonly tools: readonly ToolSchema[] };
  /** A compaction puts a new one in its place. */
  history: History;
  /** What stands before a summary, word for word. */
  pinned: Pinned;
  /** A summary was made since the prompt was rendered. */
  promptStale: boolean;
  /** Calls of the last assistant message, until all have a result. */
  open: OpenCall[];
  /** Messages that arrived while calls were open; they follow the results. */
  held: Message[];
  /** What the last model call left to do: nothing, because the model said its last word. */
  answered: boolean;
  run?: RunState;
  /** Of a run that a graph drives, also after its end. */
  graph?: GraphState;
  lastRun?: StoredEventOf<'run-end'> & { readonly run: string };
  /** Newest last: enough finished calls to see a loop. */
  recentCalls: { readonly name: string; readonly input: JsonObject; readonly result: ToolResult }[];
  readonly callIds: Set<string>;
  children: number;
  /** Background tasks, in the order in which they began. */
  tasks: readonly TaskState[];
  grants: string[];
  todos: readonly Todo[];
  /** Each middleware's private state, by its name. */
  readonly states: Map<string, Json>;
  usage: Usage;
  cost: number;
  context: { readonly used: number; readonly window?: number };
}

/** A session before its first event. */
export function emptyState(): SessionState {
  return {
    seq: 0,
    cwd: '',
    definition: '',
    history: new History(),
    pinned: {},
    promptStale: false,
    open: [],
    held: [],
    answered: false,
    recentCalls: [],
    callIds: new Set(),
    children: 0,
    tasks: [],
    grants: [],
    todos: [],
    states: new Map(),
    usage: noUsage,
    cost: 0,
    context: { used: 0 },
  };
}

/** A run at its `run-start`. */
export function newRun(id: string, driver: string): RunState {
  return { id, driver, turns: 0, usage: noUsage, cost: 0, rejected: false, corrections: 0, reasks: 0, retries: 0 };
}
