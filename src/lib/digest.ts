import { hash } from 'node:crypto';

/** JSON with object keys in order, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** SHA-256 of a value's canonical JSON, in hex. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

/** The first 12 hex digits of a text's SHA-256: enough to see that a text changed. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 12);
}
