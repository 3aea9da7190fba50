/** A wire: how a provider's HTTP interface is read and spoken by the scripted model server. */

import { createHash } from 'node:crypto';
import { isObject } from '../../lib/is-object.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Answer, ScriptRequest } from '../turn.ts';

export type WireName = 'chat' | 'responses' | 'anthropic' | 'gemini';

/** One content block or item of a request, with the JSON it was read from. */
export type Block = { readonly raw: Json } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'reasoning' }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: Json }
  | { readonly kind: 'result'; readonly id: string; readonly content: readonly Block[] }
  | { readonly kind: 'unknown' }
);

/** A message, or an item on wires without messages. */
export interface Entry {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly blocks: readonly Block[];
}

/** A request as the rules see it, whatever the wire. */
export interface RequestView {
  readonly model: string;
  readonly system: readonly Block[];
  readonly tools: readonly { readonly name: string; readonly schema: Json; readonly raw: Json }[];
  readonly entries: readonly Entry[];
}

export interface RuleInput {
  readonly body: JsonObject;
  /** Path and query. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly view: RequestView;
  /** Top-level fields that are known besides the wire's own. */
  readonly extraFields: readonly string[];
}

/** One thing that a strict provider refuses. */
export interface Rule {
  readonly name: string;
  /** What is wrong, precisely; undefined when the request holds the rule. */
  check(input: RuleInput): string | undefined;
}

export interface Wire {
  readonly name: WireName;
  /** Appended to the server's address to make the base URL that a provider is configured with. */
  readonly basePath: string;
  matches(path: string): boolean;
  read(body: JsonObject, path: string): RequestView;
  readonly rules: readonly Rule[];
  /** The answer as server-sent events, one string each. */
  events(answer: Answer, view: RequestView, body: JsonObject): string[];
  errorBody(status: number, message: string): Json;
}

/** One server-sent event. */
export function sse(data: Json | '[DONE]', event?: string): string {
  const text = data === '[DONE]' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Halves, so that whoever reads must put pieces together. */
export function halves(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  const middle = text.slice(0, half).isWellFormed() ? half : half - 1;
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

/** Proof that a block was made by this model and not altered since. Needs no memory: it is derived from both. */
export function sign(model: string, text: string): string {
  return createHash('sha256').update(`${model}\n${text}`).digest('base64');
}

/** A list, or an empty one for anything else. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; what else is in it is left out. */
export function objectsOf(value: Json | undefined): JsonObject[] {
  return listOf(value).filter((one) => isObject(one));
}

/** A string, or '' for anything else. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** An image given as a `data:` URL. */
export function dataUrlImage(url: Json | undefined, raw: Json): Block {
  const match = /^data:([^;,]+);base64,(.*)$/s.exec(textOf(url));
  return match ? { kind: 'image', mediaType: match[1]!, data: match[2]!, raw } : { kind: 'unknown', raw };
}

/** What a script may look at. */
export function toScriptRequest(view: RequestView): ScriptRequest {
  const blocks = view.entries.flatMap((entry) => entry.blocks);
  return {
    model: view.model,
    system: joinText(view.system),
    tools: view.tools.map((tool) => tool.name),
    userTexts: view.entries
      .filter((entry) => entry.role === 'user')
      .map((entry) => joinText(entry.blocks))
      .filter((text) => text !== ''),
    calls: blocks.flatMap((block) =>
      block.kind === 'call' ? [{ id: block.id, name: block.name, arguments: argumentsText(block.input) }] : [],
    ),
    results: blocks.flatMap((block) =>
      block.kind === 'result' ? [{ id: block.id, text: joinText(block.content) }] : [],
    ),
  };
}

/** The text of blocks, one after the other. */
export function joinText(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');
}

function argumentsText(input: Json): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
