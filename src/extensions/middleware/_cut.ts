/** Where a history may be cut, and what a cut saves. */

import type { SessionView } from '../../protocol/define/middleware.ts';
import type { Message } from '../../protocol/message.ts';
import { messageTokens } from './_token-count.ts';

export interface Cut {
  /** The first message that stays whole: never a result without its call, never the newest message. */
  readonly index: number;
  /** Estimated tokens of what is left out. */
  readonly saved: number;
}

/** The cut that keeps about `keepTokens` of the newest messages, and everything from `atMost` on. */
export function cutFor(
  session: Pick<SessionView, 'messages' | 'messageSeqs'>,
  keepTokens: number,
  atMost: number = session.messages.length - 1,
): Cut {
  const { messages } = session;
  let index = messages.length;
  let kept = 0;
  while (index > 0) {
    kept += messageTokens(messages[index - 1]!);
    if (kept > keepTokens && index <= atMost) break;
    index--;
  }
  return cutAt(session, Math.min(index, atMost));
}

/** The cut at or before a message. */
export function cutAt({ messages, messageSeqs }: Pick<SessionView, 'messages' | 'messageSeqs'>, wanted: number): Cut {
  const index = boundary(messages, Math.max(0, wanted));
  let saved = 0;
  // What a compaction put first stands again after the next one; a summary is written anew.
  for (let at = 0; at < index; at++) if (messageSeqs[at] !== 0) saved += messageTokens(messages[at]!);
  return { index, saved };
}

/** The nearest place at or before an index where a request may end and a history may begin. */
export function boundary(messages: readonly Message[], index: number): number {
  return messages[index]?.role === 'tool' ? index - 1 : index;
}

/** Where the request ended that the last answer was given to. */
export function answeredUpTo(messages: readonly Message[]): number {
  return Math.max(
    0,
    messages.findLastIndex((message) => message.role === 'assistant'),
  );
}
