/** How the scripted model server writes: whole, in pieces, cut off or silent. */
import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Json } from '../../protocol/json.ts';
import type { AnswerTurn, RawTurn } from '../turn.ts';

/** A whole JSON answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Server-sent events, in one write, or as far as the turn says. */
export async function playEvents(response: ServerResponse, events: readonly string[], turn: AnswerTurn): Promise<void> {
  openStream(response);
  const last = turn.cut?.after ?? turn.stall?.after ?? events.length;
  const text = events.slice(0, last).join('');
  if (turn.stall) {
    response.write(text);
    return;
  }
  if (!turn.cut || turn.cut.how === 'end') {
    response.end(text);
    return;
  }
  await write(response, text);
  if (turn.cut.how === 'rst') response.socket?.resetAndDestroy();
  else response.socket?.destroy();
}

/** Bytes as they stand, each piece in a write of its own. */
export async function playRaw(response: ServerResponse, turn: RawTurn): Promise<void> {
  openStream(response);
  for (const piece of turn.raw) {
    if (response.destroyed) return;
    await write(response, piece);
    await (turn.pauseMs === undefined ? setImmediate() : setTimeout(turn.pauseMs));
  }
  response.end();
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  // Without this the system joins small writes.
  response.socket?.setNoDelay(true);
  response.flushHeaders();
}

function write(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => resolve());
  });
}
