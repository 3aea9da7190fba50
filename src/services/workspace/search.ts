/**
 * Searches the files that `walk` finds, in its order, in batches: ripgrep or JavaScript only match lines, so both see
 * the same files. What comes first in the order is what is found first, also when the search stops early.
 */
import { createGlob } from '../../lib/glob.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { SearchCounts, SearchMatch, SearchRequest, SearchResult, Workspace } from '../../protocol/host.ts';
import { childPath } from './folder.ts';
import { matchWithRipgrep } from './match-ripgrep.ts';
import type { Matcher } from './matcher.ts';
import { shownPath } from './place.ts';

/** Together well below what a command line may hold. */
const maxBatchFiles = 1000;
const maxBatchBytes = 100_000;
const deadlineMs = 20_000;
const maxPatternLength = 50_000;

type Scan = Omit<SearchRequest, 'maxMatches'> & { readonly ripgrep: string | undefined; readonly maxMatches?: number };

/** See `Workspace.search`. `ripgrep` is the path of that program; without it JavaScript matches. */
export async function searchFiles(
  workspace: Workspace,
  ripgrep: string | undefined,
  request: SearchRequest,
): Promise<SearchResult> {
  const matches: SearchMatch[] = [];
  const stopped = await scan(workspace, { ...request, ripgrep }, (found) => {
    if (matches.length === request.maxMatches) return false;
    matches.push(found);
    return true;
  });
  return stopped ? { matches, stopped } : { matches };
}

/** See `Workspace.count`. */
export async function countMatches(
  workspace: Workspace,
  ripgrep: string | undefined,
  request: Omit<SearchRequest, 'maxMatches'>,
): Promise<SearchCounts> {
  const files: { path: string; lines: number }[] = [];
  const stopped = await scan(
    workspace,
    { ...request, ripgrep },
    ({ path, line }) => files.push({ path, lines: line }) > 0,
  );
  return stopped ? { files, stopped: 'deadline' } : { files };
}

/** Gives what is found to `take` until it says false. */
async function scan(
  workspace: Workspace,
  { pattern, path = '.', include, ignoreCase = false, maxMatches, signal: outer, ripgrep }: Scan,
  take: (found: SearchMatch) => boolean,
): Promise<SearchResult['stopped']> {
  if (pattern.length > maxPatternLength) throw new ReinError('E_PATTERN', { detail: 'it is too long' });
  const match: Matcher =
    ripgrep === undefined ? (await import('./match-javascript.ts')).matchWithJavaScript : matchWithRipgrep(ripgrep);
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([outer, deadline]);
  const target = workspace.resolve(path);
  const wanted = toFilter(include);
  try {
    const isFile = (await workspace.info(path)).kind !== 'directory';
    // Refuses pipes and devices, which a matcher would wait for.
    if (isFile) await workspace.readBytes(path, 0, 1);
    const folder = isFile ? target.slice(0, target.lastIndexOf('/')) : target;
    const files = isFile ? once(target.slice(target.lastIndexOf('/') + 1)) : workspace.walk(path, signal);
    for await (const batch of inBatches(files, isFile ? () => true : wanted)) {
      const most = maxMatches === undefined ? undefined : maxMatches + 1;
      for await (const { file, line, text } of match({
        workspace,
        folder: folder || '/',
        files: batch,
        pattern,
        ignoreCase,
        maxMatches: most,
        signal,
      })) {
        if (!take({ path: shownPath(workspace.root, childPath(folder || '/', file)), line, text })) return 'limit';
      }
    }
    return undefined;
  } catch (error) {
    if (outer.aborted) throw error;
    if (deadline.aborted || (ReinError.is(error) && error.code === 'E_TIMEOUT')) return 'deadline';
    throw error;
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

async function* once(file: string): AsyncGenerator<string> {
  yield file;
}

async function* inBatches(files: AsyncIterable<string>, wanted: (file: string) => boolean): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for await (const file of files) {
    if (!wanted(file)) continue;
    batch.push(file);
    bytes += Buffer.byteLength(file) + 3;
    if (batch.length < maxBatchFiles && bytes < maxBatchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
