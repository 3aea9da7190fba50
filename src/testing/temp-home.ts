/** Folders for one test: a home for Rein and a workspace, removed together. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TempHome {
  /** To be used as `REIN_HOME`. */
  readonly home: string;
  /** The working folder. */
  readonly workspace: string;
  /** Writes files, by path below the workspace. */
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  /** Text of a file below the workspace. */
  read(path: string): Promise<string>;
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes the folders; `files` are written into the workspace. */
export async function createTempHome(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<TempHome> {
  // The real path, so that paths in results compare equal where the temporary folder is a link.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'rein-test-')));
  const home = join(root, 'home');
  const workspace = join(root, 'workspace');
  await mkdir(home, { mode: 0o700 });
  await mkdir(workspace);
  const remove = () => rm(root, { recursive: true, force: true });

  async function write(contents: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [path, content] of Object.entries(contents)) {
      const target = join(workspace, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    }
  }
  await write(files);
  const read = (path: string) => readFile(join(workspace, path), 'utf8');
  return { home, workspace, write, read, remove, [Symbol.asyncDispose]: remove };
}
