/** What it takes to match lines in files. */
/** A file that was opened by the one door. What has its name by now does not matter. */
export interface OpenedFile {
  /** Relative to where the search began. */
  readonly file: string;
  readonly fd: number;
  /** Bytes. */
  readonly size: number;
}

/** What to match in some files. */
export interface Batch {
  readonly files: readonly OpenedFile[];
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
