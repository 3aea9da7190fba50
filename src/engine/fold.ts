/** The state of a session: a fold over its stored events, advanced one event at a time. Nothing else is remembered. */

import type { StoredBody, StoredEventOf } from '../protocol/event.ts';
import { type ToolResult, toolCalls } from '../protocol/message.ts';
import { addUsage, type Usage } from '../protocol/usage.ts';
import { endTask } from './calls/fold-tasks.ts';
import { foldCompaction, type Pinned } from './history/fold-compaction.ts';
import { beginsChild, foldPlan } from './plan/fold-plan.ts';
import { newRun, type OpenCall, type SessionState } from './session-state.ts';

/** How many finished calls are remembered for loop detection. */
const loopWindow = 9;

type Folded<Type extends StoredBody['type']> = StoredEventOf<Type> & { readonly run: string; readonly seq: number };
type Fold<Type extends StoredBody['type']> = (state: SessionState, event: Folded<Type>) => void;

/** Advances the state by one stored event, in place. Constant cost, whatever the length of the history. */
export function fold(state: SessionState, event: StoredBody & { readonly run: string; readonly seq: number }): void {
  state.seq = event.seq;
  // A type that this version does not know changes nothing.
  (folds[event.type] as Fold<StoredBody['type']> | undefined)?.(state, event);
}

const folds: { readonly [Type in StoredBody['type']]: Fold<Type> } = {
  'session-start': foldSessionStart,
  'session-open': (state) => {
    state.grants = [];
  },
  prompt: (state, { sections, tools }) => {
    state.prompt = { sections, tools };
    state.promptStale = false;
  },
  'run-start': foldRunStart,
  message: foldMessage,
  'tool-call-start': foldCallStart,
  'tool-call-end': foldCallEnd,
  'interrupt-open': foldInterruptOpen,
  'interrupt-close': foldInterruptClose,
  'turn-end': foldTurnEnd,
  'plan-update': foldPlanUpdate,
  'todo-update': (state, { todos }) => {
    state.todos = todos;
  },
  'state-update': (state, event) => {
    state.states.set(event.name, event.state);
  },
  'run-end': foldRunEnd,
  compaction: foldCompactionEvent,
};

function foldSessionStart(state: SessionState, { cwd, definition, parent }: Folded<'session-start'>): void {
  state.cwd = cwd;
  state.definition = definition;
  if (!parent) return;
  // A child that begins with its parent's history has nothing else of its parent's.
  state.todos = [];
  state.tasks = [];
  state.grants = [];
  state.states.clear();
}

function foldRunStart(state: SessionState, { run, driver }: Folded<'run-start'>): void {
  state.run = newRun(run, driver);
  state.graph = undefined;
  state.recentCalls = [];
  state.pinned = { ...state.pinned, latest: undefined };
}

function foldRunEnd(state: SessionState, event: Folded<'run-end'>): void {
  state.lastRun = event;
  state.run = undefined;
  state.answered = false;
}

function foldTurnEnd(state: SessionState, { usage, cost, context }: Folded<'turn-end'>): void {
  if (state.run) state.run.turns++;
  state.context = context;
  spend(state, usage, cost);
}

function foldPlanUpdate(state: SessionState, event: Folded<'plan-update'>): void {
  if (event.usage) spend(state, event.usage, event.cost ?? 0);
  if (beginsChild(event)) state.children++;
  state.graph = foldPlan(state.graph, event);
}

function foldCompactionEvent(state: SessionState, event: Folded<'compaction'>): void {
  if (event.usage) spend(state, event.usage, event.cost ?? 0);
  if (event.kind === 'summary' && event.summary === undefined) return;
  foldCompaction(state, event);
}

function spend(state: SessionState, usage: Usage, cost: number): void {
  state.usage = addUsage(state.usage, usage);
  state.cost += cost;
  if (!state.run) return;
  state.run.usage = addUsage(state.run.usage, usage);
  state.run.cost += cost;
}

function foldMessage(state: SessionState, event: Folded<'message'>): void {
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

function foldCallStart(state: SessionState, event: Folded<'tool-call-start'>): void {
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

function foldCallEnd(state: SessionState, event: Folded<'tool-call-end'>): void {
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

function foldInterruptOpen(state: SessionState, { interrupt }: Folded<'interrupt-open'>): void {
  if (state.graph) {
    state.graph.asked = { interrupt };
    return;
  }
  withCall(state, interrupt.call?.id, (call) => {
    call.interrupt = interrupt;
    call.decision = undefined;
    call.input = interrupt.call?.input ?? call.input;
  });
}

function foldInterruptClose(state: SessionState, event: Folded<'interrupt-close'>): void {
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
