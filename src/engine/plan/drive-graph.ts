/** Drives a run by a graph: does what the node it stands on asks for, takes an edge, and says so in the log. */

import {
  type AgentEnd,
  type AgentNode,
  type Asked,
  type DefinedGraph,
  type GraphContext,
  graphEnd,
  type Taken,
} from '../../protocol/define/graph.ts';
import type { Tool } from '../../protocol/define/tool.ts';
import { type ErrorCode, ReinError } from '../../protocol/errors.ts';
import type { StoredEventOf } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { contentText, type Message } from '../../protocol/message.ts';
import { toDetail } from '../answer-problem.ts';
import { drainInbox, hasMail } from '../inbox.ts';
import type { ChildOutcome } from '../ports.ts';
import { modelName, type Runtime } from '../runtime.ts';
import { type Stop, usedUp } from '../stop.ts';
import type { GraphState } from './fold-plan.ts';
import { judgeAndRun } from './judge-check.ts';

const prefix = 'graph:';

/** Whether the open run is driven by a graph. */
export function isGraphRun({ state }: Runtime): boolean {
  return state.run?.driver.startsWith(prefix) ?? false;
}

/** One node, or a part of one. Returns how the run ends once the graph has ended or a limit is reached. */
export async function driveGraph(runtime: Runtime): Promise<'again' | 'waiting' | Stop> {
  const { state, setup, budget } = runtime;
  const name = state.run?.driver.slice(prefix.length) ?? '';
  const graph = await setup.graphs(name);
  if (!graph) throw new ReinError('E_GRAPH_INVALID', { graph: name, detail: 'there is no such graph' });
  const at = state.graph;
  if (!at) return begin(runtime, graph);
  if (at.node === graphEnd) {
    const { text, stop, verification } = graph.finish(at.values);
    const detail = stop === 'completed' ? setup.answer?.check(text) : undefined;
    const error = detail === undefined ? undefined : new ReinError('E_SCHEMA_UNMET', { detail: toDetail(detail) });
    return error ? { stop: 'error', error, verification } : { stop, verification };
  }
  const stop = usedUp(state, setup.limits, budget);
  if (stop) return stop;
  if (at.asked && !at.asked.decision) return wait(runtime);
  const node = graph.nodes[at.node];
  if (!node) throw new ReinError('E_GRAPH_INVALID', { graph: name, detail: `there is no node ${at.node}` });
  if ('agent' in node) return runAgent(runtime, graph, node);
  const result = await node.step(at.values, contextOf(runtime, at.asked?.decision));
  if ('ask' in result) return ask(runtime, result);
  take(runtime, graph, { node: at.node, taken: result });
  return 'again';
}

function begin(runtime: Runtime, graph: DefinedGraph): 'again' {
  const { state, setup } = runtime;
  const messages = state.history.messages;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[last];
  const request = asked?.role === 'user' ? contentText(asked.parts) : '';
  const history = earlier(messages.slice(0, last));
  const patch = graph.start(request, { session_context: { history }, ...setup.graphInput });
  runtime.record([{ type: 'plan-update', node: 'START', edge: graph.first, patch }]);
  return 'again';
}

const maxHistory = 10;
const maxHistoryText = 2000;

