/** The base of every wire: a codec becomes a provider. Sends, reads, classifies; what is said is the codec's business. */
import manifest from '../../../package.json' with { type: 'json' };
import { createSseReader } from '../../lib/sse.ts';
import type {
  ConnectionTest,
  ModelEvent,
  ModelInfo,
  Provider,
  ProviderOptions,
} from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import type { Codec, Decoder, SseEvent } from './_codec.ts';
import { brokenStream, classifyFailure } from './_errors.ts';
import { type Deadlines, type HttpResponse, send } from './_http.ts';
import { modelInfo } from './_models.ts';
import { RequestBodies } from './_request-body.ts';
import { keepSound } from './_sound-events.ts';

export interface WireSetup {
  readonly name: string;
  readonly codec: Codec;
  /** `baseUrl` must be set. */
  readonly options: ProviderOptions;
  /** The user's own entries about models; see `modelInfo`. */
  readonly models?: readonly ModelInfo[];
}

const connectMs = 30_000;
/** A local model may read a long prompt for minutes before it says a word. */
const firstByteMs = 600_000;
const idleMs = 300_000;
const testMs = 15_000;
const maxErrorBytes = 64 * 1024;
/** Also of what is no part of the answer, such as signs of life. */
const maxAnswerBytes = 256 * 1024 * 1024;
const maxListBytes = 32 * 1024 * 1024;

/** Makes a provider out of a codec. Throws `E_CONFIG_INVALID` for a base URL that is none. */
export function createWireProvider({ name, codec, options, models }: WireSetup): Provider {
  const base = toBaseUrl(name, options.baseUrl);
  const cleaned = { ...options, apiKey: options.apiKey?.trim() || undefined };
  const bodies = new RequestBodies(codec, name);
  const headers = toHeaders(codec, cleaned);
  const secrets = [cleaned.apiKey, ...Object.values(options.headers ?? {})].filter((value) => value !== undefined);
  const idle = options.idleTimeoutMs;
  const deadlines: Deadlines = {
    connect: Math.min(connectMs, idle ?? connectMs),
    firstByte: idle ?? firstByteMs,
    idle: idle ?? idleMs,
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    let status: number | undefined;
    const out: ModelEvent[] = [];
    try {
      const url = new URL(base + codec.path(request, cleaned));
      const response = await send({ url, headers, body: bodies.body(request), signal, deadlines });
      status = response.status;
      if (status !== 200) throw await failureOf(response);
      const answer = createAnswerReader(codec.decoder(request));
      for await (const pieces of response.body()) {
        const isWhole = answer.read(pieces, out);
        for (const event of out) yield event;
        if (answer.failure) throw answer.failure;
        if (isWhole) return;
        out.length = 0;
      }
      answer.end(out);
      for (const event of out) yield event;
    } catch (error) {
      throw asOwn(error, signal, status);
    }
  }

  async function failureOf(response: HttpResponse): Promise<ReinError> {
    const body = await readText(response);
    return classifyFailure({ provider: name, status: response.status, headers: response.headers, body, secrets });
  }

  /** Every error names the provider; an error inside a stream came with the status of the stream. */
  function asOwn(error: unknown, signal: AbortSignal, status: number | undefined): unknown {
    if (signal.aborted) return signal.reason;
    if (!ReinError.is(error)) return new ReinError('E_INTERNAL', { provider: name, detail: describe(error) }, error);
    if (error.params.provider !== undefined) return error;
    return new ReinError(error.code, { provider: name, ...(status === undefined ? {} : { status }), ...error.params });
  }

  async function modelIds(signal: AbortSignal): Promise<string[]> {
    try {
      const { 'content-type': _type, ...get } = headers;
      const accept = { ...get, accept: 'application/json' };
      const response = await send({ url: new URL(base + codec.models.path), headers: accept, signal, deadlines });
      if (response.status !== 200) throw await failureOf(response);
      return readModels(codec, await readText(response, maxListBytes));
    } catch (error) {
      throw asOwn(error, signal, undefined);
    }
  }

  return {
    name,
    stream,
    listModels: async (signal) => (await modelIds(signal)).map((id) => modelInfo(id, models)),
    testConnection: async (signal): Promise<ConnectionTest> => {
      try {
        const count = (await modelIds(AbortSignal.any([signal, AbortSignal.timeout(testMs)]))).length;
        return { ok: true, detail: count > 0 ? `OK (${count} models)` : 'OK' };
      } catch (error) {
        const params = ReinError.is(error) ? error.params : {};
        const detail = typeof params.detail === 'string' ? params.detail : describe(error);
        return {
          ok: false,
          detail: params.status === undefined ? `network: ${detail}` : `HTTP ${params.status}: ${detail}`,
        };
      }
    },
  };
}

