/** From an agent's definition to what its sessions work with. */
import type { AgentSetup, ChildRun, ModelChoice } from '../../engine/ports.ts';
import type { AgentDefinition } from '../../protocol/define/agent.ts';
import type { Tool } from '../../protocol/define/tool.ts';

/** Models by the name that people write; asked for once each. */
export type ChooseModel = (name: string) => Promise<ModelChoice>;

export interface Narrowing extends Pick<ChildRun, 'tools' | 'answer'> {
  /** Absent for a name without a definition. */
  readonly agent: AgentDefinition | undefined;
  /** The model that the configuration names for the role. */
  readonly role: string | undefined;
  readonly choose: ChooseModel;
}

/** A child's setup: its parent's, with the definition's prompt, model and turns, and no more tools than both allow. */
export async function narrowSetup(
  setup: AgentSetup,
  { agent, role, choose, tools, answer }: Narrowing,
): Promise<AgentSetup> {
  const model = role ?? agent?.model;
  const { maxTurns = setup.limits.maxTurns } = agent ?? {};
  return {
    ...setup,
    driver: 'react',
    answer,
    verify: [],
    ...(model !== undefined && { models: [await choose(model), ...setup.models.slice(1)] as const }),
    limits: { ...setup.limits, maxTurns: Math.min(maxTurns, setup.limits.maxTurns) },
    tools: toolsOf(setup.tools, agent?.tools, tools),
    ...(agent && { sections: () => withRole(setup, agent.prompt) }),
  };
}

/** Siblings with the same tools share one map of them. */
const narrowed = new WeakMap<ReadonlyMap<string, Tool>, Map<string, ReadonlyMap<string, Tool>>>();

function toolsOf(
  all: ReadonlyMap<string, Tool>,
  ...limits: (readonly string[] | undefined)[]
): ReadonlyMap<string, Tool> {
  if (limits.every((limit) => limit === undefined)) return all;
  const names = [...all.keys()].filter((name) => limits.every((limit) => limit?.includes(name) ?? true));
  const known = narrowed.get(all) ?? new Map<string, ReadonlyMap<string, Tool>>();
  narrowed.set(all, known);
  const tools = known.get(names.join()) ?? new Map(names.map((name) => [name, all.get(name)!]));
  known.set(names.join(), tools);
  return tools;
}

/** The definition's words stand where those of the main agent do. */
async function withRole(setup: AgentSetup, text: string): ReturnType<AgentSetup['sections']> {
  const [, ...others] = await setup.sections();
  return [{ name: 'base', text }, ...others];
}
