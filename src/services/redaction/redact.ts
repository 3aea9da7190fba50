/** One redactor, at ingestion: what it takes out reaches neither model nor log nor screen. */
import { redactionMarker } from '../../protocol/redaction.ts';
import { seeThrough } from './hidden.ts';
import { redactPatterns } from './patterns.ts';

/** Shorter values are no secrets, and would be found everywhere. */
const shortestSecret = 8;
/** A line that does not end is given out in pieces; so much of it waits for what comes. */
const maxWaiting = 65_536;
const overlap = 8_192;

/** Values by the name of where they come from. */
export type KnownSecrets = Iterable<readonly [name: string, value: string]>;

/** Replaces every known value, and everything that looks like a secret, by a marker. Linear in the text. */
export function createRedactor(secrets: KnownSecrets): (text: string) => string {
  const known = createKnown(secrets);
  return seeThrough((text) => redactPatterns(known(text)));
}

/**
 * The last check before what is stored and shown: the same value when no string in it holds a known secret, else a copy
 * with markers. Leaves `wire` alone, which goes back to a provider byte for byte.
 */
export function createGuard(secrets: KnownSecrets): <T>(value: T) => T {
  const known = seeThrough(createKnown(secrets));
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return known(value);
    if (typeof value !== 'object' || value === null) return value;
    // Nearly everything is clean: nothing is copied before the first change.
    let copy: Record<string, unknown> | undefined;
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      const each = fields[name];
      const next = name === 'wire' ? each : clean(each);
      if (next === each) continue;
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      copy[name] = next;
    }
    return copy ?? value;
  };
  return (value) => clean(value) as typeof value;
}

/**
 * For text that comes in pieces: gives back what can be shown by now, so that a secret cut over two pieces is found.
 * Whole lines are given out; what follows an unfinished private key waits for its end. `end` gives the rest.
 */
export function createStreamRedactor(redact: (text: string) => string): {
  push(piece: string): string;
  end(): string;
} {
  let waiting = '';
  const cut = (length: number) => {
    const ready = waiting.slice(0, length);
    waiting = waiting.slice(length);
    return ready;
  };
  return {
    push(piece) {
      waiting += piece;
      if (waiting.length > maxWaiting) {
        // Whole secrets are gone before the cut; one that is cut itself is shorter than what waits.
        waiting = redact(waiting);
        return cut(waiting.length - overlap);
      }
      if (!/[\n\r]/.test(piece)) return '';
      const lineEnd = Math.max(waiting.lastIndexOf('\n'), waiting.lastIndexOf('\r')) + 1;
      const key = openKey(waiting.slice(0, lineEnd));
      return redact(cut(key < 0 ? lineEnd : Math.min(lineEnd, key)));
    },
    end: () => redact(cut(waiting.length)),
  };
}

/** Where a private key begins that has not ended yet; below 0 when there is none. */
function openKey(text: string): number {
  const at = text.lastIndexOf('-----BEGIN ');
  return at >= 0 && text.indexOf('-----END ', at) < 0 ? at : -1;
}

function createKnown(secrets: KnownSecrets): (text: string) => string {
  const known = new Map<string, string>();
  for (const [name, value] of secrets) if (value.length >= shortestSecret) known.set(value, redactionMarker(name));
  // A secret that contains another one goes first.
  const sorted = [...known].sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const [value, marker] of sorted) if (clean.includes(value)) clean = clean.replaceAll(value, () => marker);
    return clean;
  };
}
