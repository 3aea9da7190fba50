/**
 * The files of a folder that a command names. Whoever changes the script that a hook or server runs changes the hook or
 * server. Only names that are written out are found: what a script itself reads or starts is not.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { commandWords } from './command-words.ts';

export interface NamedFile {
  /** Path below the folder, as the command reaches it. */
  readonly name: string;
  /** Absolute; without links where it is there. */
  readonly path: string;
  /** SHA-256, hexadecimal, of where it leads and of its bytes; absent for a file that is not there. */
  readonly hash?: string;
}

/** Enough for what people write; looking for a name takes a moment. */
const maxNames = 1000;

/**
 * The files that `texts` (a command, or a program and its arguments) name, in order of their names, and those that
 * could come to be by such a name. `folder` is canonical. Links are followed: what runs is what they lead to.
 */
export async function findNamedFiles(folder: string, texts: readonly string[]): Promise<NamedFile[]> {
  const words = [...new Set(texts.flatMap(commandWords))];
  const isFolder = await Promise.all(words.map((word) => isDirectory(join(folder, toName(word, folder)))));
  // `cd scripts && ./check.sh`, and a server with a folder of its own.
  const bases = ['', ...words.filter((_, index) => isFolder[index])];
  const names = new Set(bases.flatMap((base) => words.map((word) => toName(join(base, toName(word, folder)), folder))));
  const found = await Promise.all([...names].slice(0, maxNames).map((name) => look(folder, name)));
  return found.filter((file) => file !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function toName(word: string, folder: string): string {
  return isAbsolute(word) && (word === folder || word.startsWith(`${folder}/`)) ? relative(folder, word) : word;
}

async function look(folder: string, name: string): Promise<NamedFile | undefined> {
  const isWithin = (path: string) => path.startsWith(`${folder}/`);
  const written = isAbsolute(name) ? name : join(folder, name);
  if (written === folder || written.includes('\0')) return undefined;
  const path = await realpath(written).catch(() => undefined);
  if (path === undefined) {
    const mayCome = isWithin(written) && /[./]/.test(name);
    return mayCome ? { name: relative(folder, written), path: written } : undefined;
  }
  if (!isWithin(written) && !isWithin(path)) return undefined;
  const bytes = await hashOfFile(path);
  if (bytes === undefined) return undefined;
  const hash = path === written ? bytes : createHash('sha256').update(`${path}\n${bytes}`).digest('hex');
  return { name: relative(folder, written), path, hash };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Undefined for what is no file, or is not to be read. */
async function hashOfFile(path: string): Promise<string | undefined> {
  try {
    // Opening a pipe must not wait for who writes to it.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
