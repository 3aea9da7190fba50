/** A workspace in a folder of its own, with a folder beside it that no tool may reach. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Commands, ToolHost, Workspace } from '../protocol/host.ts';
import { commandEnvironment } from '../services/sandbox/command-environment.ts';
import { createCommands } from '../services/sandbox/commands.ts';
import type { WorkspaceOptions } from '../services/workspace/door.ts';
import { findRipgrep } from '../services/workspace/find-ripgrep.ts';
import { createWorkspace } from '../services/workspace/workspace.ts';

export interface TempWorkspace extends ToolHost, AsyncDisposable {
  readonly workspace: Workspace;
  readonly commands: Commands;
  readonly root: string;
  /** A sibling of the root whose name begins like the root's; holds `secret.txt`. */
  readonly outside: string;
  /** Where the records of temporary files lie. */
  readonly journal: string;
  /** Absolute path of a file in the workspace. */
  path(name: string): string;
  /** Puts a file there without the workspace knowing. */
  put(name: string, content: string | Uint8Array): void;
  text(name: string): string;
  bytes(name: string): Buffer;
}

/** What stands in the file that no tool may reach. */
export const secretText = 'do not let this out';

const limits = { lines: 2000, bytes: 50_000 };
const commandLimits = { outputBytes: 30_000, timeoutSeconds: 120, maxTimeoutSeconds: 600 };

/** Makes the folder with these files; disposing ends the commands and removes everything. */
export function createTempWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<WorkspaceOptions> = {},
): TempWorkspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-workspace-')));
  const [root, outside, journal] = [join(base, 'proj'), join(base, 'proj-evil'), join(base, 'journal')];
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), secretText);
  const path = (name: string) => join(root, name);
  const put = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
  };
  for (const [name, content] of Object.entries(files)) put(name, content);
  const ripgrep = findRipgrep(process.env.PATH);
  const workspace = createWorkspace(root, { limits, journal, ripgrep, ...options });
  const environment = commandEnvironment(process.env);
  const commands = createCommands({ cwd: root, environment, limits: commandLimits });
  return {
    workspace,
    commands,
    root,
    outside,
    journal,
    path,
    put,
    text: (name) => readFileSync(path(name), 'utf8'),
    bytes: (name) => readFileSync(path(name)),
    async [Symbol.asyncDispose]() {
      await commands.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
