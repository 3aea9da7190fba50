/** A skill's text and files, when it is used. */
import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ReinError } from '../../protocol/errors.ts';
import { readFrontMatter } from './front-matter.ts';
import { liesBelow, maxSkillBytes } from './load.ts';
import type { Skill } from './skill.ts';

const maxFiles = 100;
const maxDepth = 4;

/** The body, without front matter. Throws `E_FILE`. */
export async function readBody(skill: Skill): Promise<string> {
  const front = await readFrontMatter(await readText(skill.file));
  if (front === undefined || front === 'unclosed')
    throw new ReinError('E_FILE', { path: skill.file, detail: 'it changed' });
  return front.body.trim();
}

/** The other files of its folder, relative to it, in order. */
export async function listFiles({ folder }: Skill): Promise<{ files: string[]; more: boolean }> {
  const files: string[] = [];
  const visit = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length > maxFiles || entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < maxDepth) await visit(path, depth + 1);
      else if (entry.isFile() && path !== join(folder!, 'SKILL.md')) files.push(relative(folder!, path));
    }
  };
  if (folder !== undefined) await visit(folder, 0);
  return { files: files.slice(0, maxFiles), more: files.length > maxFiles };
}

/** A file of the skill's folder. Throws `E_PATH_OUTSIDE`, `E_FILE`. */
export async function readSkillFile({ folder }: Skill, path: string): Promise<string> {
  const file = join(folder ?? '', path);
  if (folder === undefined || path.includes('\0'))
    throw new ReinError('E_FILE', { path, detail: 'the skill has no files' });
  if (!file.startsWith(`${folder}/`)) throw new ReinError('E_PATH_OUTSIDE', { path, resolved: file, root: folder });
  const text = await readText(file);
  // After it was opened, so that a missing file is not called one that leads outside.
  if (!liesBelow(file, folder)) throw new ReinError('E_PATH_OUTSIDE', { path, resolved: file, root: folder });
  return text;
}

async function readText(file: string): Promise<string> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ReinError('E_FILE', { path: file, detail: 'it is no file' });
    if (stats.size > maxSkillBytes) {
      throw new ReinError('E_FILE_TOO_LARGE', { path: file, size: stats.size, max: maxSkillBytes });
    }
    return await handle.readFile('utf8');
  } catch (error) {
    if (ReinError.is(error)) throw error;
    throw new ReinError('E_FILE', { path: file, detail: (error as NodeJS.ErrnoException).code ?? 'EIO' }, error);
  }
}
