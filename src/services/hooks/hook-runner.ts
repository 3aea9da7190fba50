/** Runs hooks: policy hooks in order and closed on failure, observers isolated. */

import type {
  DefinedHook,
  HookAnswer,
  HookContext,
  HookDefinition,
  HookEvent,
  HookInputs,
} from '../../protocol/define/hook.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { matchesInput } from './matcher.ts';

const defaultTimeoutSeconds = 60;
const graceMs = 1000;

export interface HookVerdict {
  readonly hook: string;
  readonly answer: HookAnswer;
}

/** Asks policy hooks, where what goes wrong is a refusal, and tells observers, which disturb nobody. */
export class HookRunner {
  readonly #hooks: readonly HookDefinition[];
  readonly #onWarning: (warning: ErrorData) => void;

  constructor(hooks: readonly DefinedHook[], onWarning: (warning: ErrorData) => void) {
    this.#hooks = hooks as unknown as readonly HookDefinition[];
    this.#onWarning = onWarning;
  }

  get count(): number {
    return this.#hooks.length;
  }

  /** True when some hook is for this event: without one nothing needs to be gathered for it. */
  has(event: HookEvent): boolean {
    return this.#hooks.some((hook) => hook.event === event);
  }

  /**
   * Asks the policy hooks of an event one after the other, each with the input as the one before left it. A hook that
   * throws or takes too long has refused.
   */
  async ask<E extends HookEvent>(event: E, input: HookInputs[E], context: HookContext): Promise<HookVerdict[]> {
    const verdicts: HookVerdict[] = [];
    let current = input as HookInputs[E] & { input?: JsonObject };
    for (const hook of this.#matching(event, input)) {
      const answer = await this.#run(hook, current, context).catch((error: unknown) => refusal(error));
      if (answer === undefined || answer === null) continue;
      verdicts.push({ hook: hook.name, answer });
      const { decision, input: changed } = answer as { decision?: unknown; input?: JsonObject };
      if (decision !== undefined && changed) current = { ...current, input: changed };
    }
    return verdicts;
  }

  /** Tells the observers of an event. Their failures are warnings. */
  async tell<E extends HookEvent>(event: E, input: HookInputs[E], context: HookContext): Promise<void> {
    for (const hook of this.#matching(event, input)) {
      await this.#run(hook, input, context).catch((error: unknown) => {
        const detail = error instanceof Error ? error.message : String(error);
        this.#onWarning(new ReinError('E_HOOK', { hook: hook.name, detail }, error).toData());
      });
    }
  }

  #matching(event: HookEvent, input: object): HookDefinition[] {
    return this.#hooks.filter((hook) => {
      if (hook.event !== event) return false;
      return hook.matcher === undefined || matchesInput(hook.matcher, event, input);
    });
  }

  /** What takes too long is told to stop, and waited for no longer than a moment. What answers at once needs no clock. */
  async #run(hook: HookDefinition, input: object, context: HookContext): Promise<HookAnswer | undefined | void> {
    const seconds = hook.timeoutSeconds ?? defaultTimeoutSeconds;
    const stop = new AbortController();
    let joined: AbortSignal | undefined;
    const work = hook.run(input as never, {
      ...context,
      get signal() {
        joined ??= AbortSignal.any([context.signal, stop.signal]);
        return joined;
      },
    });
    if (typeof (work as Partial<PromiseLike<unknown>> | undefined | null)?.then !== 'function') return work;
    const { promise: late, reject } = Promise.withResolvers<never>();
    let timer = setTimeout(() => {
      const why = new Error(`it took longer than ${seconds} s`);
      stop.abort(why);
      timer = setTimeout(() => reject(why), graceMs);
    }, seconds * 1000);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function refusal(error: unknown): HookAnswer {
  return { decision: 'deny', reason: error instanceof Error ? error.message : String(error) };
}