/** Reads the body of an answer, without waiting: what bytes mean goes into `out`. */
function createAnswerReader(decoder: Decoder) {
  const reader = createSseReader();
  let events = 0;
  let bytes = 0;
  let ended = false;
  let opening = '';
  let out: ModelEvent[] = [];
  const onEvent = (event: SseEvent) => {
    events += 1;
    if (ended) return;
    decode(() => decoder.push(event, out));
    ended = out.at(-1)?.type === 'end';
  };
  const decode = (step: () => void) => {
    const before = out.length;
    try {
      step();
    } catch (error) {
      // Decoders trust the shape that the wire promises; a server that keeps another one is the server's fault.
      throw error instanceof TypeError ? brokenStream('an event of another shape than this wire has') : error;
    }
    keepSound(out, before);
    joinDelta(out, before);
  };
  return {
    /** What went wrong; what was read before it stands in `out` all the same. */
    failure: undefined as Error | undefined,
    /** True once the answer is whole. */
    read(pieces: readonly Uint8Array[], into: ModelEvent[]): boolean {
      out = into;
      try {
        for (const piece of pieces) {
          bytes += piece.length;
          if (bytes > maxAnswerBytes) throw new ReinError('E_ANSWER_TOO_LARGE');
          if (events === 0 && opening.length < maxErrorBytes) opening += Buffer.from(piece).toString('latin1');
          reader.feed(piece, onEvent);
        }
      } catch (error) {
        this.failure = error instanceof RangeError ? brokenStream(error.message) : (error as Error);
      }
      return ended;
    },
    end(into: ModelEvent[]): void {
      out = into;
      reader.end(onEvent);
      if (events === 0) throw notAStream(opening);
      if (!ended) decode(() => decoder.finish(out));
    },
  };
}

type Delta = Exclude<ModelEvent, { type: 'part' | 'end' }>;

/**
 * Pieces of one text that came in one go are shown in one go: a burst of a thousand words costs its readers one event.
 * Joins the delta at `index` with the one before it.
 */
function joinDelta(events: ModelEvent[], index: number): void {
  const before = events[index - 1];
  const delta = events[index];
  if (events.length !== index + 1 || !isDelta(before) || !isDelta(delta)) return;
  if (before.type !== delta.type || callOf(before) !== callOf(delta)) return;
  events[index - 1] = { ...delta, text: before.text + delta.text };
  events.length = index;
}

function isDelta(event: ModelEvent | undefined): event is Delta {
  return event !== undefined && event.type !== 'part' && event.type !== 'end';
}

function callOf(delta: Delta): string | undefined {
  return delta.type === 'tool-input-delta' ? delta.callId : undefined;
}

/** A 200 whose body is no event stream: often an error in JSON, or the page of a gateway. */
function notAStream(body: string): ReinError {
  const text = Buffer.from(body, 'latin1').toString('utf8').trim();
  if (!text) return brokenStream('the answer was empty');
  const failure = classifyFailure({ body: text });
  return failure.code === 'E_PROVIDER_STREAM'
    ? brokenStream(`the answer is not an event stream: ${failure.params.detail}`)
    : failure;
}

async function readText(response: HttpResponse, maxBytes = maxErrorBytes): Promise<string> {
  const kept: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const pieces of response.body()) {
      kept.push(...pieces);
      length += pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (length > maxBytes) break;
    }
  } catch (error) {
    // The status alone says enough.
    if (response.status === 200) throw error;
  }
  return Buffer.concat(kept).toString('utf8');
}

function readModels(codec: Codec, text: string): string[] {
  try {
    return codec.models.read(JSON.parse(text));
  } catch {
    throw new ReinError('E_PROVIDER_INVALID_REQUEST', {
      detail: 'the model list is not what this wire expects',
      status: 200,
    });
  }
}

function toBaseUrl(name: string, baseUrl = ''): string {
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ReinError('E_CONFIG_INVALID', {
      key: `providers.${name}.baseUrl`,
      detail: 'an http or https URL is needed',
    });
  }
  return baseUrl.replace(/\/+$/, '');
}

function toHeaders(codec: Codec, options: ProviderOptions): Record<string, string> {
  const lower = (headers: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...lower(codec.headers(options)),
    'user-agent': `rein/${manifest.version}`,
    ...lower(options.headers),
    ...(options.userAgent ? { 'user-agent': options.userAgent } : {}),
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
