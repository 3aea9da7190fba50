/** When and how long to wait before a model call is tried again. Pure. */
import type { ReinError } from '../protocol/errors.ts';
import { maxModelRetries } from '../protocol/event.ts';

const baseMs = 500;
const capMs = 30_000;

/**
 * Milliseconds to wait before attempt `attempt` (1 is the first retry), or undefined when trying again cannot help.
 * The provider's own wish (`retryAfterMs`) counts when it is not longer than a minute; jitter is up to a quarter more.
 */
export function retryDelay(error: ReinError, attempt: number, random: () => number): number | undefined {
  if (!error.retryable || error.params.final === true || attempt > maxModelRetries) return undefined;
  const wished = error.params.retryAfterMs;
  const wait = typeof wished === 'number' && wished >= 0 ? wished : Math.min(capMs, baseMs * 2 ** (attempt - 1));
  return wait > 60_000 ? undefined : Math.round(wait * (1 + random() / 4));
}
