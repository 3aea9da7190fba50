/** A model provider: one port for every wire. */

import type { AssistantPart } from '../message.ts';
import type { Effort, ModelRequest } from '../request.ts';
import type { Prices, Usage } from '../usage.ts';
import { checkFields, hasBrand } from './definition.ts';

export type ModelStop = 'end' | 'tool-calls' | 'length' | 'content-filter';

/**
 * What a stream yields. Deltas are for showing; `part` carries each finished part, in order; exactly one `end` closes
 * a good stream. A stream that fails throws a ReinError (`E_PROVIDER_*`), also after some events; a stream that ends
 * without `end` was cut and counts as `E_PROVIDER_STREAM`.
 */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-input-delta'; readonly callId: string; readonly name: string; readonly text: string }
  | { readonly type: 'part'; readonly part: AssistantPart }
  | { readonly type: 'end'; readonly stop: ModelStop; readonly usage: Usage };

export interface ModelInfo {
  readonly id: string;
  /** Context window in tokens. */
  readonly window?: number;
  readonly maxOutput?: number;
  readonly prices?: Prices;
  readonly effort?: Effort;
}

export interface ConnectionTest {
  readonly ok: boolean;
  /** Such as `OK` or `HTTP 403: ...`. */
  readonly detail: string;
}

export interface Provider {
  readonly name: string;
  /** Throws on failure, ends at once when the signal aborts (with the signal's reason). */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** What the server offers. */
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Never throws. */
  testConnection(signal: AbortSignal): Promise<ConnectionTest>;
}

export interface ProviderOptions {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Replaces the User-Agent header wholly. */
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The language of the person, such as `zh-TW`, for what the provider itself says. */
  readonly language?: string;
  /** Milliseconds without a byte after which a stream counts as dead. */
  readonly idleTimeoutMs?: number;
}

export interface ProviderDefinition {
  readonly name: string;
  /** Prefix of its environment variables, such as `OPENAI` for `OPENAI_API_KEY`; none for a provider without a key. */
  readonly envPrefix?: string;
  readonly defaultModel: string;
  readonly defaultBaseUrl?: string;
  /** Works without a key. */
  readonly keyless?: boolean;
  /** May load the wire it speaks; nothing else of it is loaded before. */
  create(options: ProviderOptions): Provider | Promise<Provider>;
}

const brand = Symbol.for('rein.provider');

export type DefinedProvider = ProviderDefinition & { readonly [brand]: true };

/** Defines a provider; see {@link Provider} for what `create` must return. Throws a TypeError for a field that cannot be used. */
export function defineProvider(definition: ProviderDefinition): DefinedProvider {
  checkFields('provider', definition, {
    name: 'word',
    envPrefix: 'string?',
    defaultModel: 'string',
    create: 'function',
  });
  return Object.assign({ ...definition }, { [brand]: true as const });
}

/** Whether a value came out of {@link defineProvider}, of whatever copy of the package. */
export function isProvider(value: unknown): value is DefinedProvider {
  return hasBrand(value, brand);
}
