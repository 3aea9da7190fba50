/** What the engine uses of the world. Interfaces only; implementations live below the harness. */

import type { DefinedGraph, FinishedCall } from '../protocol/define/graph.ts';
import type { DefinedMiddleware } from '../protocol/define/middleware.ts';
import type { ModelInfo, Provider } from '../protocol/define/provider.ts';
import type { Delegation, Tool } from '../protocol/define/tool.ts';
import type { ErrorData } from '../protocol/errors.ts';
import type { ReinEvent, StopReason, StoredBody, StoredEvent } from '../protocol/event.ts';
import type { ToolHost } from '../protocol/host.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { Check, CheckResult } from '../protocol/plan.ts';
import type { PromptSection } from '../protocol/prompt.ts';
import type { Effort } from '../protocol/request.ts';
import type { InboxItem } from '../protocol/session.ts';
import type { Usage } from '../protocol/usage.ts';

/** An event before the log gave it its place. */
export type NewEvent = StoredBody & { readonly run: string; readonly agent: string };

/** A child session created in the same append as the call that started it. */
export interface NewChild {
  readonly id: string;
  readonly cwd: string;
  readonly definition: string;
  readonly callId: string;
  /** It begins with its parent's history up to here, and with these events, which close what is open there. */
  readonly closing?: readonly NewEvent[];
}

/** The log of one session, held by its one runner. */
export interface SessionLog {
  readonly session: string;
  /**
   * Stores events atomically and returns them with `seq`, `time` and session filled in. Inbox rows named by the
   * events (`inbox`) and in `taken` are removed in the same transaction.
   * Throws `E_SESSION_FENCED` when another runner took over; then nothing was changed.
   */
  append(
    events: readonly NewEvent[],
    options?: { children?: readonly NewChild[]; taken?: readonly string[] },
  ): Promise<StoredEvent[]>;
  /** Waiting rows in order of arrival; they stay until an append removes them. */
  inbox(): Promise<readonly InboxItem[]>;
  /** True when rows may have arrived since the last `inbox()`; costs nothing. */
  readonly inboxPending: boolean;
  /** Resolves when rows may have arrived. */
  inboxArrival(signal: AbortSignal): Promise<void>;
}

/** Which model to call: a provider with a model of it. */
export interface ModelChoice {
  readonly provider: Provider;
  readonly info: ModelInfo;
  readonly effort?: Effort;
  readonly maxOutput?: number;
}

/** How a child run went. */
export type ChildOutcome =
  | { readonly status: 'waiting' }
  | {
      readonly status: 'ok' | 'error' | 'cancelled';
      readonly text: string;
      readonly usage: Usage;
      readonly cost: number;
      readonly stop: StopReason;
      /** What its log says it called. */
      readonly calls: readonly FinishedCall[];
      readonly error?: ErrorData;
    };

/** What the last words of a run must be. */
export interface AnswerContract {
  /** JSON Schema that wires are given where they can hold a model to it. */
  readonly schema?: JsonObject;
  /** Said to the model with the prompt. */
  readonly instruction?: string;
  /** What is wrong with an answer, for the model; undefined when it is good. */
  check(text: string): string | undefined;
}

/** Puts success criteria to the test. */
interface Checker {
  /** Never throws: what cannot run is a check that failed. After a crash a check runs again. */
  run(check: Check, signal: AbortSignal): Promise<CheckResult>;
  /** Hash over the files of the folder that are not ignored: paths, contents, and whether they may be run. */
  fingerprint(signal: AbortSignal): Promise<string>;
  /** Paths that differ between the two newest fingerprints; empty for any other two. */
  changedFiles(before: string, after: string): readonly string[];
}

/** A child session to begin or to go on with. */
export interface ChildRun {
  readonly id: string;
  readonly agent: string;
  readonly delegation: Delegation;
  readonly budget: Budget;
  /** The tools it may use at most; all that its definition has when absent. */
  readonly tools?: readonly string[];
  readonly answer?: AnswerContract;
}

