/**
 * Events: anything that happened, as data. Stored events are the state of a session (a fold over them);
 * volatile events are shown to whoever listens and forgotten.
 */
import type { ErrorData } from './errors.ts';
import type { Decision, Interrupt } from './interrupt.ts';
import type { Json, JsonObject } from './json.ts';
import type { ContentPart, Message, ResultStatus } from './message.ts';
import type { CheckResult, Evidence, VerificationReason } from './plan.ts';
import type { PromptSection, ToolSchema } from './prompt.ts';
import type { Todo } from './todo.ts';
import type { Usage } from './usage.ts';

export interface Envelope {
  readonly v: 1;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly session: string;
  readonly run: string;
  /** Path of the agent, such as `main` or `main/review-1`. */
  readonly agent: string;
}

export type StopReason = 'completed' | 'max-turns' | 'budget' | 'timeout' | 'aborted' | 'rejected' | 'error';

export interface Verification {
  readonly status: 'verified' | 'unverified' | 'failed';
  readonly reason?: VerificationReason;
  readonly checks: readonly CheckResult[];
  /** Of a result that is verified, or was before a later change. */
  readonly evidence?: Evidence;
}

/** Who said no: a rule or mode of the user's, a person asked, or nobody because nobody could be asked. */
export type Refusal = 'rule' | 'person' | 'nobody';

/** What is stored. `inbox` names the inbox row an event answers, so that it is never taken twice. */
export type StoredBody =
  | {
      readonly type: 'session-start';
      readonly cwd: string;
      /** Name of the agent definition. */
      readonly definition: string;
      readonly parent?: { readonly session: string; readonly callId: string };
      readonly fork?: { readonly session: string; readonly seq: number };
    }
  | { readonly type: 'session-open' }
  | { readonly type: 'prompt'; readonly sections: readonly PromptSection[]; readonly tools: readonly ToolSchema[] }
  | { readonly type: 'run-start'; readonly driver: string; readonly model: string }
  | {
      readonly type: 'message';
      readonly message: Message;
      readonly origin?: string;
      readonly inbox?: string;
      /** The background task whose end this message announces, how it ended, and what it used. */
      readonly task?: string;
      readonly ended?: 'ok' | 'error' | 'cancelled';
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | {
      readonly type: 'tool-call-start';
      readonly callId: string;
      readonly child?: string;
      /** The child goes on after the call has ended. */
      readonly background?: true;
      /** Where it differs from what the model asked for. */
      readonly input?: JsonObject;
    }
  | {
      readonly type: 'tool-call-end';
      readonly callId: string;
      readonly status: ResultStatus;
      readonly content: readonly ContentPart[];
      readonly refusal?: Refusal;
      /** What a child run used, stored once, here. */
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | { readonly type: 'interrupt-open'; readonly interrupt: Interrupt }
  | {
      readonly type: 'interrupt-close';
      readonly interruptId: string;
      readonly decision: Decision | { readonly decision: 'cancelled' };
      /** What "session" or "always" allows from now on. */
      readonly rule?: string;
      readonly inbox?: string;
    }
  | {
      readonly type: 'turn-end';
      readonly model: string;
      readonly usage: Usage;
      readonly cost: number;
      readonly context: { readonly used: number; readonly window?: number };
    }
  | {
      readonly type: 'plan-update';
      readonly node: string;
      readonly edge?: string;
      readonly patch: JsonObject;
      readonly child?: string;
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | { readonly type: 'todo-update'; readonly todos: readonly Todo[] }
  | {
      readonly type: 'compaction';
      readonly kind: 'arguments' | 'summary';
      /** Sequence number of the first event whose message stays whole. */
      readonly keepFrom: number;
      /** Absent from a `summary` when the model gave none: only what that took counts, and the history stays. */
      readonly summary?: string;
      /** With `arguments`: the characters that an argument of an older call may have. */
      readonly maxLength?: number;
      /** What making the summary took. */
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | { readonly type: 'state-update'; readonly name: string; readonly state: Json }
  | {
      readonly type: 'run-end';
      readonly stop: StopReason;
      readonly usage: Usage;
      readonly cost: number;
      readonly verification?: Verification;
      readonly error?: ErrorData;
    };

/** How often a model call is tried again. */
export const maxModelRetries = 3;

export type VolatileBody =
  | { readonly type: 'turn-start'; readonly turn: number }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-input-delta'; readonly callId: string; readonly name: string; readonly text: string }
  | { readonly type: 'tool-call-progress'; readonly callId: string; readonly text: string }
  /** `attempt` of {@link maxModelRetries}. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly error: ErrorData }
  | { readonly type: 'warning'; readonly warning: ErrorData }
  | { readonly type: 'cache-miss'; readonly section: string; readonly tokens?: number };

export type StoredEvent = StoredBody & Envelope & { readonly seq: number };
export type VolatileEvent = VolatileBody & Envelope;
export type ReinEvent = StoredEvent | VolatileEvent;

export type StoredEventOf<T extends StoredBody['type']> = Extract<StoredBody, { type: T }>;

/** Whether an event is in the log; deltas and notices are not. */
export function isStored(event: ReinEvent): event is StoredEvent {
  return 'seq' in event;
}
