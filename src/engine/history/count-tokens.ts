/** How many tokens requests and answers take, by an estimate that looks at each message once. */
import { estimateTokens } from '../../lib/text/estimate-tokens.ts';
import type { AssistantPart, Message } from '../../protocol/message.ts';
import type { ModelRequest } from '../../protocol/request.ts';
import { promptTokens, type Usage } from '../../protocol/usage.ts';

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

/** Estimate for a whole request. */
export function requestTokens(request: Pick<ModelRequest, 'sections' | 'tools' | 'messages'>): number {
  return headTokens(request) + historyTokens(request.messages);
}

/** What a report leaves out, request or answer, put in by estimate; the report as it is when it leaves nothing out. */
export function completeUsage(usage: Usage, request: ModelRequest, parts: readonly AssistantPart[]): Usage {
  const isRead = promptTokens(usage) > 0;
  const isWritten = usage.output > 0 || parts.length === 0;
  if (isRead && isWritten) return usage;
  return {
    ...usage,
    ...(!isRead && { input: requestTokens(request) }),
    ...(!isWritten && { output: messageTokens({ role: 'assistant', parts, model: '' }) }),
  };
}
