/**
 * Searches the files that `walk` finds, in its order, in batches: ripgrep or JavaScript only match lines, so both see
 * the same files. What comes first in the order is what is found first, also when the search stops early.
 */
import { closeSync } from 'node:fs';
import { createGlob } from '../../lib/glob.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { SearchCounts, SearchMatch, SearchRequest, SearchResult, Workspace } from '../../protocol/host.ts';
import { childPath } from './folder.ts';
import { matchWithRipgrep } from './match-ripgrep.ts';
import type { Matcher, OpenedFile } from './matcher.ts';
import { type OpenFile, shownPath } from './place.ts';

/** So many files are open at once. */
const maxBatchFiles = 250;
/** Without ripgrep a file is in memory as a whole. */
const [maxBytes, maxBytesInMemory] = [50_000_000, 10_000_000];
const deadlineMs = 20_000;
const maxPatternLength = 50_000;

/** Where to search, and with what. */
export interface SearchPlace {
  readonly workspace: Workspace;
  /** Opens a file by the one door. */
  open(path: string): OpenFile;
  /** The path of that program; without it JavaScript matches. */
  readonly ripgrep: string | undefined;
}

interface Scanned {
  readonly stopped?: SearchResult['stopped'];
  readonly leftOut?: number;
}

/** See `Workspace.search`. */
export async function searchFiles(place: SearchPlace, request: SearchRequest): Promise<SearchResult> {
  const matches: SearchMatch[] = [];
  const scanned = await scan(place, request, (found) => {
    if (matches.length === request.maxMatches) return false;
    matches.push(found);
    return true;
  });
  return { matches, ...scanned };
}

/** See `Workspace.count`. */
export async function countMatches(
  place: SearchPlace,
  request: Omit<SearchRequest, 'maxMatches'>,
): Promise<SearchCounts> {
  const files: { path: string; lines: number }[] = [];
  const { stopped, leftOut } = await scan(place, request, ({ path, line }) => files.push({ path, lines: line }) > 0);
  return { files, ...(stopped && { stopped: 'deadline' }), ...(leftOut !== undefined && { leftOut }) };
}

/** Gives what is found to `take` until it says false. */
async function scan(
  place: SearchPlace,
  request: Omit<SearchRequest, 'maxMatches'> & { readonly maxMatches?: number },
  take: (found: SearchMatch) => boolean,
): Promise<Scanned> {
  const { workspace, ripgrep } = place;
  const { pattern, path = '.', include, ignoreCase = false, maxMatches, signal: outer } = request;
  if (pattern.length > maxPatternLength) throw new ReinError('E_PATTERN', { detail: 'it is too long' });
  if (pattern.includes('\0')) throw new ReinError('E_PATTERN', { detail: 'it holds a NUL character' });
  const match: Matcher =
    ripgrep === undefined ? (await import('./match-javascript.ts')).matchWithJavaScript : matchWithRipgrep(ripgrep);
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([outer, deadline]);
  const most = maxMatches === undefined ? undefined : maxMatches + 1;
  const target = workspace.resolve(path);
  const wanted = toFilter(include);
  let leftOut = 0;
  const result = (stopped?: SearchResult['stopped']) => ({
    ...(stopped && { stopped }),
    ...(leftOut > 0 && { leftOut }),
  });
  try {
    const isFile = (await workspace.info(path)).kind !== 'directory';
    // Refuses pipes and devices.
    if (isFile) await workspace.readBytes(path, 0, 1);
    const folder = (isFile ? target.slice(0, target.lastIndexOf('/')) : target) || '/';
    const files = isFile ? once(target.slice(target.lastIndexOf('/') + 1)) : workspace.walk(path, signal);
    for await (const names of inBatches(files, isFile ? () => true : wanted)) {
      const batch = openAll(place, folder, names);
      leftOut += batch.tooLarge;
      try {
        for await (const { file, line, text } of match({
          ...{ pattern, ignoreCase, signal },
          files: batch.files,
          maxMatches: most,
        })) {
          if (!take({ path: shownPath(workspace.root, childPath(folder, file)), line, text })) return result('limit');
        }
      } finally {
        for (const { fd } of batch.files) closeSync(fd);
      }
    }
    return result();
  } catch (error) {
    if (outer.aborted) throw error;
    if (deadline.aborted || (ReinError.is(error) && error.code === 'E_TIMEOUT')) return result('deadline');
    throw error;
  }
}

/** What is gone, led elsewhere or closed to us by now holds nothing for us. */
function openAll({ open, ripgrep }: SearchPlace, folder: string, names: readonly string[]) {
  const most = ripgrep === undefined ? maxBytesInMemory : maxBytes;
  const files: OpenedFile[] = [];
  let tooLarge = 0;
  for (const file of names) {
    try {
      const { fd, stats } = open(childPath(folder, file));
      if (stats.size <= most) files.push({ file, fd, size: Number(stats.size) });
      else {
        tooLarge++;
        closeSync(fd);
      }
    } catch {
      // Nothing to be searched.
    }
  }
  return { files, tooLarge };
}

/** A glob with a slash is for paths, one without for names. Throws `E_PATTERN`. */
function toFilter(include: string | undefined): (file: string) => boolean {
  if (include === undefined) return () => true;
  const matches = compileGlob(include);
  return include.includes('/') ? matches : (file) => matches(file.slice(file.lastIndexOf('/') + 1));
}

function compileGlob(pattern: string): (path: string) => boolean {
  try {
    return createGlob(pattern);
  } catch (error) {
    throw new ReinError('E_PATTERN', { pattern, detail: (error as Error).message }, error);
  }
}

async function* once(file: string): AsyncGenerator<string> {
  yield file;
}

async function* inBatches(files: AsyncIterable<string>, wanted: (file: string) => boolean): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const file of files) {
    if (wanted(file) && batch.push(file) === maxBatchFiles) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
