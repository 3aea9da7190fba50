/** Puts the places that a search brought in order: what a reader most likely wants first. */
import { baseName, fileKind, isForeign, isTest } from './_offline-languages.ts';
import type { Match } from './_offline-parse.ts';
import { splitName, type Terms } from './_offline-terms.ts';

export interface Place extends Match {
  readonly kind: 'defined' | 'named' | 'tested' | 'written' | 'used';
}

interface Scored extends Place {
  readonly score: number;
}

const definition =
  /^\s*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:(?:public|private|protected|internal|static|final|abstract|async|declare|unsafe|override|inline|virtual|readonly|open|sealed|data)\s+)*(?:function\*?|class|def|fn|func|const|let|var|type|interface|struct|enum|trait|impl|module|namespace|record|object|macro_rules!|defmodule|defp?)\s+(?:\([^)]*\)\s*)?["']?([\p{L}\p{N}_$.:]+)/u;
const method =
  /^\s*(?:(?:public|private|protected|internal|static|async|override|final|virtual|const|inline)\s+)*(?:[\p{L}\p{N}_<>[\],*&:]+\s+)?([\p{L}\p{N}_$]+)\s*\([^;]*\)\s*(?::\s*[^=;{]+)?\{\s*$/u;

/** The terms of a question, each with how much it tells: a word that stands in few files tells more. */
type Weights = ReadonlyMap<string, number>;

/** At most two places a file (in all its forms, such as `x.js` and `x.d.ts`), best first; the same input gives the same order. */
export function rank(matches: readonly Match[], paths: readonly string[], terms: Terms): Place[] {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of matches) {
    for (const term of [...terms.names, ...terms.words]) {
      if (contains(text, term)) files.set(term, (files.get(term) ?? new Set()).add(path));
    }
  }
  const weights = new Map([...files].map(([term, found]) => [term, 2 / (1 + Math.log2(found.size + 1) / 3)]));
  for (const name of terms.names) weights.set(name, (weights.get(name) ?? 1) * 1.5);
  for (const word of terms.words) weights.set(word, weights.get(word) ?? 1);
  const inFile = (path: string) => sum(weights, (term) => files.get(term)?.has(path) ?? false);
  const scored: Scored[] = matches.map((match) => score(match, weights, inFile(match.path)));
  const defining = new Set(scored.filter(({ kind }) => kind === 'defined').map(({ path }) => path));
  for (const path of paths) {
    if (isForeign(path) || defining.has(path)) continue;
    const value = pathScore(path, weights) * 1.5 + groupScore(path) + 10;
    scored.push({ path, line: 1, text: '', kind: 'named', score: value });
  }
  scored.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  const perFile = new Map<string, number>();
  return scored.filter(({ path, score: value }) => {
    const stem = path.replace(/(?:\.d)?\.\w+$/, '');
    const count = perFile.get(stem) ?? 0;
    perFile.set(stem, count + 1);
    return value > -50 && count < 2;
  });
}

function score(match: Match, weights: Weights, termsInFile: number): Scored {
  const { path, text } = match;
  const name = nameDefined(text);
  const isDefinition = name !== undefined && sum(weights, (term) => contains(name, term)) > 0;
  let value = groupScore(path) + pathScore(path, weights) + termsInFile * 12;
  value += sum(weights, (term) => contains(text, term)) * 12;
  if (isDefinition) value += 30 + definedScore(name, weights) + (/^\s*(?:export|pub|public)\b/.test(text) ? 6 : 0);
  else if (/^\s*(?:\/\/|\/?\*|#|--)/.test(text)) value += 12;
  else if (/^\s*(?:import|from|use|#include|export \{|export \*)/.test(text)) value -= 20;
  return { ...match, kind: kindOf(path, isDefinition), score: value };
}

function kindOf(path: string, isDefinition: boolean): Place['kind'] {
  if (isTest(path)) return 'tested';
  const group = fileKind(path)?.group;
  if (group === 'docs') return 'written';
  return isDefinition && group === 'code' ? 'defined' : 'used';
}

/** The name that a line defines; a local variable is no definition. */
function nameDefined(text: string): string | undefined {
  if (/^\s+(?:const|let|var)\s/.test(text)) return undefined;
  const name = definition.exec(text)?.[1] ?? method.exec(text)?.[1];
  return name && !/^(?:if|for|while|switch|catch|return|else|function|expect|test|it|describe)$/.test(name)
    ? name
    : undefined;
}

/** A name whose parts are the terms beats one that only holds a term among others. */
function definedScore(name: string, weights: Weights): number {
  const parts = splitName(name);
  const covered = [...weights.keys()].filter((term) => contains(name, term));
  const extra = parts.filter((part) => !covered.some((term) => contains(term, part) || contains(part, term)));
  return sum(weights, (term) => covered.includes(term)) * 14 - extra.length * 4 + (extra.length === 0 ? 10 : 0);
}

function pathScore(path: string, weights: Weights): number {
  const base = splitName(baseName(path).replace(/\.\w+$/, ''));
  let value = 0;
  for (const [term, weight] of weights) {
    const parts = splitName(term);
    if (parts.length > 0 && parts.every((part) => base.some((one) => one.startsWith(part)))) value += 14 * weight;
    else if (contains(path, term)) value += 7 * weight;
  }
  return value;
}

function sum(weights: Weights, holds: (term: string) => boolean): number {
  return [...weights].reduce((total, [term, weight]) => total + (holds(term) ? weight : 0), 0);
}

/** Source over tests over documents over data over what others wrote. */
function groupScore(path: string): number {
  if (isForeign(path)) return -60;
  const group = fileKind(path)?.group;
  const base = group === 'code' ? 30 : group === 'docs' ? 0 : group === 'markup' ? -5 : -15;
  const aside = /(?:^|\/)(?:examples?|samples?|demos?|bench(?:marks?)?|scripts)\//.test(path) ? 10 : 0;
  const declared = /\.d\.[cm]?ts$/.test(path) ? 14 : 0;
  return base - (isTest(path) ? 28 : 0) - declared - aside - Math.min(path.split('/').length, 8);
}

/** Upper and lower case, spaces, `_` and `-` make no difference. */
function contains(text: string, term: string): boolean {
  return squeeze(text).includes(squeeze(term));
}

function squeeze(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}
