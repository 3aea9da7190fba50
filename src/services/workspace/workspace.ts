/** The one door to files; see `Workspace` in protocol/host.ts for what each method promises. */
import { type BigIntStats, closeSync, lstatSync, read, readdirSync, readlinkSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { visibleName } from '../../lib/text/visible.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { DirectoryEntry, FileInfo, ReadLimits, Workspace, WriteExpectation } from '../../protocol/host.ts';
import { writeAtomically } from './atomic-write.ts';
import { fileProblem, refuse, toFileError } from './file-errors.ts';
import { type Folder, type OpenFolder, openFolderSafely } from './folder.ts';
import {
  below,
  createFileRoot,
  createRoots,
  findPlace,
  type OpenFile,
  openFile,
  type Place,
  requireFile,
  shownPath,
} from './place.ts';
import { readRange } from './read-range.ts';
import { countMatches, searchFiles } from './search.ts';
import { TempJournal } from './temp-journal.ts';
import type { FolderFiles } from './walk.ts';

const pieceSize = 131_072;
const readAt = promisify(read);

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

/** Opens a workspace. Throws `E_FOLDER_MISSING` when a root is no folder. */
export function createWorkspace(root: string, options: WorkspaceOptions): Workspace {
  const given = [root, ...(options.extraRoots ?? [])];
  for (const path of given) {
    if (!isFolder(path)) throw new ReinError('E_FOLDER_MISSING', { path });
  }
  const folders = createRoots(given);
  const { extraFiles } = options;
  const roots = extraFiles ? [...folders, createFileRoot(extraFiles.folder, extraFiles.files)] : folders;
  const openFolder = options.openFolder ?? openFolderSafely;
  const journal = new TempJournal(options.journal);
  const isSecret = options.isSecret ?? (() => false);
  /** Version last seen by canonical path. */
  const seen = new Map<string, string>();
  let program: Promise<string | undefined> | undefined;
  const findProgram = () => (program ??= options.ripgrep?.(workspace.roots) ?? Promise.resolve(undefined));

  const workspace: Workspace = {
    root: folders[0]!.path,
    roots: folders.map(({ path }) => path),
    limits: options.limits,
    resolve: (path) => atPlace(path, (place) => place.path),
    relative: (path) => shownPath(workspace.root, workspace.resolve(path)),
    info: async (path) =>
      atPlace(path, ({ path: found, stats }) => {
        requireOpen(path, found);
        if (!stats) throw fileProblem('ENOENT', path);
        return {
          kind: kindOf(stats),
          size: Number(stats.size),
          mtimeMs: Number(stats.mtimeMs),
          version: versionOf(stats),
        };
      }),
    readBytes: (path, start, length) => withFile(path, ({ fd }) => readRange(fd, start, length)),
    readPieces,
    readWhole: (path, maxBytes) =>
      withFile(path, async ({ fd, stats }) => {
        const size = Number(stats.size);
        if (size > maxBytes) throw new ReinError('E_FILE_TOO_LARGE', { path: visibleName(path), size, max: maxBytes });
        return { bytes: await readRange(fd, 0, size), version: versionOf(stats) };
      }),
    markSeen: (path, version) => void seen.set(workspace.resolve(path), version),
    list: async (path) =>
      atPlace(path, (place) => {
        requireOpen(path, place.path);
        const folder = place.name === '' ? undefined : place.folder.enter(place.name);
        try {
          return entriesOf(folder ?? place.folder);
        } finally {
          folder?.close();
        }
      }),
    write,
    walk,
    search: async (request) => searchFiles({ workspace, files: filesAt, ripgrep: await findProgram() }, request),
    count: async (request) => countMatches({ workspace, files: filesAt, ripgrep: await findProgram() }, request),
  };
  return workspace;

  /** Links are followed by now: another name does not open it. */
  function requireOpen(path: string, found: string): void {
    if (isSecret(found)) throw refuse(path, 'may hold keys, so no tool reads or changes it');
  }

  function open(path: string): OpenFile {
    const file = openFile(roots, openFolder, path);
    try {
      requireOpen(path, file.path);
      return file;
    } catch (error) {
      closeSync(file.fd);
      throw error;
    }
  }

  function atPlace<Result>(path: string, use: (place: Place) => Result): Result {
    try {
      const place = findPlace(roots, openFolder, path);
      try {
        return use(place);
      } finally {
        place.folder.close();
      }
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  async function withFile<Result>(path: string, use: (file: OpenFile) => Promise<Result>): Promise<Result> {
    try {
      const file = open(path);
      try {
        return await use(file);
      } finally {
        closeSync(file.fd);
      }
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  async function* readPieces(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      const { fd } = open(path);
      try {
        const piece = Buffer.allocUnsafe(pieceSize);
        while (true) {
          const { bytesRead } = await readAt(fd, piece, 0, pieceSize, null);
          signal.throwIfAborted();
          if (bytesRead === 0) return;
          yield piece.subarray(0, bytesRead);
        }
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      throw signal.aborted ? error : toFileError(error, path);
    }
  }

  async function write(path: string, bytes: Uint8Array, expect?: WriteExpectation): Promise<void> {
    try {
      // Before folders are made on the way.
      requireOpen(path, resolve(folders[0]!.path, path));
      const place = findPlace(roots, openFolder, path, true);
      try {
        requireOpen(path, place.path);
        if (place.name === '') throw fileProblem('EISDIR', path);
        if (place.stats) requireFile(path, place.stats);
        const check = () => requireExpected(path, place, expect);
        check();
        const tempName = journal.nameIn(place.folder.path);
        const inTurn = (work: () => void) => journal.inTurn(place.path, work);
        const stats = await writeAtomically({ place, bytes, tempName, create: expect === 'absent', check, inTurn });
        seen.set(place.path, versionOf(stats));
      } finally {
        place.folder.close();
      }
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  function requireExpected(path: string, place: Place, expect: WriteExpectation | undefined): void {
    if (expect === undefined) return;
    const now = lstatSync(`${place.folder.door}/${place.name}`, { bigint: true, throwIfNoEntry: false });
    const version = now && versionOf(now);
    const known = seen.get(place.path);
    const shown = { path: visibleName(path) };
    if (expect === 'absent') {
      if (now) throw fileProblem('EEXIST', path);
    } else if (expect === 'seen') {
      if (now && known === undefined) throw new ReinError('E_FILE_UNSEEN', shown);
      if (now && known !== version) throw new ReinError('E_FILE_CHANGED', shown);
    } else if (version !== expect.version || (known !== undefined && known !== version)) {
      throw new ReinError('E_FILE_CHANGED', shown);
    }
  }

  async function* walk(path: string, signal: AbortSignal): AsyncGenerator<string> {
    for await (const { path: inside, names } of walkFolders(path, signal))
      for (const name of names) yield inside + name;
  }

  async function* filesAt(path: string, signal: AbortSignal): AsyncGenerator<FolderFiles> {
    const { folder, name, path: found, stats } = findPlace(roots, openFolder, path);
    try {
      requireOpen(path, found);
      if (stats?.isFile()) yield { folder, path: '', names: [name] };
      else yield* walkFolders(path, signal);
    } finally {
      folder.close();
    }
  }

  async function* walkFolders(path: string, signal: AbortSignal): AsyncGenerator<FolderFiles> {
    const above: Folder[] = [];
    try {
      const target = workspace.resolve(path);
      requireOpen(path, target);
      const root = workspace.roots.find((one) => below(one, target) !== undefined)!;
      let folder = openFolder(root);
      for (const name of below(root, target)!.split('/').filter(Boolean)) {
        above.push(folder);
        folder = folder.enter(name);
      }
      const { walkFiles } = await import('./walk.ts');
      yield* walkFiles(folder, { above, isSecret, signal });
    } catch (error) {
      throw signal.aborted ? error : toFileError(error, path);
    } finally {
      for (const folder of above) folder.close();
    }
  }
}

function versionOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

function kindOf(stats: BigIntStats): FileInfo['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

function entriesOf(folder: Folder): DirectoryEntry[] {
  return readdirSync(`${folder.door}/`)
    .sort()
    .map((name) => {
      const address = `${folder.door}/${name}`;
      const stats = lstatSync(address, { bigint: true, throwIfNoEntry: false });
      const kind = stats ? kindOf(stats) : 'other';
      const target = kind === 'link' ? readlinkSync(address) : undefined;
      return { name, kind, size: Number(stats?.size ?? 0), ...(target !== undefined && { target }) };
    });
}

/** What cannot be looked at is none. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
