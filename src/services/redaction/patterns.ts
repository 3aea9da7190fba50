/**
 * What looks like a secret, whoever made it. Each pattern begins where a run of its characters begins and reads it
 * once, so the time is linear in the text whatever stands in it.
 */
import { redactionMarker } from '../../protocol/redaction.ts';

interface Pattern {
  /** For the marker. */
  readonly name: string;
  readonly find: RegExp;
  /** Whether what was found is one; yes when absent. */
  readonly isSecret?: (found: string) => boolean;
}

const hasDigit = (text: string) => /\d/.test(text);

const tokens: readonly Pattern[] = [
  { name: 'github token', find: /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g },
  { name: 'gitlab token', find: /(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_-]{20,}/g },
  { name: 'api key', find: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{18,}/g, isSecret: hasDigit },
  { name: 'api key', find: /(?<![A-Za-z0-9_])(?:[rs]k_(?:live|test)_|hf_|gsk_|pplx-|xai-)[A-Za-z0-9]{18,}/g },
  { name: 'aws key id', find: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])/g },
  { name: 'google api key', find: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{30,}/g },
  { name: 'slack token', find: /(?<![A-Za-z0-9-])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}/g, isSecret: hasDigit },
  { name: 'npm token', find: /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{30,}/g },
  { name: 'web token', find: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?/g },
];

/** The second group is the secret. */
const authorization = /(?<![A-Za-z])((?:bearer|basic)[ \t]{1,4})([A-Za-z0-9+/=._~-]{16,})/gi;
const userinfo = /(:\/\/[^\s/@:"'<>]{0,100}:)([^\s/@"'<>]{3,200})(?=@)/g;

const secretName = String.raw`(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|(?:access|private|auth|account)[_-]?key|credentials?)(?:s|\d|[_-][\w-]{0,20})?["'\`]?[\])]?\s{0,3}`;
const value = '[A-Za-z0-9+/_.~!@#$%^&*-]{16,}';
const before = String.raw`[ \t]{0,3}["'\`]?`;
/** What is assigned to such a name. Few things are long enough for a value, so that is looked at before the name. */
const assignment = new RegExp(`([=:](?=${before}${value})(?<=${secretName}[=:])${before})(${value})`, 'gi');
const placeholder =
  /^([$<{%[]|x+$|\*+$|\.+$|(user(name)?|pass(word|wd)?|secret|root|postgres|admin|example|changeme|token|key)$)/i;

/** `text` with a marker for everything that looks like a secret. */
export function redactPatterns(text: string): string {
  let clean = redactPrivateKeys(text);
  for (const { name, find, isSecret } of tokens) {
    clean = clean.replace(find, (found) => (isSecret === undefined || isSecret(found) ? redactionMarker(name) : found));
  }
  clean = clean.replace(authorization, (all, before: string, value: string) =>
    hasDigit(value) ? before + redactionMarker('authorization') : all,
  );
  if (clean.includes('@')) {
    clean = clean.replace(userinfo, (all, before: string, value: string) =>
      placeholder.test(value) ? all : before + redactionMarker('password'),
    );
  }
  return clean.replace(assignment, (all, start: string, found: string) =>
    isRandom(found) ? start + redactionMarker('secret value') : all,
  );
}

/** Made by a machine, not by somebody who names things: no path, no address, no words joined by dots. */
function isRandom(value: string): boolean {
  if (placeholder.test(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^(\.{0,2}\/|[A-Za-z]+:\/\/)/.test(value) || /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$/.test(value)) return false;
  return entropyOf(value.slice(0, 256)) >= 3.2;
}

/** Bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const begin = '-----BEGIN ';
const beginLine = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;
const endLine = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;
/** Lines of a key, perhaps with numbers before them or written in a string. */
const keyLines = /(?:(?:[\s"'+,\\|>:\d]|\\n){0,20}[A-Za-z0-9+/=]{16,})+/y;
const maxKeyLength = 20_000;

/** A block that was cut off loses the lines that are there. */
function redactPrivateKeys(text: string): string {
  let clean = '';
  let done = 0;
  let end = 0;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, Math.max(done, at + 1))) {
    const body = matchEnd(beginLine, text, at);
    // A name of the block without a key behind it is a name.
    const lastLine = body && matchEnd(keyLines, text, body);
    if (!lastLine) continue;
    if (end < body) end = indexFrom(text, '-----END ', body);
    const whole = end < body + maxKeyLength ? matchEnd(endLine, text, end) : 0;
    clean += text.slice(done, at) + redactionMarker('private key');
    done = whole || lastLine;
  }
  return clean + text.slice(done);
}

/** Where the match at this place ends; 0 when there is none. */
function matchEnd(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : 0;
}

function indexFrom(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}