/** What was said before, newest last, cut. */
function earlier(messages: readonly Message[]): JsonObject[] {
  const pairs: { user: string; assistant: string }[] = [];
  for (const message of messages) {
    if (message.role === 'user') pairs.push({ user: contentText(message.parts), assistant: '' });
    const pair = pairs.at(-1);
    if (message.role === 'assistant' && pair) {
      pair.assistant = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    }
  }
  return pairs
    .filter(({ assistant }) => assistant !== '')
    .slice(-maxHistory)
    .map(({ user, assistant }) => ({ user: cut(user, maxHistoryText), assistant: cut(assistant, maxHistoryText) }));
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()} ...` : text;
}

function contextOf(runtime: Runtime, decision?: GraphContext['decision']): GraphContext {
  const { setup, state, abort } = runtime;
  return {
    tools: shownTools(setup.tools),
    interactive: setup.interactive,
    seq: state.seq,
    ...(decision && { decision }),
    check: async (check, own) => (own ? setup.checker.run(check, abort.signal) : judgeAndRun(runtime, check, decision)),
    fingerprint: () => setup.checker.fingerprint(abort.signal),
    changedFiles: setup.checker.changedFiles,
  };
}

const shown = new WeakMap<ReadonlyMap<string, Tool>, GraphContext['tools']>();

/** Asked for at each edge, and the same as long as the tools are. */
function shownTools(tools: ReadonlyMap<string, Tool>): GraphContext['tools'] {
  const known =
    shown.get(tools) ??
    new Map([...tools].map(([name, { schema, risk }]) => [name, { name, description: schema.description, risk }]));
  shown.set(tools, known);
  return known;
}

async function wait(runtime: Runtime): Promise<'waiting'> {
  await runtime.flush();
  return 'waiting';
}

function ask(runtime: Runtime, { ask: question }: Asked): Promise<'waiting'> {
  const { log, state, setup } = runtime;
  const interrupt = {
    ...question,
    id: `${log.session}:plan:${state.seq}`,
    agent: setup.agent,
    openedAt: setup.clock.now(),
  };
  runtime.record([{ type: 'interrupt-open', interrupt }]);
  return wait(runtime);
}

/** Takes an edge. With the last one goes what the run has to say. */
function take(
  runtime: Runtime,
  graph: DefinedGraph,
  { node, taken, ...child }: { node: string; taken: Taken } & Partial<StoredEventOf<'plan-update'>>,
): void {
  const { edge, patch = {} } = taken;
  if (!graph.edges.some(({ from, to }) => from === node && to === edge)) {
    throw new ReinError('E_GRAPH_INVALID', { graph: graph.name, detail: `no edge leads from ${node} to ${edge}` });
  }
  runtime.record([{ type: 'plan-update', node, edge, patch: patch as JsonObject, ...child }]);
  if (edge !== graphEnd || !runtime.state.graph) return;
  const { text } = graph.finish(runtime.state.graph.values);
  const message = { role: 'assistant', parts: [{ type: 'text', text }], model: modelName(runtime.model) } as const;
  runtime.record([{ type: 'message', message, origin: 'graph' }]);
}

async function runAgent(runtime: Runtime, graph: DefinedGraph, node: AgentNode): Promise<'again' | 'waiting'> {
  const { setup, budget, state } = runtime;
  const at = state.graph as GraphState;
  const { values, node: name } = at;
  const child = at.child ?? (await startChild(runtime, node, name));
  const context = contextOf(runtime);
  const agent = `${setup.agent}/${node.agent}-${child.slice(child.lastIndexOf('.') + 1)}`;
  const outcome = await withInbox(
    runtime,
    setup.children.run(
      {
        id: child,
        agent,
        delegation: { agent: node.agent, prompt: node.prompt(values, context) },
        budget,
        tools: node.tools?.(values, context),
        answer: node.check && { check: (text) => node.check!(text, values, context) },
      },
      runtime.abort.signal,
    ),
  );
  if (outcome.status === 'waiting') return wait(runtime);
  const { usage, cost } = outcome;
  const spent = { child, usage, cost };
  try {
    runtime.abort.signal.throwIfAborted();
    const end = toEnd(runtime, child, outcome);
    throwWhatEndsAll(end);
    take(runtime, graph, { node: name, taken: node.take(end, values, contextOf(runtime)), ...spent });
  } catch (error) {
    if (at.child) runtime.record([{ type: 'plan-update', node: name, patch: {}, ...spent }]);
    throw error;
  }
  return 'again';
}

/** The child is stored in the same append that says it begins, and only then does it. */
async function startChild(runtime: Runtime, node: AgentNode, name: string): Promise<string> {
  const { log, state, setup } = runtime;
  const id = `${log.session}.${state.children + 1}`;
  runtime.record([{ type: 'plan-update', node: name, patch: {}, child: id }], {
    children: [{ id, cwd: setup.cwd, definition: node.agent, callId: `plan:${name}` }],
  });
  await runtime.flush();
  return id;
}

/** Hands on what arrives while a child works. */
async function withInbox<T>(runtime: Runtime, work: Promise<T>): Promise<T> {
  const done = work.then(
    () => 'done' as const,
    () => 'done' as const,
  );
  for (;;) {
    const wake = runtime.wake.promise;
    if (hasMail(runtime)) await drainInbox(runtime);
    if ((await Promise.race([done, wake])) === 'done') return work;
  }
}

/** What an agent may do wrong without ending the whole run. */
const ownFaults: readonly (ErrorCode | undefined)[] = [
  undefined,
  'E_MAX_TURNS',
  'E_LOOP',
  'E_SCHEMA_UNMET',
  'E_ANSWER_CUT',
];

function throwWhatEndsAll({ error }: AgentEnd): void {
  if (error && !ownFaults.includes(error.code)) throw new ReinError(error.code, error.params);
}

function toEnd({ setup }: Runtime, child: string, outcome: Exclude<ChildOutcome, { status: 'waiting' }>): AgentEnd {
  const { stop, text, error, calls } = outcome;
  return {
    child,
    stop,
    text,
    calls: calls.map((call) => ({ ...call, risk: setup.tools.get(call.tool)?.risk })),
    ...(error && { error }),
  };
}
