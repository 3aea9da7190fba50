/** What is remembered of a repository: one Markdown file for each folder that was analysed. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ReinError } from '../protocol/errors.ts';
import { readEnvironment } from '../services/config/environment.ts';

/** The file for a folder: named like it, with a hash of its path where another folder owns that name. */
export async function repositoryMemoryFile(home: string, folder: string): Promise<string> {
  const path = await realpath(folder);
  const name = basename(path).replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'root';
  const plain = fileNamed(home, name);
  const owner = await ownerOf(plain);
  if (owner === undefined || owner === path) return plain;
  return fileNamed(home, `${name}-${createHash('sha256').update(path).digest('hex').slice(0, 6)}`);
}

/** The file for a folder in the user's home, when there is one. */
export async function findRepositoryMemory(folder: string): Promise<string | undefined> {
  const { home } = await readEnvironment();
  const file = await repositoryMemoryFile(home, folder);
  return (await ownerOf(file)) === (await realpath(folder)) ? file : undefined;
}

function fileNamed(home: string, name: string): string {
  return join(home, 'memory', 'repos', `${name}.md`);
}

/** Stores what is known of a folder, whole or not at all, and returns the file. Throws `E_FILE`. */
export async function saveRepositoryMemory(home: string, folder: string, text: string): Promise<string> {
  const file = await repositoryMemoryFile(home, folder);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await mkdir(join(home, 'memory', 'repos'), { recursive: true, mode: 0o700 });
    const head = firstLine(await realpath(folder));
    await writeFile(temporary, `${head}\n\n${text.trim()}\n`, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new ReinError('E_FILE', { path: file, detail: (error as Error).message }, error);
  }
  return file;
}

/** JSON, so that a path with a line break stays on its line. */
function firstLine(path: string): string {
  return `<!-- path: ${JSON.stringify(path)} -->`;
}

/** The folder that a file belongs to; blank when nobody can say, undefined when there is no file. */
async function ownerOf(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [, written = ''] = /^<!-- path: (".*") -->$/.exec(text.split('\n', 1)[0] ?? '') ?? [];
  try {
    return JSON.parse(written) as string;
  } catch {
    return '';
  }
}
