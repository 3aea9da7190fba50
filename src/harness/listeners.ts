/** Who hears the events of a session. What goes wrong in one of them is nobody else's business. */
import { ReinError } from '../protocol/errors.ts';
import type { ReinEvent } from '../protocol/event.ts';

const code = 'E_LISTENER';

/** A promise it returns is not waited for. */
export type Listener = (event: ReinEvent) => void;

/** Who hears the events of a session. What goes wrong in one disturbs no other. */
export class Listeners {
  readonly #all: Set<Listener>;
  /** Those whose fault was told. */
  readonly #told = new WeakSet<Listener>();

  constructor(listeners: readonly Listener[] = []) {
    this.#all = new Set(listeners);
  }

  get size(): number {
    return this.#all.size;
  }

  /** Returns a function that takes it out again. */
  add(listener: Listener): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  /** Tells all of them. A listener that fails goes on hearing; its first fault is a `warning` to the others. */
  tell(event: ReinEvent): void {
    const failed: (() => void)[] = [];
    for (const listener of this.#all) {
      // Whose fault is being told does not hear of one, or two could go on for ever.
      if (event.type === 'warning' && event.warning.code === code && this.#told.has(listener)) continue;
      const fail = (error: unknown) => this.#tellFault(listener, event, error);
      try {
        const result: unknown = listener(event);
        if (result instanceof Promise) result.catch(fail);
      } catch (error) {
        failed.push(() => fail(error));
      }
    }
    for (const tell of failed) tell();
  }

  #tellFault(failed: Listener, { v, time, session, run, agent }: ReinEvent, error: unknown): void {
    if (this.#told.has(failed)) return;
    this.#told.add(failed);
    const detail = error instanceof Error ? error.message : String(error);
    const warning = new ReinError(code, { detail }, error).toData();
    this.tell({ v, time, session, run, agent, type: 'warning', warning });
  }
}
