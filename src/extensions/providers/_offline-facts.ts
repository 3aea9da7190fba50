/** Gathers what the survey's tool results say into one picture of the repository. */
import { type Claim, findClaim, type Manifest } from './_offline-claims.ts';
import { isCode, isForeign, isLock, isVendored } from './_offline-languages.ts';
import { isManifest, readManifest } from './_offline-manifests.ts';
import {
  type Entry,
  type FileText,
  isPartial,
  type Match,
  parseCounts,
  parseListing,
  parseMatches,
  parsePaths,
  parseRead,
} from './_offline-parse.ts';
import type { Outcome } from './_offline-view.ts';

/** Greps with a meaning; the pattern names the probe when its result comes back. */
export const probes = {
  lines: '^',
  todo: '\\b(TODO|FIXME|HACK|XXX)\\b',
  mains:
    '^\\s*(func main\\(|(pub )?(async )?fn main\\(|(int|void) main\\s*\\(|if __name__ == |public static void main\\(|static (async )?(void|int|Task) Main\\()|^@SpringBootApplication|^\\s*#\\[cfg\\(test\\)\\]',
  risky:
    '\\b(eval|exec|execSync|system|popen)\\(|shell\\s*=\\s*True|new Function\\(|pickle\\.loads?\\(|yaml\\.load\\(|\\.innerHTML\\s*=|dangerouslySetInnerHTML|\\bunsafe \\{|\\b(strcpy|sprintf|gets)\\(',
  secrets:
    '(api_?key|secret|passwd|password|access_?token|private_?key)["\']?\\s*[:=]\\s*["\'][A-Za-z0-9+/_=-]{16,}["\']|-----BEGIN [A-Z ]*PRIVATE KEY|AKIA[0-9A-Z]{16}|sk-[A-Za-z0-9]{32,}',
  imports:
    '^\\s*(import|export|from|use|pub use|mod|pub mod|#include|const|let|var)\\b.*(["\']\\.{1,2}/|["\'].*/|from \\.|import |crate::|mod |#include ")',
} as const;

export type Probe = keyof typeof probes;

export interface Facts {
  /** Entries of the root and of the folders that were listed, by folder (`.` for the root). */
  readonly folders: ReadonlyMap<string, readonly Entry[]>;
  /** Lines of each text file that was counted. */
  readonly lines: ReadonlyMap<string, number>;
  /** Every path that a result named. */
  readonly paths: readonly string[];
  /** Folders whose files were not all counted. */
  readonly cut: readonly string[];
  readonly read: ReadonlyMap<string, FileText>;
  readonly manifests: readonly Manifest[];
  readonly matches: ReadonlyMap<Probe, readonly Match[]>;
  readonly todo: ReadonlyMap<string, number>;
  /** Calls that brought nothing: refused, failed. */
  readonly failed: readonly Outcome[];
}

/** What the results say together; those that were refused or failed are listed apart. */
export function toFacts(outcomes: readonly Outcome[]): Facts {
  const folders = new Map<string, readonly Entry[]>();
  const lines = new Map<string, number>();
  const paths = new Set<string>();
  const read = new Map<string, FileText>();
  const matches = new Map<Probe, readonly Match[]>();
  const todo = new Map<string, number>();
  const failed: Outcome[] = [];
  const counted: string[] = [];
  const cut = new Set<string>();
  for (const outcome of outcomes) {
    const { name, input, status, text } = outcome;
    if (status !== 'ok') {
      if (status !== 'cancelled') failed.push(outcome);
      continue;
    }
    const probe = probeOf(input.pattern);
    if (name === 'ls') folders.set(typeof input.path === 'string' ? input.path : '.', parseListing(text));
    else if (name === 'glob') for (const path of parsePaths(text)) paths.add(path);
    else if (name === 'read_file' && typeof input.file_path === 'string') read.set(input.file_path, parseRead(text));
    else if (name === 'grep' && probe === 'lines') {
      for (const [path, count] of parseCounts(text)) lines.set(path, count);
      const folder = typeof input.path === 'string' ? input.path : '.';
      counted.push(folder);
      if (isPartial(text)) cut.add(folder);
    } else if (name === 'grep' && probe === 'todo')
      for (const [path, count] of parseCounts(text)) todo.set(path, count);
    else if (name === 'grep' && probe) matches.set(probe, parseMatches(text));
  }
  for (const path of lines.keys()) paths.add(path);
  for (const [folder, entries] of folders) {
    for (const entry of entries) if (!entry.folder) paths.add(folder === '.' ? entry.name : `${folder}/${entry.name}`);
  }
  return {
    folders,
    lines,
    paths: [...paths].sort(),
    cut: stillCut(cut, counted, folders),
    read,
    manifests: [...read]
      .flatMap(([path, file]) => (isManifest(path) && file.first <= 1 ? (readManifest(path, file.lines) ?? []) : []))
      .sort(byDepth),
    matches,
    todo,
    failed,
  };
}

/** A folder that was cut is whole again when each folder in it was counted by itself. */
function stillCut(
  cut: ReadonlySet<string>,
  counted: readonly string[],
  folders: ReadonlyMap<string, readonly Entry[]>,
): string[] {
  return [...cut].filter((folder) => {
    const inside = (folders.get(folder) ?? []).filter(
      (entry) => entry.folder && !isForeign(`${entry.name}/`) && !entry.name.startsWith('.'),
    );
    return (
      inside.length === 0 || !inside.every(({ name }) => counted.includes(folder === '.' ? name : `${folder}/${name}`))
    );
  });
}

