/** The session façade that apps hold: run, listen, answer, abort. */
import type { Clock } from '../engine/ports.ts';
import { ReinError } from '../protocol/errors.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { Decision, Interrupt } from '../protocol/interrupt.ts';
import { isFitting } from '../protocol/interrupt.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { type ContentPart, contentText } from '../protocol/message.ts';
import type { SessionStore } from '../services/sessions/store.ts';
import { LogFollower, readInterrupts } from './follow.ts';
import type { Listener, Listeners } from './listeners.ts';
import { OutcomeWatch, type RunOutcome } from './outcome.ts';
import type { Runner } from './runner.ts';

export interface RunOptions {
  /** `steer`: into the open run, if there is one. `next`: a run of its own after it. */
  readonly mode?: 'steer' | 'next';
  /** Names the prompt; sending the same id again changes nothing. */
  readonly id?: string;
}

export interface SessionDoors {
  readonly store: SessionStore;
  readonly id: string;
  /** Undefined while another process runs the session. */
  readonly runner: Runner | undefined;
  readonly interactive: boolean;
  readonly listeners: Listeners;
  newId(): string;
  /** How long an interrupt waits for an answer; for ever when absent. */
  readonly deadline?: { readonly seconds: number; readonly clock: Clock };
  /** What policy hooks add to the prompt. Throws when one refuses it. */
  beforePrompt(prompt: string): Promise<string | undefined>;
  /** The last words of a run as JSON, where a schema asks for that. */
  structure?(text: string): Json | undefined;
  onDecision(interrupt: Interrupt, decision: Decision): Promise<void>;
  /** Becomes the runner. Throws `E_SESSION_BUSY` while another process is. */
  claim(): Promise<Runner>;
  close(): Promise<void>;
}

/** The façade that apps hold: prompts and answers in, events and outcomes out, whoever runs the session. */
export class Session {
  readonly #doors: SessionDoors;
  readonly #follower: LogFollower<Runner>;
  #runner: Runner | undefined;
  #closed = false;

