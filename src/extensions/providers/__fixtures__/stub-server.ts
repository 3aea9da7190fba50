/** A bare HTTP server on the loopback whose answers are written by hand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface StubServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `answer` gets the number of the request, from 0. */
export async function startStub(
  answer: (response: ServerResponse, index: number, request: StubRequest) => void | Promise<void>,
): Promise<StubServer> {
  const requests: StubRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = '', url = '', headers } = incoming;
    const request = { method, path: url, headers, body: Buffer.concat(pieces).toString() };
    requests.push(request);
    await answer(response, requests.length - 1, request);
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A Chat Completions stream that says `text`. */
export function chatStream(text: string): string {
  const chunk = (delta: object, finish: string | null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const chunks = [chunk({ content: text }, null), chunk({}, 'stop')];
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`;
}
