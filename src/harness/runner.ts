/** The in-process runner: a loop over `advance` for one session, and its children's loops inside it. */
import { advance } from '../engine/advance.ts';
import { createBudget } from '../engine/budget.ts';
import { compact } from '../engine/history/compact.ts';
import { hasMail, watchInbox } from '../engine/inbox.ts';
import type { AgentSetup, ChildOutcome, ChildRun, ChildRunner } from '../engine/ports.ts';
import { Runtime } from '../engine/runtime.ts';
import { whyStopped } from '../engine/stop.ts';
import type { FinishedCall } from '../protocol/define/graph.ts';
import { ReinError } from '../protocol/errors.ts';
import type { Interrupt } from '../protocol/interrupt.ts';
import { assistantText, contentText, type Message, type ToolResult, toolCalls } from '../protocol/message.ts';
import { noUsage, totalTokens } from '../protocol/usage.ts';
import type { ClaimedLog, OpenLog } from '../services/sessions/claimed-log.ts';
import type { SessionStore } from '../services/sessions/store.ts';

/** Makes the setup of an agent; `children` runs what it delegates. */
export type SetupOf = (
  about: { agent: string; definition: string; cwd: string; children: ChildRunner } & Pick<ChildRun, 'tools' | 'answer'>,
) => AgentSetup | Promise<AgentSetup>;

/** Where a child's prompt comes from. */
const delegated = 'delegation';

/** The one runner of a session in this process: a loop over `advance`, for it and for its children. */
export class Runner {
  readonly runtime: Runtime;
  readonly #store: SessionStore;
  readonly #setupOf: SetupOf;
  readonly #log: ClaimedLog;
  readonly #children: Map<string, Runner>;
  readonly #closed = new AbortController();
  #loop: Promise<'waiting' | 'done'> | undefined;
  /** It has its prompt. */
  #begun = false;

