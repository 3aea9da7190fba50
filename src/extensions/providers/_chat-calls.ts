/** Puts the pieces of streamed tool calls together: servers differ in which of index, id and name they repeat. */
import { randomUUID } from 'node:crypto';
import type { ModelEvent } from '../../protocol/define/provider.ts';
import type { Json } from '../../protocol/json.ts';
import type { ToolCallPart } from '../../protocol/message.ts';
import { parseToolInput } from './_tool-input.ts';

export interface CallPiece {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  /** Google's servers keep the signature of a call here. */
  readonly extra_content?: Json;
}

interface Open {
  /** As the server gave it; may be empty. */
  readonly givenId: string;
  readonly id: string;
  name: string;
  text: string;
  extra?: Json;
}

/** The calls of one answer of the Chat Completions wire, by index, id or order of arrival. */
export class ChatCalls {
  readonly #calls: Open[] = [];
  /** The newest of each index. */
  readonly #byIndex = new Map<number, Open>();
  readonly #ids = new Set<string>();

  /** Takes a piece; gives the event that shows its text, if it has any. */
  add(piece: CallPiece): ModelEvent | undefined {
    const name = piece.function?.name ?? '';
    const text = asText(piece.function?.arguments);
    const known = this.#find(piece, name, text);
    const call = known ?? this.#open(piece, name);
    call.name ||= name;
    call.text += text;
    if (piece.extra_content) call.extra = piece.extra_content;
    return text ? { type: 'tool-input-delta', callId: call.id, name: call.name, text } : undefined;
  }

  /** All calls, in the order they began. */
  parts(): ToolCallPart[] {
    return this.#calls.map(({ id, name, text, extra }) => ({
      type: 'tool-call',
      id,
      name,
      ...parseToolInput(text),
      ...(extra !== undefined && { wire: { extra } }),
    }));
  }

  /** The call a piece goes on with. */
  #find(piece: CallPiece, name: string, text: string): Open | undefined {
    const index = piece.index ?? undefined;
    const call = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index);
    if (!call || !name) return call;
    if (piece.id) return piece.id === call.givenId ? call : undefined;
    // A second name without an id: a new call if the first one is complete and this one begins anew.
    return text.startsWith('{') && parseToolInput(call.text).invalid === undefined && call.text !== ''
      ? undefined
      : call;
  }

  #open(piece: CallPiece, name: string): Open {
    const givenId = piece.id ?? '';
    const isFree = givenId !== '' && !this.#ids.has(givenId);
    const id = isFree ? givenId : `call_${randomUUID().replaceAll('-', '')}`;
    const call: Open = { givenId, id, name, text: '' };
    this.#calls.push(call);
    this.#ids.add(id);
    if (typeof piece.index === 'number') this.#byIndex.set(piece.index, call);
    return call;
  }
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
