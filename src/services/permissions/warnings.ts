/**
 * What is odd about a call, so that a person looks twice. Each warning is a code, whose text is in the dictionary under
 * `permissions.warnings`, or a code with what it is about behind a colon.
 */

import type { JudgedCall } from './match.ts';
import { looksMixed, oddities } from './oddities.ts';

export type Warning = `${
  | 'hiddenCharacters'
  | 'manySpaces'
  | 'mixedLetters'
  | 'foreignHost'
  | 'oddAddress'
  | 'severalCommands'
  | 'noSandbox'
  | 'protectedName'
  | 'outsideFolder'
  | 'unclearCommand'}${'' | `:${string}`}`;

const spaces = /[ \t]{40}|\n\s*\n\s*\n\s*\n\s*\n/;

const maxShown = 80;

/** Oddities of the input, what the decision itself warns of, and the commands where there are several. */
export function findWarnings(call: JudgedCall, why: string, commands: readonly string[] = []): Warning[] {
  const texts = textsOf(call.input);
  const found = new Set<Warning>();
  for (const text of texts) for (const oddity of oddities(text)) found.add(oddity);
  // Only where it is run or names something; files may be full of blanks and of any letters.
  const shown = texts.filter((text) => call.tool === 'bash' || text.length < 500);
  if (call.tool === 'bash' && shown.some((text) => spaces.test(text))) found.add('manySpaces');
  if (shown.some(looksMixed)) found.add('mixedLetters');
  for (const each of ['noSandbox', 'protectedName', 'outsideFolder', 'unclearCommand'] as const) {
    if (why === each) found.add(each);
  }
  if (commands.length > 1) {
    const short = commands.map((text) =>
      text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text,
    );
    found.add(`severalCommands:${[...new Set(short)].join(' · ')}`);
  }
  return [...found];
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsOf) : [];
}
