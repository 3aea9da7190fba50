/** A server on the loopback that gives one answer to everything, in good or bad order. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Each byte in a write of its own. */
  readonly bytewise?: boolean;
  /** Closes the connection after this share of the body. */
  readonly cutAt?: number;
  /** Falls silent after this share of the body. */
  readonly stallAt?: number;
}

export interface CannedServer {
  readonly url: string;
  /** Headers of the first request, once it is here. */
  readonly asked: Promise<IncomingHttpHeaders>;
  close(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1 that gives every request this answer. */
export async function startCannedServer(answer: CannedAnswer): Promise<CannedServer> {
  const { status, headers, bytewise, cutAt, stallAt } = answer;
  const whole = Buffer.from(answer.body);
  const body = whole.subarray(0, Math.floor(whole.length * (cutAt ?? stallAt ?? 1)));
  const { promise: asked, resolve } = Promise.withResolvers<IncomingHttpHeaders>();
  const server = createServer(async (incoming, response) => {
    resolve(incoming.headers);
    incoming.resume();
    response.writeHead(status, headers);
    const pieces = bytewise ? Array.from(body, (byte) => Uint8Array.of(byte)) : [body];
    for (const piece of pieces) await new Promise((written) => response.write(piece, written));
    if (cutAt !== undefined) response.socket?.end();
    else if (stallAt === undefined) response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
