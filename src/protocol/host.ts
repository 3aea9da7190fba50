/** What a tool may use of the machine. Types only; the implementations are services. */

/** A command to run in the workspace. */
export interface CommandRequest {
  readonly command: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  onOutput?(text: string): void;
}

export interface CommandResult {
  /** `null` when it was ended by a signal. */
  readonly exit: number | null;
  readonly timedOut: boolean;
  /** Head and tail of stdout and stderr together, at most `maxOutput` bytes; says how much is left out. */
  readonly output: string;
}

export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly running: boolean;
  readonly exit: number | null;
  /** Output since the last look. */
  readonly output: string;
}

export interface Commands {
  run(request: CommandRequest): Promise<CommandResult>;
  start(command: string): Promise<BackgroundCommand>;
  output(id: string): BackgroundCommand | undefined;
  kill(id: string): Promise<BackgroundCommand | undefined>;
  list(): BackgroundCommand[];
  /** Ends every process that is still running. */
  close(): Promise<void>;
}

export interface FileInfo {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileInfo['kind'];
  readonly size: number;
}

/** The one door to files. Every path is walked beneath the root; what leads outside is refused. */
export interface Workspace {
  /** Canonical absolute path. */
  readonly root: string;
  /** The path as shown: relative to the root. Throws `E_PATH_OUTSIDE`. */
  relative(path: string): string;
  info(path: string): Promise<FileInfo>;
  /** Reads bytes `[start, start + length)`. */
  readBytes(path: string, start: number, length: number): Promise<Uint8Array>;
  /** Streams the file from the start in pieces; constant memory. */
  readPieces(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  list(path: string): Promise<DirectoryEntry[]>;
  /** Atomic: the old bytes or the new ones. Makes folders, keeps the mode of an existing file. */
  write(path: string, bytes: Uint8Array, options?: { expect?: 'unchanged' | 'absent' }): Promise<void>;
  /** Files below a folder, `.gitignore` respected, links not followed, in name order. */
  walk(path: string, signal: AbortSignal): AsyncIterable<string>;
}

export interface ToolHost {
  readonly workspace: Workspace;
  readonly commands: Commands;
}