function probeOf(pattern: unknown): Probe | undefined {
  return (Object.keys(probes) as Probe[]).find((name) => probes[name] === pattern);
}

/** Nearest to the root first. */
export function byDepth(a: { readonly path: string }, b: { readonly path: string }): number {
  return depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1);
}

/** How many folders a path goes through. */
export function depth(path: string): number {
  return path.split('/').length - 1;
}

/** Counts by name, the greatest first, equal ones in the order of their names. */
export function greatestFirst(counts: Iterable<readonly [string, number]>): (readonly [string, number])[] {
  return [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
}

/**
 * Files that people of this project wrote, with their lines. What is built from a source beside it is left out; where
 * nearly all code is built (a published package), the built files count.
 */
export function ownFiles(facts: Facts): readonly (readonly [string, number])[] {
  const known = ownCache.get(facts);
  if (known) return known;
  const own = [...facts.lines].filter(([path]) => !isForeign(path) && !builtFrom(path, facts.lines));
  const files = onlyBuilt(facts) ? [...facts.lines].filter(([path]) => !isVendored(path) && !isLock(path)) : own;
  ownCache.set(facts, files);
  return files;
}

/** Whether nearly all code is built and its sources are elsewhere. */
export function onlyBuilt(facts: Facts): boolean {
  let written = 0;
  let built = 0;
  for (const [path, count] of facts.lines) {
    if (!isCode(path) || isVendored(path) || builtFrom(path, facts.lines)) continue;
    if (isForeign(path)) built += count;
    else written += count;
  }
  return built > written * 10;
}

const ownCache = new WeakMap<Facts, readonly (readonly [string, number])[]>();

/** The TypeScript source of a built file: `v3/types.cjs` comes from `src/v3/types.ts`. */
export function builtFrom(path: string, known: ReadonlyMap<string, unknown>): string | undefined {
  const stem = /^(.*?)(?:\.d\.[cm]?ts|\.[cm]?js)$/.exec(path)?.[1];
  if (stem === undefined) return undefined;
  const sources = [
    stem,
    `src/${stem}`,
    stem.replace(/(^|\/)(?:dist|lib|build|out|es|esm|cjs)\/(?:(?:esm|cjs|es|src)\/)?/, '$1src/'),
  ];
  return sources
    .flatMap((one) => [`${one}.ts`, `${one}.tsx`, `${one}.mts`])
    .find((source) => source !== path && known.has(source));
}

/** Surest first: the usual name, one for a language (`README.zh-TW.md`), a Chinese one. */
const readmeNames = [
  /^readme(?:\.(?:md|rst|txt|markdown|adoc))?$/i,
  /^readme[._-][a-z]{2,4}(?:[._-][a-z]{2,4})?\.(?:md|rst|txt|markdown|adoc)$/i,
  /^(?:(?:读我|讀我|自述|说明|說明|使用说明|使用說明|项目说明|專案說明)(?:文件|檔案|文檔|文档|書|书)?)(?:\.(?:md|rst|txt|markdown|adoc))?$/i,
];

/** The README of a folder, the root by default; Markdown before other kinds. */
export function readmePath(paths: readonly string[], folder = ''): string | undefined {
  const prefix = folder ? `${folder}/` : '';
  const named = paths.flatMap((path) => {
    const rank = path.startsWith(prefix) ? readmeNames.findIndex((one) => one.test(path.slice(prefix.length))) : -1;
    return rank < 0 ? [] : [{ path, rank: rank + (/\.md$/i.test(path) ? 0 : 0.5) }];
  });
  return named.sort((a, b) => a.rank - b.rank)[0]?.path;
}

/** The first paragraph of prose of a README: headings, badges, images, HTML and code are passed over. */
export function firstParagraph(path: string, file: FileText): Claim | undefined {
  const { lines } = file;
  let fenced = false;
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').trim();
    if (/^(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced || !isProse(line)) continue;
    const rest = [];
    for (let next = index; next < lines.length && isProse((lines[next] ?? '').trim()); next++)
      rest.push((lines[next] ?? '').trim());
    const text = plain(rest.join(' '));
    if (text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0) >= 20)
      return { path, line: file.first + index, text };
    index += rest.length;
  }
  return findClaim(path, lines, /^#+\s+(.+)/);
}

function isProse(line: string): boolean {
  return (
    /^[\p{L}\p{N}*_`"'([>]/u.test(line) &&
    !/^(?:\[!\[|!\[|\[[^\]]*\]:|[-=~*_]{3,}$|\d+\.\s|>\s*\[!|\.\.\s)/.test(line) &&
    !/^(?:[*+-]|•)\s/.test(line) &&
    !/^(?:\[[^\]]*\]\([^)]*\)[\s|·•,]*)+$/.test(line) &&
    !/^[*_]{2}[^*_]+[*_]{2}:?$/.test(line)
  );
}

/** Markdown without its marks. */
export function plain(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/\*\*|__/g, '')
    .replace(/^>\s*/, '')
    .replace(/\s+/g, ' ')
    .trim();
}
