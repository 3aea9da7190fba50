/** How much of a request's prefix, which a provider caches, the next request kept. */
import { isObject } from '../../lib/is-object.ts';
import type { Json } from '../../protocol/json.ts';
import type { RequestView } from './wire.ts';

/** The smallest piece that is compared: a tool, a block of the system prompt, a content block or item with its role. */
export interface PrefixUnit {
  /** `tool <name>`, `system <n>` or `message <n>`. */
  readonly place: string;
  readonly text: string;
}

export interface PrefixComparison {
  /** Share of the previous request, in characters, that stands unchanged at its place: 0 to 1. */
  readonly kept: number;
  /** The first unit that does not, with what stands there now (nothing at the end of a shorter request). */
  readonly firstDifference?: { readonly place: string; readonly before: string; readonly after?: string };
}

/** Units of a request in the order in which providers cache them; cache marks are removed. */
export function prefixUnits(view: RequestView): PrefixUnit[] {
  const tools = view.tools.map((tool) => ({ place: `tool ${tool.name}`, text: unmarked(tool.raw) }));
  const system = view.system.map((block, index) => ({ place: `system ${index}`, text: unmarked(block.raw) }));
  const messages = view.entries.flatMap((entry, index) =>
    entry.blocks.map((block) => ({ place: `message ${index}`, text: `${entry.role} ${unmarked(block.raw)}` })),
  );
  return [...tools, ...system, ...messages];
}

/** Compares two requests of one conversation. */
export function prefixKept(previous: RequestView, next: RequestView): PrefixComparison {
  const before = prefixUnits(previous);
  const after = prefixUnits(next);
  const index = before.findIndex((unit, at) => unit.text !== after[at]?.text);
  if (index < 0) return { kept: 1 };
  const { place, text } = before[index]!;
  const kept = sizeOf(before.slice(0, index)) / sizeOf(before);
  return { kept, firstDifference: { place, before: text, after: after[index]?.text } };
}

function sizeOf(units: readonly PrefixUnit[]): number {
  return units.reduce((sum, unit) => sum + unit.text.length, 0);
}

function unmarked(raw: Json): string {
  return JSON.stringify(raw, (key, value) => (key === 'cache_control' && isObject(value) ? undefined : value));
}
