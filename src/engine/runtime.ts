/** One runner's hold on one session: the folded state, and the one way to change it. */

import type { MiddlewareContext, SessionView } from '../protocol/define/middleware.ts';
import type { ReinError } from '../protocol/errors.ts';
import type { StoredBody, StoredEvent, VolatileBody } from '../protocol/event.ts';
import type { InboxItem } from '../protocol/session.ts';
import { fold } from './fold.ts';
import type { AgentSetup, Budget, ChildOutcome, ModelChoice, NewChild, NewEvent, SessionLog } from './ports.ts';
import { emptyState, type SessionState } from './session-state.ts';

interface Batch {
  readonly events: NewEvent[];
  readonly children: NewChild[];
  readonly taken: string[];
}

/** A background task that runs in this process. */
export interface RunningTask {
  readonly cancel: AbortController;
  done: Promise<void>;
  /** Once it has ended or waits for a person. */
  outcome?: ChildOutcome;
}

/** One session at work: its folded state, what is recorded and not yet stored, and the calls that run. */
export class Runtime {
  readonly state: SessionState;
  readonly log: SessionLog;
  readonly setup: AgentSetup;
  readonly budget: Budget;
  /** Aborted when this run shall end; `reason` is the ReinError to end with. */
  abort = new AbortController();
  /** Calls whose onion runs in this process. */
  readonly running = new Map<string, Promise<void>>();
  /** Background tasks that run in this process, by child session. */
  readonly tasks = new Map<string, RunningTask>();
  /** The prompt of the next run where it does not come through the inbox: a parent's, which has it in its own log. */
  handed: Pick<InboxItem & { kind: 'prompt' }, 'id' | 'parts' | 'origin'> | undefined;
  /** Abort the run that begins next, with this reason. */
  abortNext: unknown;
  /** The last call of each queue key; the next one starts after it. */
  readonly queues = new Map<string, Promise<unknown>>();
  /** The inbox was looked at and still holds what nobody took. */
  inboxSeen = false;
  /** Resolves when something arrived in the inbox. */
  wake = Promise.withResolvers<void>();
  /** The stored prompt was compared with what this process would build. */
  promptChecked = false;
  /** What middleware begin with that have stored nothing yet. */
  readonly #firstStates = new Map<string, unknown>();
  #batch: Batch = { events: [], children: [], taken: [] };
  #flushing: Promise<void> = Promise.resolve();
  #scheduled: NodeJS.Immediate | undefined;
  #failure: unknown;
  #viewed: { readonly seq: number; readonly view: SessionView } | undefined;

  constructor(log: SessionLog, setup: AgentSetup, budget: Budget, state: SessionState = emptyState()) {
    this.log = log;
    this.setup = setup;
    this.budget = budget;
    this.state = state;
  }

  get run(): string {
    return this.state.run?.id ?? '';
  }

  get model(): ModelChoice {
    return this.setup.models[0];
  }

