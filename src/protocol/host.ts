/** What a tool may use of the machine. Types only; the implementations are services. */

/** A command to run in the workspace. */
export interface CommandRequest {
  readonly command: string;
  /** A sandbox leaves the command the network; a person has allowed it. */
  readonly network?: boolean;
  /** Absent means the usual one; more than the most is cut to it. */
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
  onOutput?(text: string): void;
}

export interface CommandResult {
  /** `null` when a signal ended it. */
  readonly exit: number | null;
  /** Name of the signal that ended it. */
  readonly signal?: string;
  /** Its time was up; everything it started was ended. `timeoutSeconds` is the time it had. */
  readonly timedOut: boolean;
  readonly timeoutSeconds: number;
  /** The request's signal aborted; everything it started was ended. */
  readonly aborted: boolean;
  /** Head and tail of stdout and stderr together, at most `limits.outputBytes`; says how much is left out. */
  readonly output: string;
  /** What the sandbox says of it: what it refused, what it took away. */
  readonly notes: readonly string[];
}

export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly running: boolean;
  /** `null` while it runs, or when a signal ended it. */
  readonly exit: number | null;
  /** Output since the last look, cut like that of a command. */
  readonly output: string;
  /** Like those of a command, once it has ended. */
  readonly notes: readonly string[];
}

export interface CommandLimits {
  /** Bytes of output that are kept. */
  readonly outputBytes: number;
  readonly timeoutSeconds: number;
  readonly maxTimeoutSeconds: number;
}

export interface Commands {
  readonly limits: CommandLimits;
  /** Runs a command with stdin at its end. Throws `E_COMMAND` when the shell cannot be started. */
  run(request: CommandRequest): Promise<CommandResult>;
  /** Starts a command that goes on by itself until it ends, is killed, or the session's process ends. */
  start(command: string, options?: Pick<CommandRequest, 'network'>): Promise<BackgroundCommand>;
  /** A look takes the output away. */
  output(id: string): BackgroundCommand | undefined;
  kill(id: string): Promise<BackgroundCommand | undefined>;
  /** All background commands, without their output. */
  list(): BackgroundCommand[];
  /** Ends every process that is still running. */
  close(): Promise<void>;
}

export interface FileInfo {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  /** Changes whenever the file does. */
  readonly version: string;
  /** Its owner may run it, or enter the folder. */
  readonly isExecutable: boolean;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileInfo['kind'];
  readonly size: number;
  /** Where a link points, as written in it. */
  readonly target?: string;
}

export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly version: string;
}

/**
 * What an existing file must be for a write to go ahead. `seen`: it was read or written here and is unchanged since.
 * A version: it is that version, and no other one was seen here. `absent`: there is none.
 */
export type WriteExpectation = 'seen' | 'absent' | { readonly version: string };

export interface SearchRequest {
  /** A regular expression. */
  readonly pattern: string;
  /** A file or folder; the root when absent. */
  readonly path?: string;
  /** Glob over paths relative to `path`, or over file names when it has no slash. */
  readonly include?: string;
  readonly ignoreCase?: boolean;
  /** Stop after so many matching lines. */
  readonly maxMatches: number;
  readonly signal: AbortSignal;
}

export interface SearchMatch {
  /** Relative to the root. */
  readonly path: string;
  readonly line: number;
  /** The line, cut when it is very long. */
  readonly text: string;
}

export interface SearchResult {
  /** In order of path and line. */
  readonly matches: readonly SearchMatch[];
  /** Why there may be more than these. */
  readonly stopped?: 'limit' | 'deadline';
  /** How many files were too large to be searched. */
  readonly leftOut?: number;
}

export interface SearchCounts {
  /** Files with a matching line, in order of path, and how many lines match in each. */
  readonly files: readonly { readonly path: string; readonly lines: number }[];
  /** The search ended before it had seen every file. */
  readonly stopped?: 'deadline';
  /** How many files were too large to be searched. */
  readonly leftOut?: number;
}

export interface ReadLimits {
  /** Lines and bytes of one read. */
  readonly lines: number;
  readonly bytes: number;
}

/**
 * The one door to files. Paths are relative to the root or absolute; each is walked beneath an allowed root, links
 * included; what leads outside is refused with `E_PATH_OUTSIDE`. What the system refuses is `E_FILE`.
 */
export interface Workspace {
  /** Canonical absolute path. */
  readonly root: string;
  /** All allowed roots, `root` first. */
  readonly roots: readonly string[];
  readonly limits: ReadLimits;
  /** The canonical absolute path, links followed; the file itself need not be there. */
  resolve(path: string): string;
  /** The path as shown: canonical, relative to the root (absolute in another root), invisible characters escaped. */
  relative(path: string): string;
  info(path: string): Promise<FileInfo>;
  /** Bytes `[start, start + length)`, fewer at the end of the file. */
  readBytes(path: string, start: number, length: number): Promise<Uint8Array>;
  /** Streams the file from the start in pieces; constant memory. A piece is valid until the next one is asked for. */
  readPieces(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The whole file with its version. Throws `E_FILE_TOO_LARGE` above `maxBytes`. */
  readWhole(path: string, maxBytes: number): Promise<FileBytes>;
  /** Notes that the model has seen this version of the file. */
  markSeen(path: string, version: string): void;
  /** Entries in name order. */
  list(path: string): Promise<DirectoryEntry[]>;
  /**
   * Atomic: the old bytes or the new ones. Makes folders, keeps the mode of an existing file, breaks hard links.
   * Throws `E_FILE_UNSEEN` or `E_FILE_CHANGED` when the expectation does not hold. The new version counts as seen.
   */
  write(path: string, bytes: Uint8Array, expect?: WriteExpectation): Promise<void>;
  /** Files below a folder, relative to it, `.gitignore` respected, links not followed, in name order. */
  walk(path: string, signal: AbortSignal): AsyncIterable<string>;
  /** Searches text files as `walk` finds them. Throws `E_PATTERN` for a pattern that is no regular expression. */
  search(request: SearchRequest): Promise<SearchResult>;
  /** The same search, but counts only, so that also a pattern such as `^` on a large folder costs little. */
  count(request: Omit<SearchRequest, 'maxMatches'>): Promise<SearchCounts>;
}

export interface ToolHost {
  readonly workspace: Workspace;
  readonly commands: Commands;
}
