/**
 * An open folder. On Linux it is held by a descriptor, so what is done through its `door` happens in that very folder,
 * whatever is renamed meanwhile. Elsewhere it is a path that is compared again after use, which is weaker.
 */
import { closeSync, constants, existsSync, lstatSync, openSync, realpathSync } from 'node:fs';
import { fileProblem } from './file-errors.ts';

/** Names a folder or link without reading it; Linux only. */
const O_PATH = 0o10000000;

export interface Folder {
  /** Canonical path at the time of opening. */
  readonly path: string;
  /** What to put before `/name` in a call to the file system. */
  readonly door: string;
  /** Opens a folder in it. Throws ENOTDIR for anything else, links included. */
  enter(name: string): Folder;
  /** Throws when the folder is no longer where it was opened. */
  verify(): void;
  close(): void;
}

export type OpenFolder = (path: string) => Folder;

/** Opens a canonical path by descriptor. */
export const openByDescriptor: OpenFolder = (path) => new DescriptorFolder(path, path);

/** Opens a canonical path by name. */
export const openByName: OpenFolder = (path) => new NamedFolder(path);

/** Opens a canonical path in the safest way of this system. */
export const openFolderSafely: OpenFolder =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? openByDescriptor : openByName;

class DescriptorFolder implements Folder {
  readonly path: string;
  readonly door: string;
  readonly #fd: number;

  constructor(path: string, address: string) {
    this.#fd = openSync(address, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    this.path = path;
    this.door = `/proc/self/fd/${this.#fd}`;
  }

  enter(name: string): Folder {
    return new DescriptorFolder(childPath(this.path, name), `${this.door}/${name}`);
  }

  verify(): void {}

  close(): void {
    closeSync(this.#fd);
  }
}

class NamedFolder implements Folder {
  readonly path: string;
  readonly door: string;

  constructor(path: string) {
    if (!lstatSync(path).isDirectory()) throw fileProblem('ENOTDIR', path);
    this.path = path;
    this.door = path === '/' ? '' : path;
  }

  enter(name: string): Folder {
    return new NamedFolder(childPath(this.path, name));
  }

  verify(): void {
    if (realpathSync(this.path) !== this.path) throw fileProblem('ELOOP', this.path);
  }

  close(): void {}
}

/** The path of what is called `name` in a folder. */
export function childPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}
