/** One HTTP request to a checked address, and the part of its answer that is read. */
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

export interface WebRequest {
  readonly url: URL;
  /** The address to connect to. */
  readonly address: string;
  /** Bytes that are read at most, after decompression. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Where an address really is, for tests. */
  readonly dial?: Dial;
}

export type Dial = (address: string, port: number) => { readonly host: string; readonly port: number };

export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** There is more than was read. */
  readonly cut: boolean;
}

/** Sent with each request: no cookie, no authorization, nothing of an earlier request. */
const headers = {
  accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'user-agent': 'Mozilla/5.0 (compatible; Rein)',
};

/** Throws what the network says, and the signal's reason when it aborts. The body of a redirect is not read. */
export async function requestPage({ url, address, maxBytes, signal, dial }: WebRequest): Promise<WebAnswer> {
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const place = dial?.(address, port) ?? { host: address, port };
  const answer = await new Promise<Readable & { statusCode?: number; headers: WebAnswer['headers'] }>((done, fail) => {
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    // Loaded at the first page, because every start would pay for it.
    const { request: open } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
    const request = open({
      ...place,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { ...headers, host: url.host },
      ...(isSecure && isIP(hostname) === 0 && { servername: hostname }),
      agent: false,
      signal,
    });
    request.on('response', done).on('error', fail).end();
  }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  const status = answer.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    answer.destroy();
    return { status, headers: answer.headers, body: Buffer.alloc(0), cut: false };
  }
  return { status, headers: answer.headers, ...(await readBody(answer, answer.headers, { maxBytes, signal })) };
}

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Only what is asked for is unpacked: a small answer that unpacks to a huge one costs no more than the limit. */
async function readBody(
  answer: Readable,
  { 'content-encoding': encoding }: WebAnswer['headers'],
  { maxBytes, signal }: Pick<WebRequest, 'maxBytes' | 'signal'>,
): Promise<Pick<WebAnswer, 'body' | 'cut'>> {
  const names = String(encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const unknown = names.find((name) => !Object.hasOwn(decoders, name));
  if (unknown !== undefined || names.length > 2) throw new Error(`the answer is packed in an unknown way: ${encoding}`);
  let stream = answer;
  for (const name of names.reverse()) {
    const decoder = decoders[name]!();
    stream.on('error', (error) => decoder.destroy(error));
    stream = stream.pipe(decoder);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    answer.destroy();
    stream.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
}
