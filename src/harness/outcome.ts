/** How a run went, gathered from its events. */
import type { ErrorData } from '../protocol/errors.ts';
import type { Refusal, ReinEvent, StopReason, Verification } from '../protocol/event.ts';
import type { Interrupt } from '../protocol/interrupt.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { assistantText, toolCalls } from '../protocol/message.ts';
import { noUsage, type Usage } from '../protocol/usage.ts';

export interface RefusedCall {
  readonly tool: string;
  readonly callId: string;
  readonly input: JsonObject;
  readonly refusal: Refusal;
}

export interface RunOutcome {
  readonly session: string;
  readonly run: string;
  /** `waiting`: the run is open and waits for a person. */
  readonly stop: StopReason | 'waiting';
  /** The model's last words. */
  readonly text: string;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: number;
  readonly refused: readonly RefusedCall[];
  readonly interrupts: readonly Interrupt[];
  readonly error?: ErrorData;
  readonly verification?: Verification;
  /** The last words as JSON, where a schema asked for them and they fit it. */
  readonly structured?: Json;
}

/** Watches the events of a session and its children, and sums up the run that takes a given prompt. */
export class OutcomeWatch {
  readonly #session: string;
  readonly #prompt: string;
  readonly #calls = new Map<string, { tool: string; input: JsonObject }>();
  readonly #refused: RefusedCall[] = [];
  readonly #done = Promise.withResolvers<void>();
  #run: string;
  #text = '';
  #turns = 0;
  #isGraph = false;
  #end: Omit<RunOutcome, 'session' | 'run' | 'text' | 'turns' | 'refused' | 'interrupts'> | undefined;

  /** `run`: the run is known already, because it is being resumed. */
  constructor(session: string, prompt: string, run = '') {
    this.#session = session;
    this.#prompt = prompt;
    this.#run = run;
  }

  /** Calls that an earlier process left open. */
  know(interrupts: readonly Interrupt[]): void {
    for (const { id, call } of interrupts) {
      if (call) this.#calls.set(id.slice(0, id.indexOf(':')) + call.id, { tool: call.tool, input: call.input });
    }
  }

  /** Resolves when the run that took the prompt has ended. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  see(event: ReinEvent): void {
    if (event.type === 'tool-call-end') this.#seeRefusal(event.session + event.callId, event.refusal, event.callId);
    if (event.type === 'message' && event.message.role === 'assistant') {
      for (const call of toolCalls(event.message)) {
        this.#calls.set(event.session + call.id, { tool: call.name, input: call.input });
      }
    }
    // The turns of a graph's run are those of its agents.
    if (event.type === 'turn-end' && this.#isGraph && event.session !== this.#session) this.#turns++;
    if (event.session !== this.#session) return;
    if (event.type === 'run-start') this.#isGraph = event.driver !== 'react';
    if (event.type === 'message' && event.inbox === this.#prompt) this.#run = event.run;
    if (this.#run === '' || event.run !== this.#run || this.ended) return;
    if (event.type === 'message') {
      if (event.message.role === 'assistant') this.#text = assistantText(event.message);
    } else if (event.type === 'turn-end') this.#turns++;
    else if (event.type === 'run-end') {
      const { stop, usage, cost, error, verification } = event;
      this.#end = { stop, usage, cost, ...(error && { error }), ...(verification && { verification }) };
      this.#done.resolve();
    }
  }

  #seeRefusal(key: string, refusal: Refusal | undefined, callId: string): void {
    const call = this.#calls.get(key);
    if (refusal && call) this.#refused.push({ ...call, callId, refusal });
  }

  outcome(interrupts: readonly Interrupt[]): RunOutcome {
    const end = this.#end ?? { stop: 'waiting' as const, usage: noUsage, cost: 0 };
    return {
      session: this.#session,
      run: this.#run,
      text: this.#text,
      turns: this.#turns,
      refused: this.#refused,
      interrupts: this.#end ? [] : interrupts,
      ...end,
    };
  }
}
