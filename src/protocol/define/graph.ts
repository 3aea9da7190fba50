/** A graph of agents and steps that drives a run: nodes and edges as data. */
import type { ErrorData } from '../errors.ts';
import { ReinError } from '../errors.ts';
import type { StopReason, Verification } from '../event.ts';
import type { Decision, Interrupt } from '../interrupt.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ResultStatus } from '../message.ts';
import type { Check, CheckResult } from '../plan.ts';
import type { Risk } from './tool.ts';

/** Where every graph ends. */
export const graphEnd = 'END';

/** What a graph keeps, as it is stored: snake_case by custom. */
export type GraphValues = JsonObject;

/**
 * Changes to the values: a field replaces the one of its name, `{ $append: [...] }` adds to a list. A field with
 * `null` is empty from then on.
 */
export type GraphPatch = Readonly<Record<string, Json | { readonly $append: readonly Json[] }>>;

/** A node is done: what it changed and where to go. The edge must be one of the graph's. */
export interface Taken {
  readonly edge: string;
  readonly patch?: GraphPatch;
}

/** A node waits for a person; it runs again with the `decision`. */
export interface Asked {
  readonly ask: Pick<Interrupt, 'kind' | 'question' | 'options' | 'plan' | 'call' | 'digest' | 'warnings' | 'rule'>;
}

/** A tool call that an agent made, as its log has it. */
export interface FinishedCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly status: ResultStatus;
  readonly output: string;
  /** Of a tool that is known here. */
  readonly risk?: Risk;
}

/** How the run of an agent went. */
export interface AgentEnd {
  readonly child: string;
  readonly stop: StopReason;
  /** Its last words. */
  readonly text: string;
  readonly calls: readonly FinishedCall[];
  readonly error?: ErrorData;
}

export interface GraphTool {
  readonly name: string;
  readonly description: string;
  readonly risk: Risk;
}

/** What a node may look at and use besides the values. */
export interface GraphContext {
  readonly tools: ReadonlyMap<string, GraphTool>;
  /** Somebody can answer. */
  readonly interactive: boolean;
  /** Sequence number of the last event of the log. */
  readonly seq: number;
  /** The answer to what this node asked. */
  readonly decision?: Decision;
  /**
   * Runs a check. `own`: the user's own word; any other passes the permission gate and may have to be asked for. A
   * check that cannot run is one that failed, and says why.
   */
  check(check: Check, own: boolean): Promise<CheckResult | Asked>;
  /** Hash over the files of the folder that are not ignored: paths, contents, and whether they may be run. */
  fingerprint(): Promise<string>;
  /** Paths that differ between the two newest fingerprints; empty for any other two. */
  changedFiles(before: string, after: string): readonly string[];
}

/** A child session: an agent works on a prompt. */
export interface AgentNode {
  /** Name of the agent definition. */
  readonly agent: string;
  prompt(values: GraphValues, context: GraphContext): string;
  /** The tools it may use at most; all that its definition has when absent. */
  tools?(values: GraphValues, context: GraphContext): readonly string[];
  /** What is wrong with its last words: it is asked once more, then its run ends with `E_SCHEMA_UNMET`. */
  check?(text: string, values: GraphValues, context: GraphContext): string | undefined;
  /** Throws a ReinError to end the run with it. */
  take(end: AgentEnd, values: GraphValues, context: GraphContext): Taken;
}

/** Anything else: a decision, a count, a question, an effect that may be repeated after a crash. */
export interface StepNode {
  step(values: GraphValues, context: GraphContext): Taken | Asked | Promise<Taken | Asked>;
}

export type GraphNode = AgentNode | StepNode;

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Shown in the drawing. */
  readonly label?: string;
}

export interface GraphResult {
  /** The last words of the run. */
  readonly text: string;
  readonly stop: 'completed' | 'rejected';
  readonly verification?: Verification;
}

export interface GraphDefinition {
  readonly name: string;
  /** The first node. */
  readonly first: string;
  readonly nodes: Readonly<Record<string, GraphNode>>;
  readonly edges: readonly GraphEdge[];
  /** The first values, from what was asked and what the caller gave. */
  start(request: string, input: JsonObject): GraphValues;
  /** What comes out, once the end is reached. */
  finish(values: GraphValues): GraphResult;
}

const brand = Symbol.for('rein.graph');

export type DefinedGraph = GraphDefinition & { readonly [brand]: true };

/** Defines a graph. Throws `E_GRAPH_INVALID` for an edge to nowhere, a node that cannot be reached, no way to the end. */
export function defineGraph(definition: GraphDefinition): DefinedGraph {
  const { name, first, nodes, edges } = definition;
  const invalid = (detail: string) => new ReinError('E_GRAPH_INVALID', { graph: name, detail });
  const isNode = (node: string) => Object.hasOwn(nodes, node);
  if (!isNode(first)) throw invalid(`its first node ${first} is not there`);
  for (const { from, to } of edges) {
    const missing = [from, to].find((node) => !isNode(node) && !(node === to && to === graphEnd));
    if (missing !== undefined) throw invalid(`an edge names ${missing}, which is no node`);
  }
  const reached = new Set([first]);
  for (const node of reached) for (const { from, to } of edges) if (from === node) reached.add(to);
  const lost = Object.keys(nodes).find((node) => !reached.has(node));
  if (lost !== undefined) throw invalid(`no edge leads to ${lost}`);
  if (!reached.has(graphEnd)) throw invalid(`no edge leads to ${graphEnd}`);
  return Object.assign({ ...definition }, { [brand]: true as const });
}

/** The graph as a Mermaid flowchart; agents are round, everything else is square. */
export function drawGraph({ first, nodes, edges }: GraphDefinition): string {
  const shape = ([name, node]: [string, GraphNode]) =>
    'agent' in node ? `  ${name}([${name}])` : `  ${name}[${name}]`;
  const arrow = ({ from, to, label }: GraphEdge) => `  ${from} -->${label ? `|${label}|` : ''} ${to}`;
  return [
    'flowchart TD',
    ...Object.entries(nodes).map(shape),
    `  START((START)) --> ${first}`,
    ...edges.map(arrow),
    `  ${graphEnd}((${graphEnd}))`,
  ].join('\n');
}
