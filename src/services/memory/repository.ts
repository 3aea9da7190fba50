/** Where what is remembered lies: one file for the user, one for each working folder. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ReinError } from '../../protocol/errors.ts';

/** The file for the user: preferences and the like, whatever the folder. */
export function userMemoryFile(home: string): string {
  return join(home, 'memory', 'AGENTS.md');
}

/** The file for a folder: named like it, with a hash of its path where another folder owns that name. */
export function repositoryMemoryFile(home: string, folder: string): string {
  const path = realpathSync.native(folder);
  const name = basename(path).replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'root';
  const plain = fileNamed(home, name);
  const owner = ownerOf(plain);
  if (owner === undefined || owner === path) return plain;
  return fileNamed(home, `${name}-${createHash('sha256').update(path).digest('hex').slice(0, 6)}`);
}

function fileNamed(home: string, name: string): string {
  return join(home, 'memory', 'repos', `${name}.md`);
}

/** Stores what is known of a folder, whole or not at all, and returns the file. Throws `E_FILE`. */
export async function saveRepositoryMemory(home: string, folder: string, text: string): Promise<string> {
  const file = repositoryMemoryFile(home, folder);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await mkdir(join(home, 'memory', 'repos'), { recursive: true, mode: 0o700 });
    const owned = withOwner(text.trim(), realpathSync(folder));
    await writeFile(temporary, `${owned}\n`, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new ReinError('E_FILE', { path: file, detail: (error as Error).message }, error);
  }
  return file;
}

/** The text with the line first that says whose it is. */
export function withOwner(text: string, folder: string): string {
  if (ownerIn(text) === folder) return text;
  // JSON, so that a path with a line break stays on its line.
  return `<!-- path: ${JSON.stringify(folder).replaceAll('--', '-\\u002d')} -->\n\n${text}`;
}

/** The folder a file is about; undefined when there is no file, `''` when it does not say. */
function ownerOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return ownerIn(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function ownerIn(text: string): string {
  const [, written = '""'] = /^<!-- path: (".*") -->\s*$/.exec(text.split('\n', 1)[0] ?? '') ?? [];
  try {
    return JSON.parse(written) as string;
  } catch {
    return '';
  }
}
