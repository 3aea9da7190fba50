/**
 * Searches the files that `walk` finds, in its order, in batches: ripgrep or JavaScript only match lines, so both see
 * the same files. What comes first in the order is what is found first, also when the search stops early.
 */
import { closeSync } from 'node:fs';
import { createGlob } from '../../lib/glob.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { SearchCounts, SearchMatch, SearchRequest, SearchResult, Workspace } from '../../protocol/host.ts';
import { toFileError } from './file-errors.ts';
import { childPath, type Folder } from './folder.ts';
import { matchWithRipgrep } from './match-ripgrep.ts';
import type { Matcher, OpenedFile } from './matcher.ts';
import { openIn, shownPath } from './place.ts';
import type { FolderFiles } from './walk.ts';

/** So many files are open at once. */
const maxBatchFiles = 500;
/** Without ripgrep a file is in memory as a whole. */
const [maxBytes, maxBytesInMemory] = [50_000_000, 10_000_000];
const deadlineMs = 20_000;
const maxPatternLength = 50_000;

/** Where to search, and with what. */
export interface SearchPlace {
  readonly workspace: Workspace;
  /** A file, or what `Workspace.walk` finds, each with the open folder that it lies in. */
  files(path: string, signal: AbortSignal): AsyncIterable<FolderFiles>;
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
    const batches = inBatches(place.files(path, signal), {
      wanted: isFile ? () => true : wanted,
      maxBytes: ripgrep === undefined ? maxBytesInMemory : maxBytes,
      leaveOut: () => leftOut++,
    });
    for await (const files of batches) {
      for await (const { file, line, text } of match({ pattern, ignoreCase, signal, files, maxMatches: most })) {
        if (!take({ path: shownPath(workspace.root, childPath(folder, file)), line, text })) return result('limit');
      }
    }
    return result();
  } catch (error) {
    if (outer.aborted) throw error;
    if (deadline.aborted || (ReinError.is(error) && error.code === 'E_TIMEOUT')) return result('deadline');
    throw error;
  }
}

interface Choice {
  wanted(file: string): boolean;
  readonly maxBytes: number;
  /** Told of each file that is larger. */
  leaveOut(): void;
}

/** Opens files by the folders they lie in; they are closed when the next batch is asked for. */
async function* inBatches(
  folders: AsyncIterable<FolderFiles>,
  { wanted, maxBytes, leaveOut }: Choice,
): AsyncGenerator<OpenedFile[]> {
  const batch: OpenedFile[] = [];
  const closeAll = () => {
    for (const { fd } of batch.splice(0)) closeSync(fd);
  };
  try {
    for await (const { folder, path, names } of folders) {
      for (const name of names) {
        const file = path + name;
        const opened = wanted(file) ? openQuietly(folder, name) : undefined;
        if (!opened) continue;
        batch.push({ file, ...opened });
        if (opened.size > maxBytes) {
          leaveOut();
          closeSync(batch.pop()!.fd);
        } else if (batch.length === maxBatchFiles) {
          yield [...batch];
          closeAll();
        }
      }
    }
    if (batch.length > 0) yield [...batch];
  } finally {
    closeAll();
  }
}

/** What is gone, led elsewhere or closed to us by now holds nothing for us. */
function openQuietly(folder: Folder, name: string): { fd: number; size: number } | undefined {
  try {
    const { fd, stats } = openIn(folder, name);
    return { fd, size: Number(stats.size) };
  } catch (error) {
    // That nothing more can be opened says nothing about this file.
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw toFileError(error, name);
    return undefined;
  }
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
