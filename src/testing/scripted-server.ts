/**
 * A model server on the loopback that answers from a script and refuses what a strict provider refuses. It speaks
 * four wires at once, and the same script works on all of them.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject } from '../lib/is-object.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import {
  completeAnswer,
  createCallIds,
  createPlayer,
  isRawTurn,
  isStatusTurn,
  type Script,
  type ScriptRequest,
} from './turn.ts';
import { anthropic } from './wires/anthropic.ts';
import { chatCompletions } from './wires/chat-completions.ts';
import { firstProblem } from './wires/common-rules.ts';
import { gemini } from './wires/gemini.ts';
import { type PrefixComparison, prefixKept } from './wires/prefix.ts';
import { responses } from './wires/responses.ts';
import { playEvents, playRaw, sendJson } from './wires/send.ts';
import { joinText, type RequestView, toScriptRequest, type Wire, type WireName } from './wires/wire.ts';

/** A request as it arrived. */
export interface RecordedRequest extends ScriptRequest {
  readonly wire: WireName;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** Size of the body in bytes. */
  readonly size: number;
  readonly view: RequestView;
  /** The broken rule, when it was answered with 400. */
  readonly refused?: { readonly rule: string; readonly message: string };
}

export interface PrefixReport {
  readonly conversation: string;
  readonly requests: number;
  /** What each request but the first kept of the one before it. */
  readonly steps: readonly PrefixComparison[];
}

export type ModelServerOptions = Script & {
  /** Model ids that the list endpoints name. */
  readonly models?: readonly string[];
  /** Top-level request fields to let pass besides the wire's own, as some gateways do. */
  readonly extraFields?: readonly string[];
  /** Which conversation a request belongs to. Default: what the user said before the first answer. */
  readonly conversation?: (request: RecordedRequest) => string;
};

export interface ModelServer {
  /** The base URL to configure a provider of this wire with. */
  url(wire: WireName): string;
  readonly baseUrls: Readonly<Record<WireName, string>>;
  /** All requests for an answer, in order of arrival, refused ones too. */
  readonly requests: readonly RecordedRequest[];
  /** What was refused, and scripts that failed. */
  readonly problems: readonly { readonly rule: string; readonly message: string }[];
  prefixReport(): PrefixReport[];
  /** Throws when a request was refused or turns of the list were not asked for. */
  assertComplete(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const wires: readonly Wire[] = [chatCompletions, responses, anthropic, gemini];

/** Starts a server on a free port of 127.0.0.1. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const record: Recording = { requests: [], problems: [] };
  const player = createPlayer(options);
  const answer = createAnswerer(options, player, record);
  const server = createServer((incoming, response) => {
    const path = (incoming.url ?? '').split('?')[0]!;
    if (incoming.method === 'GET' && path.endsWith('/models')) {
      return sendJson(response, 200, modelList(path, options.models ?? ['scripted'], incoming.headers));
    }
    const wire = incoming.method === 'POST' ? wires.find((candidate) => candidate.matches(path)) : undefined;
    if (!wire) return sendJson(response, 404, { error: { message: `No such endpoint: ${incoming.method} ${path}` } });
    answer(wire, incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      record.problems.push({ rule: 'script', message });
      if (response.headersSent) response.destroy();
      // A 4xx, so that nobody tries again.
      else sendJson(response, 400, wire.errorBody(400, `script: ${message}`));
    });
  });
  const address = await listen(server);
  const urls = wires.map((wire) => [wire.name, address + wire.basePath]);
  const baseUrls = Object.fromEntries(urls) as Record<WireName, string>;
  const close = () => stop(server);

  return {
    url: (wire) => baseUrls[wire],
    baseUrls,
    ...record,
    prefixReport: () => reportPrefixes(record.requests, options.conversation ?? openingOf),
    assertComplete() {
      const [first] = record.problems;
      if (first) throw new Error(`The model server refused a request: ${first.rule}: ${first.message}`);
      if (player.left() > 0) throw new Error(`${player.left()} turns of the script were not asked for.`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Recording {
  readonly requests: RecordedRequest[];
  readonly problems: { rule: string; message: string }[];
}

/** Reads and records a request, and answers it: with what is wrong, else with the next turn of the script. */
function createAnswerer(
  { extraFields = [] }: ModelServerOptions,
  player: ReturnType<typeof createPlayer>,
  { requests, problems }: Recording,
): (wire: Wire, incoming: IncomingMessage, response: ServerResponse) => Promise<void> {
  const callIds = createCallIds();
  return async (wire, incoming, response) => {
    const bytes = await readBody(incoming);
    const path = incoming.url ?? '';
    const body = parseObject(bytes);
    const view = wire.read(body ?? {}, path);
    const refused = body
      ? firstProblem(wire.rules, { body, path, bytes, view, extraFields })
      : { rule: 'json', message: 'The body is not a JSON object.' };
    const headers = incoming.headers as Record<string, string>;
    const about = { wire: wire.name, path, headers, body: body ?? {}, size: bytes.length, view, refused };
    const request: RecordedRequest = { ...toScriptRequest(view), ...about };
    requests.push(request);
    if (refused) {
      problems.push(refused);
      return sendJson(response, 400, wire.errorBody(400, `${refused.rule}: ${refused.message}`));
    }
    callIds.seen(request.calls.map((call) => call.id));
    const turn = await player.next(request);
    if (isStatusTurn(turn)) {
      return sendJson(response, turn.status, turn.body ?? wire.errorBody(turn.status, 'Scripted error.'), turn.headers);
    }
    if (isRawTurn(turn)) return playRaw(response, turn);
    const full = completeAnswer(turn, bytes.length, callIds.next);
    return playEvents(response, wire.events(full, view, request.body), turn);
  };
}

function openingOf({ view }: RecordedRequest): string {
  const answer = view.entries.findIndex((entry) => entry.role === 'assistant');
  const opening = answer < 0 ? view.entries : view.entries.slice(0, answer);
  return opening.map((entry) => joinText(entry.blocks)).join('\n');
}

function reportPrefixes(
  requests: readonly RecordedRequest[],
  keyOf: (request: RecordedRequest) => string,
): PrefixReport[] {
  const groups = Map.groupBy(
    requests.filter((request) => !request.refused),
    keyOf,
  );
  return [...groups].map(([conversation, members]) => ({
    conversation,
    requests: members.length,
    steps: members.slice(1).map((request, index) => prefixKept(members[index]!.view, request.view)),
  }));
}

function modelList(path: string, ids: readonly string[], headers: IncomingMessage['headers']): JsonObject {
  if (path.includes('/v1beta')) {
    const supportedGenerationMethods = ['generateContent', 'streamGenerateContent'];
    return { models: ids.map((id) => ({ name: `models/${id}`, displayName: id, supportedGenerationMethods })) };
  }
  if (headers['anthropic-version'] !== undefined) {
    const data = ids.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' }));
    return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
  }
  return { object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 0, owned_by: 'scripted' })) };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseObject(bytes: Buffer): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function listen(server: Server): Promise<string> {
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
