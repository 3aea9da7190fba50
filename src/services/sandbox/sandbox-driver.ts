/** Where a command runs. A driver turns a shell command into the program to start; one file a driver. */

interface SandboxedCommand {
  /** Text for the shell. */
  readonly command: string;
  /** Canonical folder to run in. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A person allowed this very command the network. */
  readonly network: boolean;
}

/** How a command ended, once nothing of it is left in the sandbox. */
interface EndedCommand {
  /** `null` when a signal ended it. */
  readonly exit: number | null;
  readonly output: string;
}

export interface ProgramToStart {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Open files that the program gets as 3, 4 and so on. Whoever starts it closes them. */
  readonly files?: readonly number[];
  /** Who runs it, when it is not ourselves. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** It puts its errors into its output by itself, but for those of its own start. */
  readonly joinsStreams?: boolean;
  /**
   * Puts a process into a control group. The program writes the number as `"child-pid": n` to the first open file after
   * `files`, and waits for a byte from the second before that process runs anything.
   */
  admit?(pid: number): Promise<void>;
  /** Looks at what the command did; gives sentences for whoever reads its result. Called once, also when it never started. */
  finish?(ended: EndedCommand): readonly string[];
}

export interface SandboxDriver {
  readonly name: string;
  /** Throws `E_SANDBOX_UNAVAILABLE` when the sandbox does not hold. */
  prepare(command: SandboxedCommand): Promise<ProgramToStart> | ProgramToStart;
  /** Removes what the driver keeps for its session. No command runs any more. */
  close?(): void;
}

const shell = ['--noprofile', '--norc', '-c', '--'];

/** The one shell for all commands: always the same program, without start-up files. */
export const shellFile = '/bin/bash';
/** The program and arguments that run a command line without the user's start-up files. */
export const shellArgs = (command: string): string[] => [...shell, command];

/** No sandbox: the shell itself. */
export const plainDriver: SandboxDriver = {
  name: 'plain',
  prepare: ({ command, environment }) => ({ file: shellFile, args: shellArgs(command), environment }),
};
