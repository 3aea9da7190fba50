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
  /^\s*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:(?:public|private|protected|internal|static|final|abstract|async|declare|unsafe|override|inline|virtual|readonly|open|sealed|data)\s+)*(?:function\*?|class|def|fn|func|const|let|var|type|interface|struct|enum|trait|impl|module|namespace|record|object|macro_rules!|defmodule|defp?)\s+(?:\([^)]*\)\s*)?["']?([\w$.:]+)/;
const method =
  /^\s*(?:(?:public|private|protected|internal|static|async|override|final|virtual|const|inline)\s+)*(?:[\w<>[\],*&:]+\s+)?([\w$]+)\s*\([^;]*\)\s*(?::\s*[^=;{]+)?\{\s*$/;

/** One place a file at most twice, best first; deterministic. */
export function rank(matches: readonly Match[], paths: readonly string[], terms: Terms): Place[] {
  const wanted = [...terms.names, ...terms.words];
  const hits = new Map<string, Set<string>>();
  for (const { path, text } of matches) {
    const found = hits.get(path) ?? new Set();
    for (const term of wanted) if (contains(text, term)) found.add(term);
    hits.set(path, found);
  }
  const scored: Scored[] = matches.map((match) => score(match, terms, hits.get(match.path)?.size ?? 0));
  for (const path of paths) {
    if (isForeign(path)) continue;
    const best = scored.some((one) => one.path === path && one.kind === 'defined');
    const place: Match = { path, line: 1, text: '' };
    if (!best) scored.push({ ...place, kind: 'named', score: pathScore(path, terms) * 1.5 + groupScore(path) + 10 });
  }
  scored.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  const perFile = new Map<string, number>();
  return scored.filter(({ path, score: value }) => {
    const count = perFile.get(path) ?? 0;
    perFile.set(path, count + 1);
    return value > -50 && count < 2;
  });
}

function score(match: Match, terms: Terms, termsInFile: number): Scored {
  const { path, text } = match;
  const name = nameDefined(text);
  let value = groupScore(path) + pathScore(path, terms) + Math.min(termsInFile, 4) * 12;
  const onLine = [...terms.names, ...terms.words].filter((term) => contains(text, term)).length;
  value += onLine * 10;
  const isDefinition = name !== undefined && [...terms.names, ...terms.words].some((term) => contains(name, term));
  if (isDefinition)
    value +=
      40 +
      definedScore(name, terms) +
      (/^\s*(?:export|pub|public)\b/.test(text) ? 6 : 0) -
      (/^\s*(?:const|let|var)\s/.test(text) ? 14 : 0);
  else if (/^\s*(?:\/\/|\/?\*|#|--)/.test(text)) value += 12;
  else if (/^\s*(?:import|from|use|#include|export \{|export \*)\b/.test(text)) value -= 20;
  return {
    ...match,
    kind: isTest(path)
      ? 'tested'
      : fileKind(path)?.group === 'docs'
        ? 'written'
        : isDefinition && fileKind(path)?.group === 'code'
          ? 'defined'
          : 'used',
    score: value,
  };
}

function nameDefined(text: string): string | undefined {
  const name = definition.exec(text)?.[1] ?? method.exec(text)?.[1];
  return name && !/^(?:if|for|while|switch|catch|return|else|function)$/.test(name) ? name : undefined;
}

/** A name that is a term, or whose parts are the terms, beats one that only holds a term. */
function definedScore(name: string, { names, words }: Terms): number {
  if (names.some((term) => term === name || term.endsWith(`.${name}`))) return 60;
  const parts = splitName(name);
  const covered = [...names, ...words].filter(
    (term) => parts.some((part) => part.startsWith(term.toLowerCase())) || contains(name, term),
  ).length;
  return covered * 12 - Math.max(parts.length - covered, 0) * 3;
}

function pathScore(path: string, { names, words }: Terms): number {
  const base = splitName(baseName(path).replace(/\.\w+$/, ''));
  let value = 0;
  for (const term of [...names, ...words]) {
    const parts = splitName(term);
    if (parts.length > 0 && parts.every((part) => base.some((one) => one.startsWith(part)))) value += 16;
    else if (contains(path, term)) value += 8;
  }
  return value;
}

/** Source over tests over documents over data over what others wrote. */
function groupScore(path: string): number {
  if (isForeign(path)) return -60;
  const group = fileKind(path)?.group;
  const base = group === 'code' ? 30 : group === 'docs' ? 0 : group === 'markup' ? -5 : -15;
  const aside = /(?:^|\/)(?:examples?|samples?|demos?|bench(?:marks?)?|scripts)\//.test(path) ? 10 : 0;
  return base - (isTest(path) ? 28 : 0) - aside - Math.min(path.split('/').length, 8);
}

function contains(text: string, term: string): boolean {
  const squeeze = (value: string) => value.toLowerCase().replace(/[\s_-]+/g, '');
  return squeeze(text).includes(squeeze(term));
}
