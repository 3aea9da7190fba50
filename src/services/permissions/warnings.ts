/** What is odd about a call, so that a person looks twice. Texts of the dictionary under `permissions.warnings`. */
import type { JudgedCall } from './match.ts';

export type Warning =
  | 'hiddenCharacters'
  | 'manySpaces'
  | 'foreignHost'
  | 'noSandbox'
  | 'protectedName'
  | 'outsideFolder';

const hidden = /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[^\P{Cc}\n\t\r]/u;
const spaces = /[ \t]{40}|\n\s*\n\s*\n\s*\n\s*\n/;

/** Oddities of the input, and what the decision itself warns of. */
export function findWarnings(call: JudgedCall, why: string): Warning[] {
  const texts = textsOf(call.input);
  const found: Warning[] = [];
  if (texts.some((text) => hidden.test(text))) found.push('hiddenCharacters');
  // Only where it pushes a part of a command out of sight; files may be full of blanks.
  if (call.tool === 'bash' && texts.some((text) => spaces.test(text))) found.push('manySpaces');
  if (texts.some((text) => /^https?:/i.test(text) && /xn--/.test(URL.parse(text)?.hostname ?? ''))) {
    found.push('foreignHost');
  }
  for (const each of ['noSandbox', 'protectedName', 'outsideFolder'] as const) if (why === each) found.push(each);
  return found;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsOf) : [];
}
