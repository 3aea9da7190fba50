/** The door that every access walks through: it finds the place beneath the roots, refuses secrets and names errors. */
import { closeSync, statSync } from 'node:fs';
import { ReinError } from '../../protocol/errors.ts';
import type { ReadLimits } from '../../protocol/host.ts';
import { refuse, toFileError } from './file-errors.ts';
import { type Folder, type OpenFolder, openFolderSafely } from './folder.ts';
import {
  below,
  createFileRoot,
  createRoots,
  findPlace,
  type OpenFile,
  openFile,
  type Place,
  type Root,
} from './place.ts';
import type { FolderFiles } from './walk.ts';

export interface WorkspaceOptions {
  readonly limits: ReadLimits;
  /** More folders that absolute paths may lead to. */
  readonly extraRoots?: readonly string[];
  /** A folder in which only these files can be reached, by path below it. They need not be there. */
  readonly extraFiles?: { readonly folder: string; readonly files: readonly string[] };
  /** Whether what lies at a canonical path holds keys: it is neither read nor written nor found. */
  readonly isSecret?: (path: string) => boolean;
  /** A folder for records of temporary files, so that those of a killed process are removed by the next workspace. */
  readonly journal?: string;
  /** Finds the ripgrep program, asked once at the first search; without one JavaScript matches. */
  readonly ripgrep?: (roots: readonly string[]) => Promise<string | undefined>;
  /** How folders are held; the safest way of this system when absent. */
  readonly openFolder?: OpenFolder;
}

/** What it throws is told of the path as it was given. */
export class Door {
  /** Canonical paths of the folders that may be searched, the working folder first. */
  readonly folders: readonly string[];
  readonly #roots: readonly Root[];
  readonly #openFolder: OpenFolder;
  readonly #isSecret: (path: string) => boolean;

  /** Throws `E_FOLDER_MISSING` when a root is no folder. */
  constructor(root: string, options: WorkspaceOptions) {
    const { extraRoots = [], extraFiles, isSecret = () => false, openFolder = openFolderSafely } = options;
    const given = [root, ...extraRoots];
    for (const path of given) {
      if (!isFolder(path)) throw new ReinError('E_FOLDER_MISSING', { path });
    }
    const folders = createRoots(given);
    this.folders = folders.map(({ path }) => path);
    this.#roots = extraFiles ? [...folders, createFileRoot(extraFiles.folder, extraFiles.files)] : folders;
    this.#openFolder = openFolder;
    this.#isSecret = isSecret;
  }

  /** Links are followed by now: another name does not open it. */
  requireOpen(path: string, found: string): void {
    if (this.#isSecret(found)) throw refuse(path, 'may hold keys, so no tool reads or changes it');
  }

  /** See `findPlace`; the caller closes the folder. */
  find(path: string, makeFolders = false): Place {
    return findPlace(this.#roots, this.#openFolder, path, makeFolders);
  }

  /** Does something where a path leads, secrets included. */
  atPlace<Result>(path: string, use: (place: Place) => Result): Result {
    try {
      const place = this.find(path);
      try {
        return use(place);
      } finally {
        place.folder.close();
      }
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  /** Does something with a file that is open for reading. */
  async withFile<Result>(path: string, use: (file: OpenFile) => Promise<Result>): Promise<Result> {
    try {
      const file = this.open(path);
      try {
        return await use(file);
      } finally {
        closeSync(file.fd);
      }
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  /** Opens a regular file that is no secret; the caller closes it and names the errors. */
  open(path: string): OpenFile {
    const file = openFile(this.#roots, this.#openFolder, path);
    try {
      this.requireOpen(path, file.path);
      return file;
    } catch (error) {
      closeSync(file.fd);
      throw error;
    }
  }

  /** A file, or what {@link walk} finds, each with the open folder that it lies in. */
  async *filesAt(path: string, signal: AbortSignal): AsyncGenerator<FolderFiles> {
    const { folder, name, path: found, stats } = this.find(path);
    try {
      this.requireOpen(path, found);
      if (stats?.isFile()) yield { folder, path: '', names: [name] };
      else yield* this.walk(path, signal);
    } finally {
      folder.close();
    }
  }

  /** The files below a folder, by folders; see `Workspace.walk`. */
  async *walk(path: string, signal: AbortSignal): AsyncGenerator<FolderFiles> {
    const above: Folder[] = [];
    try {
      const target = this.atPlace(path, (place) => place.path);
      this.requireOpen(path, target);
      const root = this.folders.find((one) => below(one, target) !== undefined)!;
      let folder = this.#openFolder(root);
      for (const name of below(root, target)!.split('/').filter(Boolean)) {
        above.push(folder);
        folder = folder.enter(name);
      }
      const { walkFiles } = await import('./walk.ts');
      yield* walkFiles(folder, { above, isSecret: this.#isSecret, signal });
    } catch (error) {
      throw signal.aborted ? error : toFileError(error, path);
    } finally {
      for (const folder of above) folder.close();
    }
  }
}

/** What cannot be looked at is none. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
