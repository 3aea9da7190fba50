/** How many tokens a request takes: an estimate that looks at each message once, corrected by what providers report. */

import type { SessionView } from '../../protocol/define/middleware.ts';
import type { Message } from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { estimateTokens } from '../../services/prompt/tokens.ts';

/** What an image takes, about, whatever its size. */
const imageTokens = 1500;
/** Roles, ids and brackets. */
const frameTokens = 4;

const byMessage = new WeakMap<Message, number>();
const byHistory = new WeakMap<readonly Message[], { count: number; tokens: number }>();
const byHead = new WeakMap<object, number>();

/** Estimate for one message. */
export function messageTokens(message: Message): number {
  const known = byMessage.get(message);
  if (known !== undefined) return known;
  const tokens = frameTokens + textsOf(message).reduce((sum, text) => sum + estimateTokens(text), 0) + images(message);
  byMessage.set(message, tokens);
  return tokens;
}

function textsOf(message: Message): string[] {
  if (message.role === 'user') return message.parts.map((part) => (part.type === 'text' ? part.text : ''));
  if (message.role === 'tool') {
    return message.results.flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')));
  }
  return message.parts.map((part) => (part.type === 'tool-call' ? part.name + JSON.stringify(part.input) : part.text));
}

function images(message: Message): number {
  if (message.role === 'assistant') return 0;
  const parts = message.role === 'user' ? message.parts : message.results.flatMap(({ content }) => content);
  return parts.filter((part) => part.type === 'image').length * imageTokens;
}

/** Estimate for a history; costs only what came since it was last asked. */
export function historyTokens(messages: readonly Message[]): number {
  const known = byHistory.get(messages) ?? { count: 0, tokens: 0 };
  byHistory.set(messages, known);
  for (; known.count < messages.length; known.count++) known.tokens += messageTokens(messages[known.count]!);
  return known.tokens;
}

/** Estimate for what stands before the history. */
export function headTokens({ sections, tools }: Pick<ModelRequest, 'sections' | 'tools'>): number {
  const known = byHead.get(sections);
  if (known !== undefined) return known;
  const tokens = estimateTokens(sections.map(({ text }) => text).join('')) + estimateTokens(JSON.stringify(tools));
  byHead.set(sections, tokens);
  return tokens;
}

export interface Reading {
  readonly tokens: number;
  /** What providers report for one token of the estimate. */
  readonly ratio: number;
}

/**
 * Size of the next request. What the last answer reported counts, and only newer messages are estimated; a report
 * that is less than half of the estimate left something out and is not believed.
 */
export function readTokens(
  { messages, context }: Pick<SessionView, 'messages' | 'context'>,
  head: number,
  ratio: number,
): Reading {
  const estimate = head + historyTokens(messages);
  if (context.used < estimate / 2) return { tokens: Math.round(estimate * ratio), ratio };
  const newer = tokensSinceAnswer(messages);
  const reported = context.used / Math.max(1, estimate - newer);
  const corrected = Math.min(3, Math.max(0.5, reported));
  return { tokens: Math.round(context.used + newer * corrected), ratio: corrected };
}

function tokensSinceAnswer(messages: readonly Message[]): number {
  let tokens = 0;
  for (let index = messages.length - 1; index >= 0 && messages[index]!.role !== 'assistant'; index--) {
    tokens += messageTokens(messages[index]!);
  }
  return tokens;
}