  constructor(doors: SessionDoors) {
    this.#doors = doors;
    this.#runner = doors.runner;
    this.#follower = new LogFollower(
      doors.store,
      doors.id,
      (event) => doors.listeners.tell(event),
      () => doors.claim(),
    );
  }

  get id(): string {
    return this.#doors.id;
  }

  /** True when this process runs the session; else another one does, and what is sent here goes to its inbox. */
  get isRunner(): boolean {
    return this.#runner !== undefined;
  }

  /** The folded state of this process's runner: messages, todos, usage, open run. */
  get state() {
    return this.#runner?.runtime.view();
  }

  /** The values of the graph that drives the open run, or drove the last one. */
  get plan(): JsonObject | undefined {
    return this.#runner?.runtime.state.graph?.values;
  }

  /** An earlier run that was cut off is still open. */
  get hasOpenRun(): boolean {
    return this.#runner?.runtime.state.run !== undefined;
  }

  /**
   * Hears every event of this session and its children. Returns a function that ends it. What a listener throws or rejects
   * with is told to the others, once, as a `warning`; the run goes on.
   */
  listen(listener: Listener): () => void {
    return this.#doors.listeners.add(listener);
  }

  /**
   * Sends a prompt and works until the run that takes it has ended, or waits for a person and this process can give
   * no answer by itself. Throws `E_STORE_*`, `E_SESSION_FENCED`.
   */
  async run(prompt: string | readonly ContentPart[], options: RunOptions = {}): Promise<RunOutcome> {
    const { store, id: session } = this.#doors;
    const id = options.id ?? this.#doors.newId();
    const typed = typeof prompt === 'string' ? [{ type: 'text', text: prompt } as const] : prompt;
    if (!typed.some((part) => part.type === 'image' || part.text.trim() !== '')) throw new ReinError('E_INPUT_EMPTY');
    const added = await this.#doors.beforePrompt(contentText(typed));
    const parts = added === undefined ? typed : [...typed, { type: 'text', text: added } as const];
    const mode = options.mode ?? (this.hasOpenRun ? 'steer' : 'next');
    // What steers a graph goes to the agent that works: this session's log does not name it.
    const open = this.#runner?.runtime.state.run;
    const run = mode === 'steer' && open && open.driver !== 'react' ? open.id : undefined;
    return this.#until(new OutcomeWatch(session, id, run), () =>
      store.deliver(session, { id, kind: 'prompt', mode, parts }),
    );
  }

  /** Goes on with a run that was cut off or that waited, without a new prompt. */
  async resume(): Promise<RunOutcome> {
    return this.#until(new OutcomeWatch(this.id, '', this.#runner?.runtime.state.run?.id), async () => {});
  }

  async #until(watch: OutcomeWatch, begin: () => Promise<void>): Promise<RunOutcome> {
    watch.know(await this.interrupts());
    const stop = this.listen((event) => watch.see(event));
    try {
      if (!this.#runner) await this.#follower.start();
      await begin();
      let idle = false;
      while (!watch.ended && !this.#closed) {
        if (!this.#runner) this.#runner = await this.#follower.next();
        else {
          const work = await Promise.race([this.#runner.work(), watch.done]);
          if (work === 'waiting') await this.#awaitAnswer(this.#runner);
          // A loop that ended just before the prompt came has not seen it; a new one has.
          else if (idle) break;
          else idle = work === 'done';
        }
      }
      const outcome = watch.outcome(await this.interrupts());
      const structured = outcome.stop === 'completed' ? this.#doors.structure?.(outcome.text) : undefined;
      return structured === undefined ? outcome : { ...outcome, structured };
    } finally {
      stop();
    }
  }

  /** Waits for whoever can answer; where nobody can be asked, what is open is refused. */
  async #awaitAnswer(runner: Runner): Promise<void> {
    if (this.#doors.interactive) {
      // Whoever can answer may be in another process: this one must be there when the answer comes.
      const alive = setInterval(() => {}, 60_000);
      const { deadline } = this.#doors;
      const over = new AbortController();
      const waits = [runner.arrival(), ...(deadline ? [this.#refuseLate(runner, deadline, over.signal)] : [])];
      return Promise.race(waits).finally(() => {
        clearInterval(alive);
        over.abort();
      });
    }
    for (const { id, digest } of runner.interrupts()) {
      await this.#send(id, { decision: 'reject', digest, reason: 'nobody could be asked' });
    }
  }

  /** Waits until the next interrupt has waited too long, and refuses what is due. */
  async #refuseLate(
    runner: Runner,
    { seconds, clock }: NonNullable<SessionDoors['deadline']>,
    signal: AbortSignal,
  ): Promise<void> {
    const due = ({ openedAt }: Interrupt) => openedAt + seconds * 1000;
    const first = Math.min(...runner.interrupts().map(due));
    await clock.sleep(Math.max(0, first - clock.now()), signal).catch(() => {});
    if (signal.aborted || this.#closed) return;
    for (const interrupt of runner.interrupts().filter((each) => due(each) <= clock.now())) {
      const { id, digest } = interrupt;
      await this.#send(id, { decision: 'reject', digest, reason: 'nobody answered in time' });
    }
  }

  /** Open interrupts of the session and its children, also while another process runs it. */
  async interrupts(): Promise<Interrupt[]> {
    return this.#runner?.interrupts() ?? readInterrupts(this.#doors.store, this.id);
  }

  /**
   * Answers an interrupt. Throws `E_INTERRUPT_STALE` when it is not open (any more) or was answered, and
   * `E_DECISION_INVALID` when the decision does not fit it or names another digest. Nothing changes then.
   */
  async answer(interruptId: string, decision: Decision): Promise<void> {
    const interrupt = (await this.interrupts()).find((open) => open.id === interruptId);
    if (!interrupt) throw new ReinError('E_INTERRUPT_STALE', { interrupt: interruptId });
    if (!isFitting(interrupt, decision)) {
      const given = (decision as Decision | null | undefined)?.decision ?? '';
      throw new ReinError('E_DECISION_INVALID', { interrupt: interruptId, decision: given });
    }
    await this.#send(interruptId, decision);
    await this.#doors.onDecision(interrupt, decision);
  }

  async #send(interruptId: string, decision: Decision): Promise<void> {
    await this.#doors.store.deliver(this.id, { id: this.#doors.newId(), kind: 'answer', interruptId, decision });
  }

  /** Ends the open run, wherever it runs. */
  async abort(): Promise<void> {
    if (this.#runner) this.#runner.abort();
    else await this.#doors.store.deliver(this.id, { id: this.#doors.newId(), kind: 'abort' });
  }

  /**
   * Makes the history shorter, between two runs: a summary takes the place of all but the newest messages. Returns how
   * many messages it had and has. Throws `E_SESSION_BUSY` while another process runs the session, `E_COMPACTION` when
   * it cannot, `E_PROVIDER_*`.
   */
  async compact(): Promise<{ before: number; after: number }> {
    this.#runner ??= await this.#doors.claim();
    const { state } = this.#runner.runtime;
    const before = state.history.messages.length;
    await this.#runner.compact();
    return { before, after: state.history.messages.length };
  }

  /** The stored events, from the log. */
  events(after = 0): AsyncIterable<StoredEvent> {
    return this.#doors.store.read(this.id, { after });
  }

  /** Gives the session up. A run that works ends as aborted; one that waits for a person stays open and can be resumed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#runner?.close();
    await this.#doors.close();
  }
}
