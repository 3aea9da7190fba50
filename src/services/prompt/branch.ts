/** The branch of a folder, read by ourselves: in a folder that nobody trusts no git process may run. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readStart } from './read-start.ts';

/** Name of the checked out branch, a short commit id when there is none, undefined outside a repository. */
export async function readBranch(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const head = await readHead(join(at, '.git'));
    if (head !== undefined) return clean(head);
    if (dirname(at) === at) return undefined;
  }
}

async function readHead(git: string): Promise<string | undefined> {
  if (!existsSync(git)) return undefined;
  try {
    if ((await stat(git)).isDirectory()) return await readText(join(git, 'HEAD'));
    // A worktree or submodule: a file that says where its folder is.
    const [, place] = /^gitdir: (.+)$/m.exec((await readText(git)) ?? '') ?? [];
    return place && (await readText(join(resolve(dirname(git), place), 'HEAD')));
  } catch {
    return undefined;
  }
}

async function readText(path: string): Promise<string | undefined> {
  return (await readStart(path, 4096))?.text;
}

function clean(head: string): string | undefined {
  const [, branch] = /^ref: refs\/heads\/([\w./-]{1,200})\s*$/.exec(head) ?? [];
  return branch ?? /^[0-9a-f]{12}/.exec(head)?.[0];
}
