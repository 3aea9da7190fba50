/**
 * A codec is one wire: how a request is written and a stream is read. The shared base (`_wire.ts`) does the rest:
 * keeps the bytes of what was encoded once, joins them, sends, reads SSE, classifies errors.
 */
import type { SseEvent } from '../../lib/sse.ts';
import type { ModelEvent, ProviderOptions } from '../../protocol/define/provider.ts';
import type { Message } from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';

/**
 * What a codec encodes once: a message, an item, or, on wires with `run`, a content block. Units of neighbouring
 * messages with the same role join into one run on such wires.
 */
export interface Unit {
  readonly role: string;
  /** One JSON object. */
  readonly json: string;
  /** A cache mark may be put on it (a text, image, call or result block that is not blank). */
  readonly markable?: boolean;
}

/** How units of one role become one message on wires that demand alternation. */
interface RoleRun {
  open(role: string): string;
  readonly close: string;
}

export type { SseEvent };

/** Reads one stream. Pure: knows no network. Errors it throws need no `provider`; the base adds it. */
export interface Decoder {
  /**
   * Takes one server-sent event; pushes what it means into `out`. Throws a ReinError for an error event
   * (`classifyFailure({ body })` of `_errors.ts`). May push the `end` event already at the event that says the answer
   * is whole; nothing is read after an `end`.
   */
  push(event: SseEvent, out: ModelEvent[]): void;
  /** The body ended without an `end`. Pushes it if the stream was whole; else throws `E_PROVIDER_STREAM`. */
  finish(out: ModelEvent[]): void;
}

export interface Codec {
  /** Path and query below the base URL. */
  path(request: ModelRequest, options: ProviderOptions): string;
  /** Headers that carry the key and the version. */
  headers(options: ProviderOptions): Record<string, string>;
  /** `own`: `provider/model` of the request; only parts made by it carry their `wire` data back. */
  encode(message: Message, own: string): readonly Unit[];
  /**
   * Body text before the first unit (model, parameters, tools, system, the opening of the list). Stable per prefix,
   * and the same for all sessions that have it: `request.session` and `request.cache.key` have no place in it.
   * Ends with `[` or with a complete element of the list; the base writes the comma. Where `request.cache?.marks`,
   * the codec itself marks tools and system in here.
   */
  head(request: ModelRequest): string;
  /** Body text after the last unit. */
  tail(request: ModelRequest): string;
  readonly run?: RoleRun;
  /**
   * Text spliced before the closing brace of the last markable unit of the history of this and of the previous request,
   * where `request.cache?.marks`, such as `,"cache_control":{"type":"ephemeral"}`.
   */
  readonly mark?: string;
  decoder(request: ModelRequest): Decoder;
  /** Path of the model list and how to read it. */
  readonly models: { readonly path: string; read(body: unknown): string[] };
}