/** Runs child sessions. Resuming a parent resumes the open child; it is never started anew. */
export interface ChildRunner {
  /** Hands an answer to the child it is for. Idempotent. */
  deliver(child: string, item: InboxItem): Promise<void>;
  run(child: ChildRun, signal: AbortSignal): Promise<ChildOutcome>;
  /** The last words so far of a child that runs. */
  look(child: string): string;
}

/** Limits of one run. Tokens, money and time count the whole tree. */
export interface Limits {
  readonly maxTurns: number;
  readonly maxTokens?: number;
  readonly maxBudgetUsd?: number;
  readonly timeoutSeconds?: number;
}

/** What a model call took, or is expected to take. Cost in US dollars. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}

/** One counter for a tree of sessions. */
export interface Budget {
  tokens: number;
  cost: number;
  /** What the calls that are under way are expected to take; undefined when there are none. */
  underWay(): Spent | undefined;
  /** What was told once, and need not be told again. */
  readonly told: Set<string>;
  /** A model call begins; what is returned ends it and counts what it took. */
  begin(estimate: Spent): (took: Spent) => void;
  /** What a call is to be expected to take: its own estimate, or as much as the dearest so far. */
  expect(estimate: Spent): Spent;
  /** Resolves when the next call ends. */
  nextEnd(): Promise<void>;
  /** Milliseconds of work; waits for people do not count. */
  elapsedMs(): number;
  /** Work begins and ends; nested work counts once. */
  enter(): void;
  leave(): void;
}

export interface Clock {
  /** Milliseconds since the epoch, for people and the log. */
  now(): number;
  /** Milliseconds that never jump, for durations. */
  monotonic(): number;
  /** Waits; throws the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Everything one runner needs to advance one session. */
export interface AgentSetup {
  readonly agent: string;
  readonly definition: string;
  readonly cwd: string;
  /** What drives its next run: `react` or `graph:<name>`. */
  readonly driver: string;
  /** The graph of a name. */
  graphs(name: string): Promise<DefinedGraph | undefined>;
  /** What the caller gives the graph of a run to begin with. */
  readonly graphInput: JsonObject;
  readonly answer?: AnswerContract;
  /** Run when the model has said its last word; a failure goes back to it, at most `maxRetries` times. */
  readonly verify: readonly Check[];
  readonly maxRetries: number;
  readonly checker: Checker;
  readonly models: readonly [ModelChoice, ...ModelChoice[]];
  readonly tools: ReadonlyMap<string, Tool>;
  /** In slot order, outermost first. */
  readonly middleware: readonly DefinedMiddleware[];
  readonly limits: Limits;
  /** Whether somebody can answer an interrupt. */
  readonly interactive: boolean;
  readonly host: ToolHost;
  /**
   * What holds the calls of a tool, as part of what an approval covers: less of it is another digest. Throws
   * `E_SANDBOX_UNAVAILABLE` where nothing may run without it.
   */
  sandboxOf(tool: string): string | Promise<string>;
  /** Resolves when everybody who wants to know that a summary is about to be made has been told. */
  beforeCompaction(trigger: 'auto' | 'manual', about: { session: string; agent: string }): Promise<void>;
  /** Values that the host vouches for, by tool context field. */
  readonly context: Readonly<Record<string, Json>>;
  /** The first sections of the prompt: role and project rules. Rendered once a prefix. */
  sections(): Promise<readonly Omit<PromptSection, 'hash'>[]>;
  /** What the model is told before the first user message, such as date and folder. */
  opening(): Promise<string>;
  /** Cleans the text of a result once, at ingestion. */
  redact(text: string): string;
  /** The last check before what is stored and shown: the same value, or a copy without the secrets that are known. */
  guard<T>(value: T): T;
  readonly children: ChildRunner;
  readonly clock: Clock;
  /** A new unique id. */
  newId(): string;
  random(): number;
  emit(event: ReinEvent): void;
  /** Whether somebody listens to volatile events. */
  listening(): boolean;
}
