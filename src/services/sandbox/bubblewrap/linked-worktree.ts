/**
 * The parts of a repository that a linked working tree (`git worktree add`) writes to, which lie outside of it. Only
 * what a commit needs; hooks and settings stay as they are.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface LinkedWorktree {
  /** Canonical folders that git writes to. */
  readonly writable: readonly string[];
  /** What in them leads elsewhere. */
  readonly readOnly: readonly string[];
}

const writtenParts = ['objects', 'refs', 'logs'];
const fixedParts = ['commondir', 'gitdir', 'config.worktree'];

/**
 * `undefined` where `root` is none. What its `.git` names is believed only when the repository names it in return:
 * that file lies where commands cannot write.
 */
export function findLinkedWorktree(root: string): LinkedWorktree | undefined {
  try {
    const link = join(root, '.git');
    if (!lstatSync(link).isFile()) return undefined;
    const own = realpathSync(resolve(root, /^gitdir: (.+)$/m.exec(readFileSync(link, 'utf8'))?.[1]?.trim() ?? ''));
    const common = realpathSync(resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim()));
    if (dirname(own) !== join(common, 'worktrees')) return undefined;
    if (realpathSync(resolve(own, readFileSync(join(own, 'gitdir'), 'utf8').trim())) !== link) return undefined;
    // Settings for one working tree, which a command could make.
    if (/worktreeconfig/i.test(readFileSync(join(common, 'config'), 'utf8')) && !isFile(join(own, 'config.worktree')))
      return undefined;
    return {
      writable: [own, ...writtenParts.map((part) => join(common, part)).filter(isFolder)],
      readOnly: fixedParts.map((part) => join(own, part)).filter(isFile),
    };
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
