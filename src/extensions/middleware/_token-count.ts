/** How many tokens the next request takes: the estimate, corrected by what providers report. */

import { headTokens, historyTokens, messageTokens } from '../../engine/history/count-tokens.ts';
import type { SessionView } from '../../protocol/define/middleware.ts';
import type { Message } from '../../protocol/message.ts';

export { headTokens, historyTokens, messageTokens };

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
