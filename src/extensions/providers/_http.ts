/** HTTP for model servers: keep-alive, deadlines of our own, bytes in and bytes out. No redirects, no retries. */
import type http from 'node:http';
import { ReinError } from '../../protocol/errors.ts';
import { brokenStream } from './_errors.ts';
import { redactSecrets } from './_redact.ts';

export interface HttpRequest {
  readonly url: URL;
  /** POST with these pieces as its body; GET without. */
  readonly body?: readonly Uint8Array[];
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly deadlines: Deadlines;
}

/** Milliseconds. */
export interface Deadlines {
  /** Until the connection stands. */
  readonly connect: number;
  /** Until the answer begins. */
  readonly firstByte: number;
  /** Between two pieces of the answer. */
  readonly idle: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Pieces as they come, several at once when several are there. Throws when the body is cut, silent or aborted. */
  body(): AsyncGenerator<readonly Uint8Array[], void>;
}

/** How long an answer that has said all it had to say may keep its connection before it is closed. */
const lingerMs = 1000;
/** Not imported: an import would read every export of the module, one of which loads a whole second HTTP client. */
const { Agent, request: openPlain } = process.getBuiltinModule('node:http');
const agents = new Map<string, http.Agent>();

/**
 * Sends a request; resolves when the answer's head is there, whatever its status.
 * Throws `E_PROVIDER_NETWORK` when the server cannot be reached, and the signal's own reason when it aborts.
 */
export async function send(request: HttpRequest): Promise<HttpResponse> {
  const { signal } = request;
  signal.throwIfAborted();
  try {
    const { agent, open } = transport(request.url);
    for (;;) {
      try {
        return await attempt(request, agent, open);
      } catch (error) {
        // The server closed an idle connection just as it was used again: nothing was read, the next one is due.
        if (!(error instanceof StaleConnection)) throw error;
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw ReinError.is(error) ? error : asNetworkError(error as NodeJS.ErrnoException);
  }
}

class StaleConnection extends Error {}

type Open = typeof http.request;

function transport(url: URL): { agent: http.Agent; open: Open } {
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const key = `${url.protocol}${isLocal}`;
  // TLS takes milliseconds to load, which a local server need not pay.
  const secure = url.protocol === 'https:' ? process.getBuiltinModule('node:https') : undefined;
  let agent = agents.get(key);
  if (!agent) {
    // A model on this machine is never behind the proxy.
    const proxy = isLocal ? {} : { proxyEnv: process.env };
    agent = new (secure?.Agent ?? Agent)({ keepAlive: true, maxSockets: 256, ...proxy });
    agents.set(key, agent);
  }
  return { agent, open: secure?.request ?? openPlain };
}

function attempt(request: HttpRequest, agent: http.Agent, open: Open): Promise<HttpResponse> {
  const { url, body, headers, signal, deadlines } = request;
  return new Promise((resolve, reject) => {
    const length = body?.reduce((sum, piece) => sum + piece.length, 0);
    const outgoing = open(url, {
      agent,
      method: body ? 'POST' : 'GET',
      headers: length === undefined ? headers : { ...headers, 'content-length': length },
    });
    // An error given to the request after its answer began would be lost: then it is the answer that must fail.
    let current: { destroy(error: Error): unknown } = outgoing;
    const timer = createDeadline((error) => current.destroy(error));
    timer.next(() => networkError(`no connection within ${deadlines.connect} ms`), deadlines.connect);
    const onAbort = () => outgoing.destroy(new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    const connected = () =>
      timer.next(() => networkError(`no answer within ${deadlines.firstByte} ms`), deadlines.firstByte);
    outgoing.once('socket', (socket) => {
      if (outgoing.reusedSocket || !socket.connecting) connected();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    const settle = () => {
      timer.stop();
      signal.removeEventListener('abort', onAbort);
    };
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      settle();
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') reject(new StaleConnection());
      else reject(error);
    });
    outgoing.once('response', (incoming) => {
      current = incoming;
      timer.next(() => brokenStream(`silent for ${deadlines.idle} ms`), deadlines.idle);
      outgoing.on('error', () => {});
      resolve({
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        body: createBody(incoming, timer, signal, settle),
      });
    });
    outgoing.cork();
    for (const piece of body ?? []) outgoing.write(piece);
    outgoing.end();
    outgoing.uncork();
  });
}

interface Deadline {
  /** From now on `error` is due after `ms`. */
  next(error: () => ReinError, ms: number): void;
  touch(): void;
  stop(): void;
}

/** One timer for all deadlines of a request: it looks what is due by then, and mostly nothing is. */
function createDeadline(expire: (error: ReinError) => void): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let firesAt = Number.POSITIVE_INFINITY;
  let current: { readonly error: () => ReinError; readonly after: number } | undefined;
  let dueAt = 0;
  const arm = (ms: number) => {
    clearTimeout(timer);
    firesAt = performance.now() + ms;
    timer = setTimeout(look, ms);
  };
  const look = () => {
    const left = dueAt - performance.now();
    if (left > 0) arm(left);
    else if (current) expire(current.error());
  };
  return {
    next(error, after) {
      current = { error, after };
      dueAt = performance.now() + after;
      if (dueAt < firesAt) arm(after);
    },
    touch() {
      if (current) dueAt = performance.now() + current.after;
    },
    stop: () => clearTimeout(timer),
  };
}

/** Collects pieces between two looks of the reader, so that a burst of tiny pieces costs one turn of the loop. */
function createBody(
  incoming: http.IncomingMessage,
  timer: Deadline,
  signal: AbortSignal,
  settle: () => void,
): HttpResponse['body'] {
  let pieces: Uint8Array[] = [];
  let ended = false;
  let failure: unknown;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  incoming.on('data', (piece: Uint8Array) => {
    timer.touch();
    pieces.push(piece);
    notify();
  });
  incoming.once('end', () => {
    ended = true;
    settle();
    notify();
  });
  incoming.once('error', (error) => {
    failure = signal.aborted ? signal.reason : ReinError.is(error) ? error : brokenStream('the connection closed');
    settle();
    notify();
  });
  incoming.once('close', () => {
    if (!ended) failure ??= signal.aborted ? signal.reason : brokenStream('the connection closed');
    settle();
    notify();
  });
  return async function* body() {
    try {
      for (;;) {
        signal.throwIfAborted();
        if (pieces.length > 0) {
          const taken = pieces;
          pieces = [];
          yield taken;
        } else if (failure !== undefined) throw failure;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      settle();
      if (!ended && failure === undefined) letGo(incoming);
    }
  };
}

/** The reader has what it wants. The rest is usually a few bytes, and the connection can serve again. */
function letGo(incoming: http.IncomingMessage): void {
  const timer = setTimeout(() => incoming.destroy(), lingerMs).unref();
  incoming.once('close', () => clearTimeout(timer));
  incoming.removeAllListeners('data');
  incoming.resume();
}

function networkError(detail: string, final?: true): ReinError {
  return new ReinError('E_PROVIDER_NETWORK', final ? { detail, final } : { detail });
}

function asNetworkError(error: NodeJS.ErrnoException & { address?: string; port?: number }): ReinError {
  if (error.code === 'ERR_INVALID_CHAR') return new ReinError('E_PROVIDER_INVALID_REQUEST', { detail: error.message });
  const inner = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  const text = inner.message.includes(error.code ?? '') ? inner.message : `${error.code ?? ''} ${inner.message}`;
  // A certificate does not become valid by trying again.
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(error.code ?? '');
  return networkError(redactSecrets(text.trim()).slice(0, 500), isCertificate ? true : undefined);
}
