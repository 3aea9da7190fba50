/** An answer ends, or is ended: what a model sends without end would fill the memory. */
import type { ModelEvent } from '../protocol/define/provider.ts';
import { ReinError } from '../protocol/errors.ts';

/** Characters; a hundred times what the longest answers have. */
const maxAnswer = 32 * 1024 * 1024;
/** What an event without text counts as. */
const eventSize = 64;

/** Is given each event of one answer. Throws `E_ANSWER_TOO_LARGE` once there was too much. */
export function createAnswerLimit(provider: string): (event: ModelEvent) => void {
  let size = 0;
  return (event) => {
    size += 'text' in event ? event.text.length + 1 : eventSize;
    if (size > maxAnswer) throw new ReinError('E_ANSWER_TOO_LARGE', { provider });
  };
}
