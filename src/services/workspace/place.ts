/**
 * Finds the place a path names beneath the allowed roots, component by component, never through a link: a link's target
 * is walked anew from a root, so one that leads outside is refused and there is no moment between check and use.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { visibleName } from '../../lib/text/visible.ts';
import { ReinError } from '../../protocol/errors.ts';
import { fileProblem, refuse } from './file-errors.ts';
import { childPath, type Folder, type OpenFolder } from './folder.ts';

const maxLinks = 40;
/** What Linux takes, in bytes; more characters can never fit. */
const maxPathLength = 4096;
/** File systems whose files are doors to the kernel; a folder of that name on the disk is none. */
const kernelDevices = new Set(['/proc', '/sys'].map(deviceOf).filter((device) => device !== deviceOf('/')));

export interface Root {
  readonly path: string;
  /** As it was given, perhaps through links. */
  readonly given: string;
  /** Only these files may be reached, by path below the root; all when absent. */
  readonly only?: ReadonlySet<string>;
}

/** Where a path leads: `name` in an open folder; no name for a root itself. Close the folder after use. */
export interface Place {
  readonly folder: Folder;
  readonly name: string;
  /** Canonical. */
  readonly path: string;
  /** What is there; never a link. */
  readonly stats: BigIntStats | undefined;
}

export interface OpenFile {
  readonly fd: number;
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Roots by the paths they are given as. Throws what the system says of one that is not there. */
export function createRoots(paths: readonly string[]): Root[] {
  return paths.map((given) => ({ given: resolve(given), path: realpathSync(given) }));
}

/** A root in which nothing but these files can be reached. */
export function createFileRoot(folder: string, files: readonly string[]): Root {
  const [root] = createRoots([folder]) as [Root];
  return { ...root, only: new Set(files) };
}

/** Throws `E_PATH_OUTSIDE`, or what the system says. `makeFolders` makes those that lack on the way. */
export function findPlace(roots: readonly Root[], openFolder: OpenFolder, input: string, makeFolders = false): Place {
  let { root, parts } = locate(roots, input, roots[0]!.path);
  for (let links = 0; links <= maxLinks; links++) {
    const step = walk(openFolder(root.path), parts, makeFolders);
    if ('path' in step) return step;
    ({ root, parts } = locate(roots, [step.target, ...step.rest].join('/'), step.base));
  }
  throw fileProblem('ELOOP', input);
}

/** Opens a regular file for reading. The caller closes the descriptor. */
export function openFile(roots: readonly Root[], openFolder: OpenFolder, input: string): OpenFile {
  const place = findPlace(roots, openFolder, input);
  try {
    const { folder, name, path, stats: expected } = place;
    if (!expected) throw fileProblem('ENOENT', input);
    requireFile(input, expected);
    return { ...openIn(folder, name), path };
  } finally {
    place.folder.close();
  }
}

/** Opens a regular file that lies in an open folder, never through a link. The caller closes the descriptor. */
export function openIn(folder: Folder, name: string): Omit<OpenFile, 'path'> {
  const fd = openSync(`${folder.door}/${name}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    folder.verify();
    const stats = fstatSync(fd, { bigint: true });
    requireFile(name, stats);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Refuses everything but regular files of a real file system. */
export function requireFile(shown: string, stats: BigIntStats): void {
  if (stats.isDirectory()) throw fileProblem('EISDIR', shown);
  if (kernelDevices.has(stats.dev)) throw refuse(shown, 'is a file of the system kernel, not of a disk');
  if (stats.isFile()) return;
  const kind = stats.isFIFO() ? 'a named pipe' : stats.isSocket() ? 'a socket' : 'a device';
  throw refuse(shown, `is ${kind}, not a regular file`);
}

/** The allowed root a path lies in, and the names from there. */
function locate(roots: readonly Root[], input: string, base: string): { root: Root; parts: string[] } {
  if (input.length > maxPathLength) throw fileProblem('ENAMETOOLONG', '');
  if (input.includes('\0')) throw fileProblem('EINVAL', input);
  const path = resolve(base, input);
  for (const root of roots) {
    const inside = below(root.path, path) ?? below(root.given, path);
    if (inside !== undefined && (!root.only || root.only.has(inside)))
      return { root, parts: inside.split('/').filter(Boolean) };
  }
  throw new ReinError('E_PATH_OUTSIDE', {
    path: visibleName(input),
    resolved: visibleName(path),
    root: roots[0]!.path,
  });
}

/** The rest of a path below a folder, or undefined when it is not below. */
export function below(folder: string, path: string): string | undefined {
  if (path === folder) return '';
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** How a canonical path is shown: relative to the root where it lies below it; hidden characters as escapes. */
export function shownPath(root: string, path: string): string {
  const inside = below(root, path);
  return visibleName(inside === undefined ? path : inside || '.');
}

interface Link {
  readonly target: string;
  /** The folder that holds the link. */
  readonly base: string;
  readonly rest: readonly string[];
}

function walk(start: Folder, parts: readonly string[], makeFolders: boolean): Place | Link {
  let folder = start;
  try {
    for (const [index, name] of parts.entries()) {
      if (index === parts.length - 1) return arrive(folder, name);
      const next = enter(folder, name, makeFolders);
      if (typeof next === 'string') {
        folder.close();
        return { target: next, base: folder.path, rest: parts.slice(index + 1) };
      }
      folder.close();
      folder = next;
    }
    const stats = lstatSync(`${folder.door}/.`, { bigint: true });
    return { folder, name: '', path: folder.path, stats };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** The last component: a place, or a link to follow. Keeps the folder open for a place only. */
function arrive(folder: Folder, name: string): Place | Link {
  const address = `${folder.door}/${name}`;
  const stats = lstatSync(address, { bigint: true, throwIfNoEntry: false });
  if (!stats?.isSymbolicLink()) return { folder, name, path: childPath(folder.path, name), stats };
  const target = readlinkSync(address);
  folder.close();
  return { target, base: folder.path, rest: [] };
}

/** The folder of that name, or the target of a link. */
function enter(folder: Folder, name: string, makeFolders: boolean): Folder | string {
  try {
    return folder.enter(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const address = `${folder.door}/${name}`;
    if (code === 'ENOENT' && makeFolders) {
      try {
        mkdirSync(address);
      } catch (failure) {
        if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure;
      }
      return folder.enter(name);
    }
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
    if (!lstatSync(address).isSymbolicLink()) throw error;
    return readlinkSync(address);
  }
}

function deviceOf(path: string): bigint {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.dev ?? -1n;
}
