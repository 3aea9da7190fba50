/** What it takes to match lines in files. */
import type { Workspace } from '../../protocol/host.ts';

/** What to match in some files; their paths are relative to `folder`. */
export interface Batch {
  readonly workspace: Workspace;
  readonly folder: string;
  readonly files: readonly string[];
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** Most lines to bring back from one file; undefined to count them only. */
  readonly maxMatches: number | undefined;
  readonly signal: AbortSignal;
}

/** A matching line; when counting, `line` is how many lines of the file match. */
export interface Found {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Yields in order of files and lines. An abort, or a file too slow to match, ends it with a throw. */
export type Matcher = (batch: Batch) => AsyncIterable<Found>;
