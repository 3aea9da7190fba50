/** Where a command runs. A driver turns a shell command into the program to start; one file a driver. */

export interface SandboxedCommand {
  /** Text for the shell. */
  readonly command: string;
  /** Canonical folder to run in. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ProgramToStart {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface SandboxDriver {
  readonly name: string;
  /** Throws `E_SANDBOX_UNAVAILABLE` when the sandbox does not hold. */
  prepare(command: SandboxedCommand): Promise<ProgramToStart> | ProgramToStart;
}

/** No sandbox: the shell itself, always the same one, without start-up files. */
export const plainDriver: SandboxDriver = {
  name: 'plain',
  prepare: ({ command, environment }) => ({
    file: '/bin/bash',
    args: ['--noprofile', '--norc', '-c', command],
    environment,
  }),
};
