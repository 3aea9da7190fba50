/** The data of a server's event. */
import { brokenStream } from './_errors.ts';

/**
 * Reads the data of an event as an object of the shape that the wire promises; only that it is an object is checked.
 * Throws `E_PROVIDER_STREAM` for anything else.
 */
export function readEventData<T extends object>(data: string): T {
  try {
    // Some servers put each event into a list.
    const parsed: unknown = JSON.parse(data);
    const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    if (typeof value === 'object' && value !== null) return value as T;
  } catch {
    // Reported below.
  }
  throw brokenStream('an event that is no JSON object');
}
