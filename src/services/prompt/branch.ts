/** The branch of a folder, read by ourselves: in a folder that nobody trusts no git process may run. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Name of the checked out branch, a short commit id when there is none, undefined outside a repository. */
export async function readBranch(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const head = await readHead(join(at, '.git'));
    if (head !== undefined) return clean(head);
    if (dirname(at) === at) return undefined;
  }
}

async function readHead(git: string): Promise<string | undefined> {
  try {
    if ((await stat(git)).isDirectory()) return await readFile(join(git, 'HEAD'), 'utf8');
    // A worktree or submodule: a file that says where its folder is.
    const [, place] = /^gitdir: (.+)$/m.exec(await readFile(git, 'utf8')) ?? [];
    return place && (await readFile(join(resolve(dirname(git), place), 'HEAD'), 'utf8'));
  } catch {
    return undefined;
  }
}

function clean(head: string): string | undefined {
  const [, branch] = /^ref: refs\/heads\/([\w./-]{1,200})\s*$/.exec(head) ?? [];
  return branch ?? /^[0-9a-f]{12}/.exec(head)?.[0];
}
