/**
 * Commands under Seatbelt on macOS, by a profile of our own. Untested: nobody has run it yet. As everywhere, the canary
 * decides whether it holds.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BubblewrapOptions } from './bubblewrap/bubblewrap.ts';
import { writableRoots } from './bubblewrap/bubblewrap.ts';
import { isBelow } from './bubblewrap/bubblewrap-profile.ts';
import { explainRefusals } from './refusals.ts';
import { type SandboxDriver, shellArgs, shellFile } from './sandbox-driver.ts';

export const systemSeatbelt = '/usr/bin/sandbox-exec';

/** The sandbox of macOS: `sandbox-exec` with a profile (SBPL). Whether it holds, its canary says. */
export function createSeatbelt(options: BubblewrapOptions): SandboxDriver {
  const { program = systemSeatbelt, roots, userHome, secrets, guarded = [] } = options;
  let temporary: string | undefined;
  return {
    name: 'seatbelt',
    prepare({ command, environment, network }) {
      temporary ??= realpathSync(mkdtempSync(join(tmpdir(), 'rein-')));
      const writable = writableRoots(roots, userHome);
      const profile = toProfile({
        writable: [...writable, temporary],
        protectedIn: writable,
        guarded,
        secrets,
        network,
      });
      return {
        file: program,
        args: ['-p', profile, shellFile, ...shellArgs(command)],
        environment: { ...environment, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
        finish: ({ exit, output }) => (exit === 0 ? [] : explainRefusals(output, network)),
      };
    },
    close() {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
      temporary = undefined;
    },
  };
}

interface SeatbeltProfile {
  readonly writable: readonly string[];
  /** Folders in which protected names may not be made or changed. */
  readonly protectedIn: readonly string[];
  /** Files that may not be changed. */
  readonly guarded: readonly string[];
  readonly secrets: readonly string[];
  readonly network: boolean;
}

const names =
  '(\\.git/(config|config\\.worktree|hooks|commondir|modules|worktrees)|\\.(rein|claude|agents|husky|githooks|vscode|idea)|\\.github/(workflows|actions)|\\.?mcp\\.json|mcp_servers\\.json|\\.(gitconfig|envrc|npmrc|profile|bashrc|zshrc|zshenv|gitlab-ci\\.yml))';

/** The rule that comes last counts. */
function toProfile({ writable, protectedIn, guarded, secrets, network }: SeatbeltProfile): string {
  const below = (path: string) => `(subpath ${JSON.stringify(path)})`;
  const regex = (path: string) => `(regex #"^${escapePattern(path)}/(.*/)?${names}(/|$)")`;
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* (literal "/dev/null") (literal "/dev/tty") ${writable.map(below).join(' ')})`,
    ...protectedIn.map((path) => `(deny file-write* ${regex(path)})`),
    // A folder on the way to a protected name must not be renamed.
    ...protectedIn.map((path) => `(deny file-write-unlink (regex #"^${escapePattern(path)}/(.*/)?\\.(git|github)$"))`),
    ...guarded.map((path) => `(deny file-write* (literal ${JSON.stringify(path)}))`),
    ...foldersOf(guarded, protectedIn).map((path) => `(deny file-write-unlink (literal ${JSON.stringify(path)}))`),
    ...secrets.map((path) => `(deny file-read* file-write* ${below(path)})`),
    ...(network ? [] : ['(deny network*)']),
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    '(deny system-socket)',
  ].join('\n');
}

/** Folders between a writable one and a file: renaming one would take the file along. */
function foldersOf(files: readonly string[], roots: readonly string[]): string[] {
  const parents = (path: string): string[] => {
    const parent = dirname(path);
    return roots.some((root) => isBelow(parent, root)) ? [parent, ...parents(parent)] : [];
  };
  return [...new Set(files.flatMap(parents))];
}

function escapePattern(path: string): string {
  return path.replace(/[\\^$.*+?()[\]{}|"]/g, '\\$&');
}
