/**
 * The last net under the history: whatever the log holds, what goes out is valid for every provider. It changes
 * nothing in a repaired log. Incremental: each message is looked at once, when it arrives.
 */
import { deepFreeze, readOnlyView } from '../../lib/freeze.ts';
import { imageTypeOf } from '../../lib/image-type.ts';
import type {
  AssistantMessage,
  AssistantPart,
  ContentPart,
  Message,
  ToolCallPart,
  ToolMessage,
  ToolResult,
  UserMessage,
} from '../../protocol/message.ts';
import { toolCalls, userText } from '../../protocol/message.ts';

const legalName = /^[A-Za-z0-9_-]{1,64}$/;

/** A name that every provider takes. */
export function toLegalName(name: string): string {
  return legalName.test(name) ? name : name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}

/** The messages of a session in a form that every wire takes. Costs the same for each message that is added. */
export class History {
  /** Append-only; the same array for the life of this history. */
  readonly messages: Message[] = [];
  /** The same list for those who may only read it; its messages are frozen. */
  readonly view: readonly Message[] = readOnlyView(this.messages);
  /** For each message the sequence number under which it entered. */
  readonly seqs: number[] = [];
  /** Calls of the last message that have no result yet. */
  #open: readonly ToolCallPart[] = [];

  push(message: Message, seq = 0): void {
    this.#push(message);
    this.#number(seq);
  }

  #number(seq: number): void {
    while (this.seqs.length < this.messages.length) this.seqs.push(seq);
  }

  #push(message: Message): void {
    if (message.role === 'tool') return this.#pushResults(message);
    this.close();
    const clean = message.role === 'user' ? cleanUser(message) : cleanAssistant(message);
    if (!clean) return;
    // A history that was cut may begin in the middle; every provider wants the user first.
    if (this.messages.length === 0 && clean.role !== 'user')
      this.messages.push(userText('(Earlier messages are left out.)'));
    this.messages.push(deepFreeze(clean));
    if (clean.role === 'assistant') this.#open = toolCalls(clean);
  }

  /** Gives every open call a result, so that a request may be made. */
  close(): void {
    if (this.#open.length === 0) return;
    this.#pushResults({ role: 'tool', results: [] });
    this.#number(this.seqs.at(-1) ?? 0);
  }

  #pushResults(message: ToolMessage): void {
    const given = new Map(message.results.map((result) => [result.callId, result]));
    const results = this.#open.map((call) => cleanResult(given.get(call.id) ?? lostResult(call), call));
    this.#open = [];
    if (results.length === 0) return;
    this.messages.push(deepFreeze(isSame(results, message.results) ? message : { role: 'tool', results }));
  }
}

function lostResult(call: ToolCallPart): ToolResult {
  const text = `The result of ${call.name} is not known: the call was interrupted. Check its effects before you repeat it.`;
  return { callId: call.id, name: call.name, status: 'interrupted', content: [{ type: 'text', text }] };
}

function cleanUser(message: UserMessage): UserMessage | undefined {
  const parts = cleanContent(message.parts);
  if (parts.length === 0) return undefined;
  return isSame(parts, message.parts) ? message : { role: 'user', parts };
}

/** The very same elements. */
function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((element, index) => element === b[index]);
}

function cleanAssistant(message: AssistantMessage): AssistantMessage | undefined {
  const parts = message.parts.flatMap(cleanPart);
  if (!parts.some((part) => part.type !== 'reasoning')) return undefined;
  return isSame(parts, message.parts) ? message : { ...message, parts };
}

function cleanPart(part: AssistantPart): AssistantPart[] {
  if (part.type === 'reasoning') return [part];
  if (part.type === 'text') {
    if (part.text.trim() === '') return [];
    return [part.text.isWellFormed() ? part : { ...part, text: part.text.toWellFormed() }];
  }
  const name = toLegalName(part.name);
  const id = toLegalName(part.id);
  const input = wellFormed(part.input);
  return [name === part.name && id === part.id && input === part.input ? part : { ...part, name, id, input }];
}

/** The same object when all its strings are well-formed Unicode. */
function wellFormed<T>(value: T): T {
  const text = JSON.stringify(value);
  // JSON.stringify writes lone surrogates, and only those, as \ud800 to \udfff.
  if (!/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text)) return value;
  return JSON.parse(text, (_key, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner)) as T;
}

function cleanResult(result: ToolResult, call: ToolCallPart): ToolResult {
  const content = cleanContent(result.content);
  const filled = content.length > 0 ? content : [{ type: 'text', text: '(no output)' } as const];
  return isSame(filled, result.content) && result.name === call.name
    ? result
    : { ...result, name: call.name, content: filled };
}

function cleanContent(parts: readonly ContentPart[]): ContentPart[] {
  return parts.flatMap((part): ContentPart[] => {
    if (part.type === 'image') return [cleanImage(part)];
    if (part.text.trim() === '') return [];
    return [part.text.isWellFormed() ? part : { ...part, text: part.text.toWellFormed() }];
  });
}

function cleanImage(part: ContentPart & { type: 'image' }): ContentPart {
  const found = imageTypeOf(Buffer.from(part.data.slice(0, 64), 'base64'));
  if (found === part.mediaType) return part;
  if (found) return { ...part, mediaType: found };
  return { type: 'text', text: `[left out: not an image, although declared as ${part.mediaType}]` };
}
