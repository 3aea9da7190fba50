/** The files of a folder; see `Workspace` in protocol/host.ts for what each method promises. */
import { closeSync } from 'node:fs';
import { visibleName } from '../../lib/text/visible.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { FileBytes, Workspace } from '../../protocol/host.ts';
import { Door, type WorkspaceOptions } from './door.ts';
import { fileProblem, toFileError } from './file-errors.ts';
import { FileWriter } from './file-writer.ts';
import { type OpenFile, type Place, shownPath } from './place.ts';
import { entriesOf, infoOf, readAt, readRange, versionOf } from './read.ts';
import { countMatches, searchFiles } from './search.ts';

const pieceSize = 131_072;

/** Opens a workspace. Throws `E_FOLDER_MISSING` when a root is no folder. */
export function createWorkspace(root: string, options: WorkspaceOptions): Workspace {
  const door = new Door(root, options);
  const writer = new FileWriter(door, options.journal);
  const resolve = (path: string) => door.atPlace(path, (place) => place.path);
  let program: Promise<string | undefined> | undefined;
  const searched = async () => {
    program ??= options.ripgrep?.(door.folders) ?? Promise.resolve(undefined);
    return { workspace, files: door.filesAt.bind(door), ripgrep: await program };
  };

  const workspace: Workspace = {
    root: door.folders[0]!,
    roots: door.folders,
    limits: options.limits,
    resolve,
    relative: (path) => shownPath(workspace.root, resolve(path)),
    info: async (path) => door.atPlace(path, (place) => infoAt(door, path, place)),
    readBytes: (path, start, length) => door.withFile(path, ({ fd }) => readRange(fd, start, length)),
    readPieces: (path, signal) => piecesOf(door, path, signal),
    readWhole: (path, maxBytes) => door.withFile(path, (file) => wholeFile(path, file, maxBytes)),
    markSeen: (path, version) => writer.markSeen(resolve(path), version),
    list: async (path) => door.atPlace(path, (place) => entriesAt(door, path, place)),
    write: (path, bytes, expect) => writer.write(path, bytes, expect),
    walk: (path, signal) => walk(door, path, signal),
    search: async (request) => searchFiles(await searched(), request),
    count: async (request) => countMatches(await searched(), request),
  };
  return workspace;
}

function infoAt(door: Door, path: string, { path: found, stats }: Place) {
  door.requireOpen(path, found);
  if (!stats) throw fileProblem('ENOENT', path);
  return infoOf(stats);
}

function entriesAt(door: Door, path: string, place: Place) {
  door.requireOpen(path, place.path);
  const folder = place.name === '' ? undefined : place.folder.enter(place.name);
  try {
    return entriesOf(folder ?? place.folder);
  } finally {
    folder?.close();
  }
}

async function wholeFile(path: string, { fd, stats }: OpenFile, max: number): Promise<FileBytes> {
  const size = Number(stats.size);
  if (size > max) throw new ReinError('E_FILE_TOO_LARGE', { path: visibleName(path), size, max });
  return { bytes: await readRange(fd, 0, size), version: versionOf(stats) };
}

async function* piecesOf(door: Door, path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const { fd } = door.open(path);
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

async function* walk(door: Door, path: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { path: inside, names } of door.walk(path, signal)) {
    for (const name of names) yield inside + name;
  }
}
