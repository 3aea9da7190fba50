/** What in a text may deceive who reads it: characters that hide, letters that look like others, odd addresses. */
import { domainToUnicode } from 'node:url';

export type Oddity = 'hiddenCharacters' | `foreignHost:${string}` | `oddAddress:${string}`;

const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[^\P{Cc}\n\t\r]/u;
/** Emoji are written with joiners and selectors of their own; those hide nothing. */
const emoji =
  /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)*/gu;
const address = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`|;(){}]+/giu;

/** What could deceive who reads a text: hidden characters, addresses that look like others. Empty for plain text. */
export function oddities(text: string): Oddity[] {
  if (/^[\x20-\x7e\n\t]*$/.test(text) && !text.includes('://')) return [];
  const found: Oddity[] = hidden.test(text.replace(emoji, '')) ? ['hiddenCharacters'] : [];
  for (const [each] of text.matchAll(address)) found.push(...oddAddress(each));
  return found;
}

function oddAddress(text: string): Oddity[] {
  const url = URL.parse(text);
  if (!url) return [];
  const found: Oddity[] = [];
  const host = url.hostname;
  if (host.includes('xn--') && isDeceptive(host)) found.push(`foreignHost:${host}`);
  const hasLogin = url.username !== '' || url.password !== '';
  const isNumber = /^[\d.]+$|^\[/.test(host) && !/^(127\.|\[::1\])/.test(host);
  const isOdd =
    hasLogin || isNumber || /%2e|%2f|%40|\\/i.test(text.slice(0, text.indexOf('/', text.indexOf('://') + 3)));
  if (isOdd) found.push(`oddAddress:${host}`);
  return found;
}

/** Letters of the alphabets that have look-alikes in another one. */
const alphabets = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);
/** Cyrillic and Greek letters that read as Latin ones. */
const lookAlikes = /^[асеорхуіјѕһԁԛԝӏѵαοινρτυχκ\d.-]+$/u;

/** A host that mixes alphabets in one label, or whose foreign letters all read as Latin ones. */
function isDeceptive(host: string): boolean {
  return domainToUnicode(host)
    .split('.')
    .some((label) => /[^p{ASCII}]/.test(label) && (looksMixed(label) || lookAlikes.test(label)));
}

/** Some word has letters of two alphabets that look alike. */
export function looksMixed(text: string): boolean {
  if (/^\p{ASCII}*$/u.test(text)) return false;
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.some((word) => alphabets.filter((alphabet) => alphabet.test(word)).length > 1);
}
