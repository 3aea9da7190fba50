/** An answer ends, or is ended: what a model sends without end would fill the memory, or start work without end. */
import type { ModelEvent } from '../protocol/define/provider.ts';
import { ReinError } from '../protocol/errors.ts';

/** Characters; a hundred times what the longest answers have. */
const maxAnswer = 32 * 1024 * 1024;
/** What an event without text counts as. */
const eventSize = 64;
/** Tool calls; several times what the busiest answers have. */
const maxCalls = 256;

/**
 * Is given each event of one answer. Throws `E_ANSWER_TOO_LARGE` once there was too much, `E_TOO_MANY_CALLS` once there
 * were too many calls, begun or whole.
 */
export function createAnswerLimit(provider: string): (event: ModelEvent) => void {
  const begun = new Set<string>();
  let size = 0;
  let whole = 0;
  return (event) => {
    size += 'text' in event ? event.text.length + 1 : eventSize;
    if (size > maxAnswer) throw new ReinError('E_ANSWER_TOO_LARGE', { provider });
    if (event.type === 'tool-input-delta') begun.add(event.callId);
    if (event.type === 'part' && event.part.type === 'tool-call') whole += 1;
    if (Math.max(begun.size, whole) > maxCalls) throw new ReinError('E_TOO_MANY_CALLS', { provider, limit: maxCalls });
  };
}
