/** Files below a folder, in name order, links not followed, `.gitignore` respected at every level, secrets left out. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import ignore, { type Ignore } from 'ignore';
import { childPath, type Folder } from './folder.ts';

const maxDepth = 200;
const maxIgnoreFile = 1_000_000;

/** The rules of one `.gitignore`, and the path from its folder to the one being read, with `/` at its end. */
interface Rules {
  readonly ignore: Ignore;
  readonly prefix: string;
}

export interface Walk {
  /** The folders from the root down to the first one, whose rules count too; they stay open. */
  readonly above: readonly Folder[];
  /** Whether what lies at an absolute path is left out because it holds keys. */
  isSecret(path: string): boolean;
  readonly signal: AbortSignal;
}

/** Some files of one folder, in order. The folder is open until the next are asked for. */
export interface FolderFiles {
  readonly folder: Folder;
  /** From where the walk began, with `/` at its end; empty there. */
  readonly path: string;
  readonly names: readonly string[];
}

/** Closes `folder` at the end. Folders that cannot be read are left out. */
export async function* walkFiles(folder: Folder, walk: Walk): AsyncGenerator<FolderFiles> {
  const { above } = walk;
  const rules: Rules[] = [];
  for (const [index, one] of above.entries()) {
    const next = above[index + 1] ?? folder;
    addRules(rules, one);
    enterRules(rules, next.path.slice(next.path.lastIndexOf('/') + 1));
  }
  yield* visit(folder, '', rules, walk);
}

async function* visit(folder: Folder, path: string, outer: readonly Rules[], walk: Walk): AsyncGenerator<FolderFiles> {
  try {
    const rules = [...outer];
    addRules(rules, folder);
    const entries = await readdir(`${folder.door}/`, { withFileTypes: true }).catch(() => []);
    walk.signal.throwIfAborted();
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    let names: string[] = [];
    for (const entry of entries) {
      if (walk.isSecret(childPath(folder.path, entry.name))) continue;
      if (entry.isFile()) {
        if (!isIgnored(rules, entry.name)) names.push(entry.name);
      } else if (entry.isDirectory() && entry.name !== '.git' && !isIgnored(rules, `${entry.name}/`)) {
        const child = enterQuietly(folder, entry.name);
        if (!child) continue;
        if (names.length > 0) yield { folder, path, names };
        names = [];
        const inner = [...rules];
        enterRules(inner, entry.name);
        yield* visit(child, `${path}${entry.name}/`, inner, walk);
      }
    }
    if (names.length > 0) yield { folder, path, names };
  } finally {
    folder.close();
  }
}

/** A folder may vanish, become a link or be closed to us meanwhile: then it holds no files for us. */
function enterQuietly(folder: Folder, name: string): Folder | undefined {
  if (folder.path.split('/').length > maxDepth) return undefined;
  try {
    return folder.enter(name);
  } catch {
    return undefined;
  }
}

function enterRules(rules: Rules[], name: string): void {
  for (const [index, { ignore: own, prefix }] of rules.entries())
    rules[index] = { ignore: own, prefix: `${prefix}${name}/` };
}

/** The rules nearest to a file decide. */
function isIgnored(rules: readonly Rules[], name: string): boolean {
  for (const { ignore: own, prefix } of rules.toReversed()) {
    const { ignored, unignored } = own.test(prefix + name);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function addRules(rules: Rules[], folder: Folder): void {
  const text = readIgnoreFile(folder);
  if (text !== undefined) rules.push({ ignore: ignore({ allowRelativePaths: true }).add(text), prefix: '' });
}

function readIgnoreFile(folder: Folder): string | undefined {
  let fd: number;
  try {
    fd = openSync(`${folder.door}/.gitignore`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= maxIgnoreFile ? readFileSync(fd, 'utf8') : undefined;
  } finally {
    closeSync(fd);
  }
}