  /**
   * Adds events: folded at once, stored soon, together with what else is added meanwhile. Whoever starts an effect or
   * tells somebody waits for {@link flush} first.
   */
  record(
    events: readonly StoredBody[],
    options: { children?: readonly NewChild[]; taken?: readonly string[] } = {},
  ): void {
    for (const body of events) {
      this.#add({ ...body, run: this.run, agent: this.setup.agent });
    }
    this.#batch.children.push(...(options.children ?? []));
    this.#batch.taken.push(...(options.taken ?? []));
    this.#scheduled ??= setImmediate(() => {
      this.flush().catch(() => {
        // The next flush throws it where somebody listens.
      });
    });
  }

  /** Opens a run: its id is in force from this event on. */
  startRun(id: string, body: StoredBody & { type: 'run-start' }): void {
    this.#add({ ...body, run: id, agent: this.setup.agent });
  }

  #add(given: NewEvent): void {
    const event = this.setup.guard(given);
    this.#batch.events.push(event);
    fold(this.state, { ...event, seq: this.state.seq + 1 });
  }

  /** Resolves when everything recorded so far is stored. Throws `E_SESSION_FENCED`, `E_STORE_*`. */
  flush(): Promise<void> {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const batch = this.#batch;
    if (batch.events.length > 0 || batch.taken.length > 0) {
      this.#batch = { events: [], children: [], taken: [] };
      this.#flushing = this.#store(batch, this.#flushing);
      this.#flushing.catch(() => {
        // Seen by whoever awaits it.
      });
    }
    return this.#flushing;
  }

  async #store({ events, children, taken }: Batch, before: Promise<void>): Promise<void> {
    // After one failed append nothing more may be stored: the state here is ahead of the log.
    await before;
    try {
      const stored = await this.log.append(events, { children, taken });
      for (const event of stored) this.setup.emit(event);
    } catch (error) {
      this.#failure = error;
      this.abort.abort(error);
      throw error;
    }
  }

  wakeUp(): void {
    const { resolve } = this.wake;
    this.wake = Promise.withResolvers();
    resolve();
  }

  /** Throws when an append failed: this runner is out of step with the log and must stop. */
  throwStoreFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Runs work after all earlier work with the same key. */
  async enqueue<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.queues.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.queues.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.queues.get(key) === mine) this.queues.delete(key);
    }
  }

  /** Shows a volatile event to whoever listens. */
  emit(body: VolatileBody): void {
    if (!this.setup.listening()) return;
    this.setup.emit({
      ...this.setup.guard(body),
      v: 1,
      time: this.setup.clock.now(),
      session: this.log.session,
      run: this.run,
      agent: this.setup.agent,
    });
  }

  warn(error: ReinError): void {
    this.emit({ type: 'warning', warning: error.toData() });
  }

  /** Warns once for the whole tree of sessions. */
  warnOnce(error: ReinError): void {
    if (this.budget.told.has(error.code)) return;
    this.budget.told.add(error.code);
    this.warn(error);
  }

  /** The session as middleware see it. Nothing in it changes without an event but the history, which is a live list. */
  view(): SessionView {
    if (this.#viewed?.seq !== this.state.seq) this.#viewed = { seq: this.state.seq, view: Object.freeze(this.#look()) };
    return this.#viewed.view;
  }

  #look(): SessionView {
    const { state, setup } = this;
    return {
      id: this.log.session,
      run: this.run,
      agent: setup.agent,
      cwd: setup.cwd,
      model: modelName(this.model),
      interactive: setup.interactive,
      messages: state.history.view,
      messageSeqs: state.history.seqs,
      context: { used: state.context.used, window: this.model.info.window },
      prompt: state.prompt,
      openCalls: state.open,
      todos: state.todos,
      turn: state.run?.turns ?? 0,
      usage: state.usage,
      grants: state.grants,
    };
  }

  /** What a middleware works with; its state is the stored one or, at first, its schema's defaults. */
  contextFor(middleware: { name: string; state?: { parse(value: unknown): unknown } }): MiddlewareContext<never> {
    const { name, state: schema } = middleware;
    let state = schema && (this.state.states.get(name) ?? this.#firstStates.get(name));
    if (schema && state === undefined) {
      state = schema.parse({});
      this.#firstStates.set(name, state);
    }
    return {
      state: state as never,
      session: this.view(),
      signal: this.abort.signal,
      emit: (event) => this.emit(event),
      beforeCompaction: (trigger) =>
        this.setup.beforeCompaction(trigger, { session: this.log.session, agent: this.setup.agent }),
    };
  }

  /** Advances the state by an event read from the log, at opening. */
  replay(event: StoredEvent): void {
    fold(this.state, event);
  }
}

/** `provider/model`, as people write it. */
export function modelName(choice: ModelChoice): string {
  return `${choice.provider.name}/${choice.info.id}`;
}
