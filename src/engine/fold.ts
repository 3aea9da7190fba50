/** The state of a session: a fold over its stored events, advanced one event at a time. Nothing else is remembered. */

import type { StoredBody, StoredEventOf } from '../protocol/event.ts';
import type { Decision, Interrupt } from '../protocol/interrupt.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { type Message, type ToolCallPart, type ToolResult, toolCalls } from '../protocol/message.ts';
import type { PromptSection, ToolSchema } from '../protocol/prompt.ts';
import type { Todo } from '../protocol/todo.ts';
import { addUsage, noUsage, type Usage } from '../protocol/usage.ts';
import { endTask, type TaskState } from './calls/fold-tasks.ts';
import { foldCompaction, type Pinned } from './history/fold-compaction.ts';
import { History } from './history/normalise.ts';
import { beginsChild, foldPlan, type GraphState } from './plan/fold-plan.ts';

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

interface RunState {
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

/** How many finished calls are remembered for loop detection. */
const loopWindow = 9;

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

/** Advances the state by one stored event, in place. Constant cost, whatever the length of the history. */
export function fold(state: SessionState, event: StoredBody & { readonly run: string; readonly seq: number }): void {
  state.seq = event.seq;
  switch (event.type) {
    case 'session-start':
      state.cwd = event.cwd;
      state.definition = event.definition;
      if (event.parent) startEmpty(state);
      return;
    case 'session-open':
      state.grants = [];
      return;
    case 'prompt':
      state.prompt = { sections: event.sections, tools: event.tools };
      state.promptStale = false;
      return;
    case 'run-start':
      state.run = {
        id: event.run,
        driver: event.driver,
        turns: 0,
        usage: noUsage,
        cost: 0,
        rejected: false,
        corrections: 0,
        reasks: 0,
        retries: 0,
      };
      state.graph = undefined;
      state.recentCalls = [];
      state.pinned = { ...state.pinned, latest: undefined };
      return;
    case 'message':
      return foldMessage(state, event);
    case 'tool-call-start':
      return foldCallStart(state, event);
    case 'tool-call-end':
      return foldCallEnd(state, event);
    case 'interrupt-open':
      if (state.graph) {
        state.graph.asked = { interrupt: event.interrupt };
        return;
      }
      return withCall(state, event.interrupt.call?.id, (call) => {
        call.interrupt = event.interrupt;
        call.decision = undefined;
        call.input = event.interrupt.call?.input ?? call.input;
      });
    case 'interrupt-close':
      return foldInterruptClose(state, event);
    case 'turn-end':
      if (state.run) state.run.turns++;
      state.context = event.context;
      return spend(state, event.usage, event.cost);
    case 'plan-update':
      if (event.usage) spend(state, event.usage, event.cost ?? 0);
      if (beginsChild(event)) state.children++;
      state.graph = foldPlan(state.graph, event);
      return;
    case 'todo-update':
      state.todos = event.todos;
      return;
    case 'state-update':
      state.states.set(event.name, event.state);
      return;
    case 'run-end':
      state.lastRun = event;
      state.run = undefined;
      state.answered = false;
      return;
    case 'compaction':
      if (event.usage) spend(state, event.usage, event.cost ?? 0);
      if (event.kind === 'summary' && event.summary === undefined) return;
      return foldCompaction(state, event);
  }
}

/** A child that begins with its parent's history has nothing else of its parent's. */
function startEmpty(state: SessionState): void {
  state.todos = [];
  state.tasks = [];
  state.grants = [];
  state.states.clear();
}

function spend(state: SessionState, usage: Usage, cost: number): void {
  state.usage = addUsage(state.usage, usage);
  state.cost += cost;
  if (!state.run) return;
  state.run.usage = addUsage(state.run.usage, usage);
  state.run.cost += cost;
}

function foldMessage(state: SessionState, event: StoredEventOf<'message'> & { readonly seq: number }): void {
  const { message, origin, seq } = event;
  if (message.role === 'assistant') {
    state.history.push(message, seq);
    const calls = toolCalls(message);
    for (const part of calls) state.callIds.add(part.id);
    state.open = calls.map((part) => ({ part, input: part.input, started: false }));
    state.answered = calls.length === 0;
    return;
  }
  state.answered = false;
  if (event.usage) spend(state, event.usage, event.cost ?? 0);
  if (event.task !== undefined) state.tasks = endTask(state.tasks, event);
  pin(state, { message, seq }, origin);
  if (origin === 'schema' && state.run) state.run.reasks++;
  if (origin === 'verify' && state.run) state.run.retries++;
  if (origin === 'loop' && state.run) {
    state.run.corrections++;
    state.recentCalls = [];
  }
  if (state.open.length > 0) state.held.push(message);
  else state.history.push(message, seq);
}

function pin(state: SessionState, message: NonNullable<Pinned['first']>, origin: string | undefined): void {
  const { pinned } = state;
  if (origin === 'opening') state.pinned = { ...pinned, opening: message };
  else if (!pinned.latest) state.pinned = { ...pinned, first: pinned.first ?? message, latest: message };
}

function withCall(state: SessionState, callId: string | undefined, change: (call: OpenCall) => void): void {
  const call = state.open.find((open) => open.part.id === callId);
  if (call) change(call);
}

function foldCallStart(state: SessionState, event: StoredEventOf<'tool-call-start'>): void {
  if (event.child) state.children++;
  withCall(state, event.callId, (call) => {
    call.started = true;
    call.child = event.child;
    call.input = event.input ?? call.input;
    if (!event.background || event.child === undefined) return;
    const { name: tool } = call.part;
    state.tasks = [...state.tasks, { id: event.child, tool, input: call.input, status: 'open', text: '' }];
  });
}

function foldCallEnd(state: SessionState, event: StoredEventOf<'tool-call-end'> & { readonly seq: number }): void {
  if (event.usage) spend(state, event.usage, event.cost ?? 0);
  withCall(state, event.callId, (call) => {
    const { callId, status, content } = event;
    call.result = { callId, name: call.part.name, status, content };
    call.interrupt = undefined;
  });
  if (state.open.length === 0 || state.open.some((call) => !call.result)) return;
  const results = state.open.map((call) => call.result as ToolResult);
  state.history.push({ role: 'tool', results }, event.seq);
  const finished = state.open.map(({ part, input, result }) => ({
    name: part.name,
    input,
    result: result as ToolResult,
  }));
  state.recentCalls = [...state.recentCalls, ...finished].slice(-loopWindow);
  for (const message of state.held) state.history.push(message, event.seq);
  state.open = [];
  state.held = [];
}

function foldInterruptClose(state: SessionState, event: StoredEventOf<'interrupt-close'>): void {
  const call = state.open.find((open) => open.interrupt?.id === event.interruptId);
  if (event.rule !== undefined) state.grants = [...state.grants, event.rule];
  const asked = state.graph?.asked;
  if (asked?.interrupt.id === event.interruptId && event.decision.decision !== 'cancelled') {
    asked.decision = event.decision;
    return;
  }
  if (!call?.interrupt || event.decision.decision === 'cancelled') return;
  const decision = event.decision;
  call.decision = decision;
  call.approved = call.interrupt.digest;
  if (decision.decision === 'edit' && decision.input) {
    call.shown = call.interrupt.call?.input ?? call.input;
    call.input = decision.input;
  }
  if (decision.decision === 'reject' && !decision.reason && state.run) state.run.rejected = true;
  call.interrupt = undefined;
}
