/** The plan graph as one call: a task in, the state of the graph out. */

import { drawGraph } from '../protocol/define/graph.ts';
import type { Provider } from '../protocol/define/provider.ts';
import { ReinError } from '../protocol/errors.ts';
import type { Interrupt } from '../protocol/interrupt.ts';
import type { HarnessState, PlanConstraints } from '../protocol/plan.ts';
import { addUsage, noUsage, promptTokens, totalTokens, type Usage } from '../protocol/usage.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';
import type { Session } from './session.ts';

export interface HarnessGraphOptions extends Omit<HarnessOptions, 'provider' | 'interactive'> {
  /** A provider by name or as an object; the configured one when absent. */
  readonly provider?: string | Provider;
  /** Retries and new plans together; default 3. */
  readonly maxRetries?: number;
  /** Told when an agent begins (`start`) and when it has ended (the next node). */
  onStatus?(agent: string, status: string): void;
  /** Answers what the graph asks; without it nobody is there. */
  onInterrupt?(interrupt: Interrupt, session: Session): void | Promise<void>;
}

export interface GraphRun {
  readonly userRequest: string;
  /** Earlier turns; those of the thread when absent. */
  readonly sessionContext?: HarnessState['session_context'];
  readonly constraints?: PlanConstraints;
  /** The session: a thread that is there goes on, also in the midst of a run. */
  readonly threadId?: string;
}

/** Tokens of all runs of a graph, and of each role. */
export class TokenTracker {
  #usage: Usage = noUsage;
  readonly #roles = new Map<string, Usage>();

  get promptTokens(): number {
    return promptTokens(this.#usage);
  }

  get completionTokens(): number {
    return this.#usage.output;
  }

  get total(): number {
    return totalTokens(this.#usage);
  }

  get roles(): ReadonlyMap<string, Usage> {
    return this.#roles;
  }

  add(role: string, usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#roles.set(role, addUsage(this.#roles.get(role) ?? noUsage, usage));
  }
}

/** The plan graph for a library: a task in, the state with plan, results and verdict out. */
export class HarnessGraph {
  readonly tokenTracker = new TokenTracker();
  readonly #options: HarnessGraphOptions;

  constructor(options: HarnessGraphOptions = {}) {
    this.#options = options;
  }

  /**
   * Plans, carries out and reviews. Returns the state at the end, also where the work did not pass: `verification`
   * says which. Throws the ReinError that ended the run, such as `E_AGENT_ANSWER`, `E_BUDGET`, `E_PROVIDER_*`.
   */
  async run({ userRequest, sessionContext, constraints, threadId }: GraphRun): Promise<HarnessState> {
    const { onInterrupt } = this.#options;
    const harness = await createHarness({ ...this.#toOptions(), interactive: onInterrupt !== undefined });
    try {
      const known = threadId === undefined ? undefined : await (await harness.store()).info(threadId);
      const thread = known ? { resume: known.id } : { id: threadId };
      const session = await harness.open({ ...thread, plan: { constraints, sessionContext } });
      session.listen((event) => {
        if (event.type === 'plan-update') this.#see(event);
        if (event.type === 'interrupt-open') void onInterrupt?.(event.interrupt, session);
      });
      const { error } = await (session.hasOpenRun ? session.resume() : session.run(userRequest));
      if (error) throw new ReinError(error.code, error.params);
      return session.plan as unknown as HarnessState;
    } finally {
      await harness.close();
    }
  }

  #toOptions(): HarnessOptions {
    const { provider, model, maxRetries = 3, flags, onStatus, onInterrupt, ...rest } = this.#options;
    const named = typeof provider === 'string' ? [provider, model].filter(Boolean).join('/') : model;
    return {
      ...rest,
      flags: { ...flags, maxRetries },
      ...(typeof provider === 'object' && { provider }),
      ...(named !== undefined && { model: named }),
    };
  }

  #see({ node, edge, usage }: { node: string; edge?: string; usage?: Usage }): void {
    if (usage) this.tokenTracker.add(node, usage);
    if (node !== 'START') this.#options.onStatus?.(node, edge ?? 'start');
  }
}

/** The plan graph as a Mermaid flowchart. */
export async function drawPlanGraph(): Promise<string> {
  const { planGraph } = await import('../engine/plan/plan-graph.ts');
  return drawGraph(planGraph);
}
