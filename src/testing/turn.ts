/** Scripts: what a scripted model answers, the same for every wire and for the provider in this process. */

import type { ModelStop } from '../protocol/define/provider.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly input?: JsonObject;
  /** Sent as it stands instead of `input`, also when it is no JSON. */
  readonly rawArguments?: string;
  /** Default: `call_<n>`, unique in a conversation. */
  readonly id?: string;
}

/** An answer of the model. Empty parts are left out. */
export interface AnswerTurn {
  /** A list is sent as one delta for each piece. */
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: a quarter of the request's characters as `input`, 10 as `output`. */
  readonly usage?: Partial<Usage>;
  /** Default: `tool-calls` when there are calls, else `end`. */
  readonly stop?: ModelStop;
  /**
   * Breaks off after so many server-sent events: `end` ends the body in good order, `fin` closes the connection in the
   * middle of the body, `rst` resets it.
   */
  readonly cut?: { readonly after: number; readonly how: 'end' | 'fin' | 'rst' };
  /** Falls silent after so many server-sent events, until the client goes away. */
  readonly stall?: { readonly after: number };
}

/** An answer that is no stream: an error, as a rule. */
export interface StatusTurn {
  readonly status: number;
  /** Default: an error body in the form of the wire. */
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes of an event stream as they stand, each piece in a write of its own. */
export interface RawTurn {
  readonly raw: readonly (string | Uint8Array)[];
  /** Milliseconds between two writes. */
  readonly pauseMs?: number;
}

export type Turn = AnswerTurn | StatusTurn | RawTurn;

/** What a script may look at: the request, whatever the wire. */
export interface ScriptRequest {
  readonly model: string;
  readonly system: string;
  /** Names of the declared tools, in order. */
  readonly tools: readonly string[];
  /** Text of each user message, in order. */
  readonly userTexts: readonly string[];
  /** All calls of the history, in order. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** All results of the history, in order. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

/**
 * Either a list, played in the order in which requests arrive, or a function of the request, which lets child runs and
 * resumed runs be answered by what they ask.
 */
export type Script =
  | { readonly script: readonly Turn[] }
  | { readonly respond: (request: ScriptRequest) => Turn | Promise<Turn> };

/** An answer with everything filled in. */
export interface Answer {
  readonly text: readonly string[];
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: Usage;
  readonly stop: ModelStop;
}

/** A turn that is an HTTP error. */
export function isStatusTurn(turn: Turn): turn is StatusTurn {
  return 'status' in turn;
}

/** A turn that is bytes of one wire. */
export function isRawTurn(turn: Turn): turn is RawTurn {
  return 'raw' in turn;
}

/** The next turn of a script; throws when a list is played out. */
export function createPlayer(script: Script): { next(request: ScriptRequest): Promise<Turn>; left(): number } {
  let played = 0;
  return {
    async next(request) {
      if ('respond' in script) return script.respond(request);
      const turn = script.script[played];
      if (turn === undefined) throw new Error(`The script has ${played} turns; another request arrived.`);
      played += 1;
      return turn;
    },
    left: () => ('respond' in script ? 0 : script.script.length - played),
  };
}

/** Fills in what the script left open. `characters`: size of the request; `newId`: gives the next call id. */
export function completeAnswer(turn: AnswerTurn, characters: number, newId: () => string): Answer {
  const { text = [], reasoning = '', calls = [], usage, stop } = turn;
  return {
    text: (typeof text === 'string' ? [text] : text).filter((piece) => piece !== ''),
    reasoning,
    calls: calls.map((call) => ({
      id: call.id ?? newId(),
      name: call.name,
      arguments: call.rawArguments ?? JSON.stringify(call.input ?? {}),
    })),
    usage: { input: Math.ceil(characters / 4), cacheRead: 0, cacheWrite: 0, output: 10, ...usage },
    stop: stop ?? (calls.length > 0 ? 'tool-calls' : 'end'),
  };
}

/**
 * Gives ids `call_<n>` that occur in none of the conversations seen, so that a server started anew goes on where an
 * earlier one stopped.
 */
export function createCallIds(): { seen(ids: Iterable<string>): void; next(): string } {
  let last = 0;
  return {
    seen(ids) {
      for (const id of ids) last = Math.max(last, Number(/^call_(\d+)$/.exec(id)?.[1] ?? 0));
    },
    next: () => `call_${++last}`,
  };
}
