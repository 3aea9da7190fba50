/** What a graph-driven run remembers: where it stands, its values, who works or waits. A fold over `plan-update`. */

import type { GraphPatch, GraphValues } from '../../protocol/define/graph.ts';
import type { StoredEventOf } from '../../protocol/event.ts';
import type { Decision, Interrupt } from '../../protocol/interrupt.ts';
import type { Json } from '../../protocol/json.ts';
import { addUsage, noUsage, type Usage } from '../../protocol/usage.ts';

export interface GraphState {
  /** The node that is worked on, or the end. */
  node: string;
  values: GraphValues;
  /** The child session of the node, begun and not yet taken. */
  child?: string;
  /** What the node asked a person. */
  asked?: { readonly interrupt: Interrupt; decision?: Decision };
  /** What the children of each node used. */
  readonly spent: Map<string, { readonly usage: Usage; readonly cost: number }>;
}

/** Advances the graph's state by one event; the first one makes it. */
export function foldPlan(graph: GraphState | undefined, event: StoredEventOf<'plan-update'>): GraphState {
  const { node, edge, patch, child, usage, cost = 0 } = event;
  const state: GraphState = graph ?? { node, values: {}, spent: new Map() };
  state.values = applyPatch(state.values, patch as GraphPatch);
  if (usage) {
    const before = state.spent.get(node) ?? { usage: noUsage, cost: 0 };
    state.spent.set(node, { usage: addUsage(before.usage, usage), cost: before.cost + cost });
  }
  state.child = edge === undefined && usage === undefined ? child : undefined;
  if (edge !== undefined) {
    state.node = edge;
    state.asked = undefined;
  }
  return state;
}

/** True for the event that begins a child; the one that takes its end names it too. */
export function beginsChild({ child, edge, usage }: StoredEventOf<'plan-update'>): boolean {
  return child !== undefined && edge === undefined && usage === undefined;
}

function applyPatch(values: GraphValues, patch: GraphPatch): GraphValues {
  const changed: Record<string, Json> = { ...values };
  for (const [field, value] of Object.entries(patch)) {
    const added = isAppend(value) ? value.$append : undefined;
    const before = changed[field];
    changed[field] = added ? [...(Array.isArray(before) ? before : []), ...added] : (value as Json);
  }
  return changed;
}

function isAppend(value: unknown): value is { $append: readonly Json[] } {
  return typeof value === 'object' && value !== null && Array.isArray((value as { $append?: unknown }).$append);
}
