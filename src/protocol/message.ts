/** What the model sees. Messages are immutable: one is made once, encoded once, and never edited. */
import type { Json, JsonObject } from './json.ts';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  /** What only the codec that made this part reads, such as a signature; see {@link AssistantMessage.model}. */
  readonly wire?: Json;
}

export interface ImagePart {
  readonly type: 'image';
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  readonly mediaType: string;
  /** Base64, without a `data:` prefix. */
  readonly data: string;
}

export interface ReasoningPart {
  readonly type: 'reasoning';
  /** What may be shown to a person; empty for redacted reasoning. */
  readonly text: string;
  readonly wire?: Json;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** Always an object; `{}` where the model's text was no JSON object, with that text in `invalid`. */
  readonly input: JsonObject;
  readonly invalid?: string;
  readonly wire?: Json;
}

export type ContentPart = TextPart | ImagePart;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export interface UserMessage {
  readonly role: 'user';
  readonly parts: readonly ContentPart[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly parts: readonly AssistantPart[];
  /** `provider/model` that made it: `wire` data goes back there and nowhere else. */
  readonly model: string;
  /** Cut off by an abort; its calls were dropped. */
  readonly incomplete?: true;
}

export type ResultStatus = 'ok' | 'error' | 'denied' | 'interrupted' | 'cancelled';

export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly status: ResultStatus;
  readonly content: readonly ContentPart[];
}

/** The results of one turn's calls, in call order. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly results: readonly ToolResult[];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** A user message of one text part. */
export function userText(text: string): UserMessage {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

/** All text of content parts, joined; images are named in brackets. */
export function contentText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[image ${part.mediaType}]`)).join('');
}

/** The text a person reads of an assistant message. */
export function assistantText(message: AssistantMessage): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The tool calls of an assistant message, in order. */
export function toolCalls(message: AssistantMessage): ToolCallPart[] {
  return message.parts.filter((part) => part.type === 'tool-call');
}
