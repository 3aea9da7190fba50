/** What a decoder made of a server's words is held to the shape that everything above relies on. */
import { isDeeper } from '../../lib/is-deeper.ts';
import type { ModelEvent } from '../../protocol/define/provider.ts';
import type { Usage } from '../../protocol/usage.ts';
import { brokenStream } from './_errors.ts';

/** What is nested deeper cannot be stored, compared or sent. */
export const maxLevels = 500;
const stops: readonly unknown[] = ['end', 'tool-calls', 'length', 'content-filter'];

/**
 * Checks the events from index `from` on, in place. Counts of tokens that are no counts become 0, because an answer
 * is worth more than its bill; a call nested without end becomes one that is told to be invalid. Throws
 * `E_PROVIDER_STREAM` for anything else of another shape, which is cut off.
 */
export function keepSound(events: ModelEvent[], from: number): void {
  for (let index = from; index < events.length; index++) {
    const event = events[index]!;
    if (!isSound(event)) {
      events.length = index;
      throw brokenStream('an event of another shape than this wire has');
    }
    if (event.type === 'part' && event.part.type === 'tool-call' && isDeeper(event.part.input, maxLevels)) {
      const invalid = `[nested deeper than ${maxLevels} levels]`;
      events[index] = { ...event, part: { ...event.part, input: {}, invalid } };
    }
    if (event.type === 'end') events[index] = { ...event, usage: soundUsage(event.usage) };
  }
}

function isSound(event: ModelEvent): boolean {
  if (event.type === 'end') return stops.includes(event.stop);
  if (event.type === 'tool-input-delta') return areTexts(event.callId, event.name, event.text);
  if (event.type !== 'part') return areTexts(event.text);
  const { part } = event;
  if (isDeeper(part.wire, maxLevels)) return false;
  return part.type === 'tool-call' ? areTexts(part.id, part.name) && part.id !== '' : areTexts(part.text);
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

function soundUsage({ input, cacheRead, cacheWrite, output }: Usage): Usage {
  return { input: count(input), cacheRead: count(cacheRead), cacheWrite: count(cacheWrite), output: count(output) };
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}