  private constructor(parts: {
    store: SessionStore;
    setupOf: SetupOf;
    log: ClaimedLog;
    runtime: Runtime;
    children: Map<string, Runner>;
  }) {
    this.#store = parts.store;
    this.#setupOf = parts.setupOf;
    this.#log = parts.log;
    this.runtime = parts.runtime;
    this.#children = parts.children;
    watchInbox(parts.runtime, this.#closed.signal).catch(() => {
      // Closing ends the watch; a store that fails says so to the loop.
    });
  }

  /**
   * Claims a session and folds its log. Throws `E_SESSION_BUSY` while another process runs it, `E_SESSION_MISSING`.
   */
  static async open(
    store: SessionStore,
    setupOf: SetupOf,
    session: { id: string; opened?: boolean; newborn?: OpenLog } & Partial<
      Pick<ChildRun, 'agent' | 'budget' | 'tools' | 'answer'>
    >,
  ): Promise<Runner> {
    const { log, events } = session.newborn ?? (await claimAndRead(store, session.id));
    const children = new Map<string, Runner>();
    // A child that begins with its parent's history has two.
    const start = events.findLast((event) => event.type === 'session-start');
    if (!start) throw new ReinError('E_SESSION_EVENT_UNREADABLE', { session: session.id, seq: 1 });
    const setup = await setupOf({
      tools: session.tools,
      answer: session.answer,
      agent: session.agent ?? 'main',
      definition: start.definition,
      cwd: start.cwd,
      children: {
        run: (child, signal) => runner.#runChild(child, signal),
        deliver: (child, item) => store.deliver(child, item),
        look: (child) => lastWords(children.get(child)?.runtime),
      },
    });
    const budget = session.budget ?? createBudget(setup.clock, { tokens: 0, cost: 0 });
    const runtime = new Runtime(log, setup, budget);
    for (const event of events) runtime.replay(event);
    runtime.state.seq = log.seq;
    const spent = runtime.state.run;
    if (spent) {
      budget.tokens += totalTokens(spent.usage);
      budget.cost += spent.cost;
    }
    const runner = new Runner({ store, setupOf, log, runtime, children });
    runner.#begun = events.some((event) => 'origin' in event && event.origin === delegated && event.seq > start.seq);
    if (session.opened && events.length > 1) runtime.record([{ type: 'session-open' }]);
    return runner;
  }

  /** Works until nothing is left to do (`done`) or a person must answer (`waiting`). One loop at a time. */
  work(): Promise<'waiting' | 'done'> {
    this.#loop ??= this.#advance().finally(() => {
      this.#loop = undefined;
    });
    return this.#loop;
  }

  async #advance(): Promise<'waiting' | 'done'> {
    for (;;) {
      const next = await advance(this.runtime);
      if (next !== 'again') return next;
    }
  }

  /** Resolves when something has arrived that nobody has looked at, when the run is aborted or the runner closes. */
  async arrival(): Promise<void> {
    const { wake, abort } = this.runtime;
    if (!hasMail(this.runtime) && !abort.signal.aborted && !this.#closed.signal.aborted) await wake.promise;
  }

  /** Makes the history shorter, between two runs. Throws `E_COMPACTION`, `E_PROVIDER_*`. */
  compact(): Promise<void> {
    return compact(this.runtime);
  }

  /** Aborts the open run, in this process. */
  abort(reason: unknown = new ReinError('E_ABORTED')): void {
    if (!this.runtime.state.run) {
      if (this.#loop) this.runtime.abortNext = reason;
      return;
    }
    this.runtime.abort.abort(reason);
    // It may be waiting for a person.
    this.runtime.wakeUp();
  }

  /** Open interrupts of the whole tree. */
  interrupts(): Interrupt[] {
    const { open, graph, run } = this.runtime.state;
    const asked = graph?.asked && !graph.asked.decision && run ? [graph.asked.interrupt] : [];
    const own = [...asked, ...open.flatMap((call) => (call.interrupt ? [call.interrupt] : []))];
    return [...own, ...[...this.#children.values()].flatMap((child) => child.interrupts())];
  }

  /** Gives the session up; what works is aborted, unless a person is asked. What is recorded is stored first. */
  async close(): Promise<void> {
    const work = this.interrupts().length === 0 ? this.#loop : undefined;
    if (work) {
      this.abort();
      await work
        .then(
          () => this.runtime.flush(),
          () => {},
        )
        .catch(() => {
          // Whoever waits for the work hears of it.
        });
    }
    for (const child of this.#children.values()) await child.close();
    // With a reason, since the usual one is an exception with a stack.
    this.#closed.abort('closed');
    this.runtime.wakeUp();
    try {
      if (!work) await this.runtime.flush();
    } finally {
      await this.#log.release();
    }
  }

  async #runChild({ id, delegation, ...about }: ChildRun, signal: AbortSignal): Promise<ChildOutcome> {
    const child =
      this.#children.get(id) ??
      (await Runner.open(this.#store, this.#setupOf, { id, newborn: this.#log.adopt(id), ...about }));
    this.#children.set(id, child);
    if (!child.#begun) {
      child.#begun = true;
      const parts = [{ type: 'text', text: delegation.prompt } as const];
      child.runtime.handed = { id: `${id}:prompt`, parts, origin: delegated };
    }
    child.#log.releaseWithRun();
    const onAbort = () => child.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const work = child.work();
      if (signal.aborted) onAbort();
      if ((await work) === 'waiting') return { status: 'waiting' };
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    this.#children.delete(id);
    await child.close();
    return outcomeOf(child.runtime, await this.#callsOf(child.runtime));
  }

  /** A history that was made shorter does not have them all. */
  async #callsOf({ state, log }: Runtime): Promise<FinishedCall[]> {
    if (state.history.seqs[0] !== 0) return finishedCalls(state.history.messages);
    const messages: Message[] = [];
    const results: ToolResult[] = [];
    for await (const event of this.#store.read(log.session)) {
      if (event.type === 'message') messages.push(event.message);
      if (event.type === 'tool-call-end') results.push({ ...event, name: '' });
    }
    return finishedCalls([...messages, { role: 'tool', results }]);
  }
}

async function claimAndRead(store: SessionStore, id: string): Promise<OpenLog> {
  const log = await store.claim(id);
  const events = [];
  for await (const event of store.read(id)) events.push(event);
  return { log, events };
}

function finishedCalls(messages: readonly Message[]): FinishedCall[] {
  const results = new Map<string, ToolResult>();
  for (const message of messages) {
    if (message.role === 'tool') for (const result of message.results) results.set(result.callId, result);
  }
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return toolCalls(message).map(({ id, name, input }) => {
      const { status = 'interrupted', content = [] } = results.get(id) ?? {};
      return { tool: name, input, status, output: contentText(content) };
    });
  });
}

function lastWords(runtime: Pick<Runtime, 'state'> | undefined): string {
  const last = runtime?.state.history.messages.findLast((message) => message.role === 'assistant');
  return last?.role === 'assistant' ? assistantText(last).trim() : '';
}

function outcomeOf({ state }: Runtime, calls: readonly FinishedCall[]): ChildOutcome {
  const text = lastWords({ state });
  const { stop = 'error', error, usage = noUsage, cost = 0 } = state.lastRun ?? {};
  const how = { usage, cost, stop, calls, ...(error && { error }) };
  if (stop === 'completed') return { status: 'ok', text: text || 'The agent ended without a word.', ...how };
  const said = text ? ` Its last words: ${text}` : '';
  const status = stop === 'aborted' ? 'cancelled' : 'error';
  return { status, text: `The agent did not finish: ${whyStopped(stop, error)}.${said}`, ...how };
}
