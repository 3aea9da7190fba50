/** The base of every wire: a codec becomes a provider. Sends, reads, classifies; what is said is the codec's business. */
import manifest from '../../../package.json' with { type: 'json' };
import type {
  ConnectionTest,
  ModelEvent,
  ModelInfo,
  Provider,
  ProviderOptions,
} from '../../protocol/define/provider.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { AnswerReader, maxErrorBytes } from './_answer-reader.ts';
import type { Codec } from './_codec.ts';
import { classifyFailure } from './_errors.ts';
import { type Deadlines, type HttpResponse, send } from './_http.ts';
import { modelInfo } from './_models.ts';
import { RequestBodies } from './_request-body.ts';

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
const maxListBytes = 32 * 1024 * 1024;

/** A provider at one address. */
interface Wire {
  readonly name: string;
  readonly codec: Codec;
  readonly options: ProviderOptions;
  readonly base: string;
  readonly headers: Record<string, string>;
  readonly deadlines: Deadlines;
  readonly bodies: RequestBodies;
  /** Never shown, also not in what a server says back. */
  readonly secrets: readonly string[];
}

/** Makes a provider out of a codec. Throws `E_CONFIG_INVALID` for a base URL that is none. */
export function createWireProvider({ name, codec, options, models }: WireSetup): Provider {
  const cleaned = { ...options, apiKey: options.apiKey?.trim() || undefined };
  const wire: Wire = {
    name,
    codec,
    options: cleaned,
    base: toBaseUrl(name, options.baseUrl),
    headers: toHeaders(codec, cleaned),
    deadlines: toDeadlines(options.idleTimeoutMs),
    bodies: new RequestBodies(codec, name),
    secrets: [cleaned.apiKey, ...Object.values(options.headers ?? {})].filter((value) => value !== undefined),
  };
  return {
    name,
    stream: (request, signal) => stream(wire, request, signal),
    listModels: async (signal) => (await modelIds(wire, signal)).map((id) => modelInfo(id, models)),
    testConnection: (signal) => testConnection(wire, signal),
  };
}

async function* stream(wire: Wire, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  const { base, codec, options, headers, deadlines, bodies } = wire;
  let status: number | undefined;
  const out: ModelEvent[] = [];
  try {
    const url = new URL(base + codec.path(request, options));
    const response = await send({ url, headers, body: bodies.body(request), signal, deadlines });
    status = response.status;
    if (status !== 200) throw await failureOf(wire, response);
    const answer = new AnswerReader(codec.decoder(request));
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
    throw asOwn(wire, error, signal, status);
  }
}

async function modelIds(wire: Wire, signal: AbortSignal): Promise<string[]> {
  const { base, codec, deadlines } = wire;
  try {
    const { 'content-type': _type, ...get } = wire.headers;
    const headers = { ...get, accept: 'application/json' };
    const response = await send({ url: new URL(base + codec.models.path), headers, signal, deadlines });
    if (response.status !== 200) throw await failureOf(wire, response);
    return readModels(codec, await readText(response, maxListBytes));
  } catch (error) {
    throw asOwn(wire, error, signal, undefined);
  }
}

async function testConnection(wire: Wire, signal: AbortSignal): Promise<ConnectionTest> {
  try {
    const count = (await modelIds(wire, AbortSignal.any([signal, AbortSignal.timeout(testMs)]))).length;
    return { ok: true, detail: count > 0 ? `OK (${count} models)` : 'OK' };
  } catch (error) {
    const { status, detail } = ReinError.is(error) ? error.params : {};
    const said = typeof detail === 'string' ? detail : describe(error);
    return { ok: false, detail: status === undefined ? `network: ${said}` : `HTTP ${status}: ${said}` };
  }
}

async function failureOf({ name, secrets }: Wire, response: HttpResponse): Promise<ReinError> {
  const { status, headers } = response;
  return classifyFailure({ provider: name, status, headers, body: await readText(response), secrets });
}

/** Every error names the provider; an error inside a stream came with the status of the stream. */
function asOwn({ name }: Wire, error: unknown, signal: AbortSignal, status: number | undefined): unknown {
  if (signal.aborted) return signal.reason;
  if (!ReinError.is(error)) return new ReinError('E_INTERNAL', { provider: name, detail: describe(error) }, error);
  if (error.params.provider !== undefined) return error;
  return new ReinError(error.code, { provider: name, ...(status === undefined ? {} : { status }), ...error.params });
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

function toDeadlines(idle: number | undefined): Deadlines {
  return {
    connect: Math.min(connectMs, idle ?? connectMs),
    firstByte: idle ?? firstByteMs,
    idle: idle ?? idleMs,
  };
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
