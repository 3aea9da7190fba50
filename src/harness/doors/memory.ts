/** What is remembered across sessions, for people who want to see it. */
import { readMemory } from '../../services/memory/memory.ts';
import { repositoryMemoryFile, saveRepositoryMemory, userMemoryFile } from '../../services/memory/repository.ts';
import type { Harness } from '../create-harness.ts';

export interface RememberedFile {
  readonly about: 'user' | 'repository';
  readonly path: string;
  /** As the model is told it; empty when there is no file. */
  readonly text: string;
}

/** The files of memory that count in the harness's folder. They need not exist. */
export async function listMemory({ home, cwd }: Pick<Harness, 'home' | 'cwd'>): Promise<RememberedFile[]> {
  const files = [
    { about: 'user', path: userMemoryFile(home) },
    { about: 'repository', path: repositoryMemoryFile(home, cwd) },
  ] as const;
  return Promise.all(files.map(async ({ about, path }) => ({ about, path, text: (await readMemory(path)).text })));
}

/** Stores a report about a folder as what is remembered of it, and returns the file. Throws `E_FILE`. */
export function saveReport({ home }: Pick<Harness, 'home'>, folder: string, report: string): Promise<string> {
  return saveRepositoryMemory(home, folder, report);
}
