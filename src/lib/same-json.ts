import { isDeepStrictEqual } from 'node:util';

/** True for JSON values that say the same, in whatever order their fields stand. Stops at the first difference. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}
