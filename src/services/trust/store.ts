/** Which folders the user trusts, and exactly what in them. A folder is untrusted until the user says so. */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { lstat, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../lib/is-object.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { TrustItem } from './items.ts';

/** What was seen when the user said yes. */
export interface TrustedFolder {
  /** Device and inode of the folder: another folder in its place is another one. */
  readonly identity: string;
  /** SHA-256 by id of what can run or configure. */
  readonly items: Readonly<Record<string, string>>;
}

export interface TrustStore {
  /** What is trusted of a folder, by its canonical path; undefined when it is not, or is another folder by now. */
  read(folder: string): Promise<TrustedFolder | undefined>;
  /** Trusts a folder with exactly these items. Throws `E_CONFIG_INVALID` when the store cannot be relied on. */
  trust(folder: string, items: readonly TrustItem[]): Promise<void>;
  untrust(folder: string): Promise<void>;
  /** The text of an item as it was trusted, when it is still there. */
  textOf(hash: string): Promise<string | undefined>;
}

export interface TrustFiles {
  /** Writes a file atomically, for its owner alone. */
  write(file: string, text: string): Promise<void>;
  /** Lets one process at a time change the file. */
  locked<T>(file: string, work: () => Promise<T>): Promise<T>;
}

type Folders = Map<string, TrustedFolder>;

/** The store in `trust.json` of the home, texts in `trust/`. Nothing is inherited from parents or by children. */
export function createTrustStore(home: string, { write, locked }: TrustFiles): TrustStore {
  const file = join(home, 'trust.json');
  const texts = join(home, 'trust');
  const change = (edit: (folders: Folders) => void | Promise<void>) => {
    return locked(file, async () => {
      const folders = readFolders(file);
      if (!folders)
        throw new ReinError('E_CONFIG_INVALID', { file, key: 'folders', detail: { text: 'config.trustDamaged' } });
      await edit(folders);
      const sorted = [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
      await write(file, `${JSON.stringify({ folders: Object.fromEntries(sorted) }, null, 2)}\n`);
      await dropTexts(texts, folders);
    });
  };
  return {
    async read(folder) {
      const found = readFolders(file)?.get(folder);
      return found && found.identity === (await identityOf(folder)) ? found : undefined;
    },
    async trust(folder, items) {
      const identity = await identityOf(folder);
      const hashes = Object.fromEntries(items.map(({ id, hash }) => [id, hash]));
      await change(async (folders) => {
        // Whoever drops texts that nobody needs must not see these before they are needed.
        for (const { hash, text } of items) await write(join(texts, hash), text);
        folders.set(folder, { identity, items: hashes });
      });
    },
    untrust: (folder) => change((folders) => void folders.delete(folder)),
    textOf: (hash) => readFile(join(texts, hash), 'utf8').catch(() => undefined),
  };
}

/** Blank for a folder that is not there, which equals no stored one. */
async function identityOf(folder: string): Promise<string> {
  const found = await stat(folder, { bigint: true }).catch(() => undefined);
  return found ? `${found.dev}:${found.ino}` : '';
}

/** Undefined when what is there cannot be relied on: then nothing is trusted. */
function readFolders(file: string): Folders | undefined {
  let descriptor: number | undefined;
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return new Map();
    // A link could lead to a file that somebody else writes.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return parse(descriptor);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Map() : undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function parse(descriptor: number): Folders | undefined {
  const stats = fstatSync(descriptor);
  const { mode, uid } = stats;
  const isOurs = process.getuid === undefined || uid === process.getuid() || uid === 0;
  if (!stats.isFile() || !isOurs || (mode & 0o022) !== 0) return undefined;
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor));
  const { folders } = JSON.parse(text) as { folders?: unknown };
  if (!isObject(folders) || !Object.values(folders).every(isTrusted)) return undefined;
  return new Map(Object.entries(folders as Record<string, TrustedFolder>));
}

function isTrusted(value: unknown): value is TrustedFolder {
  if (!isObject(value) || typeof value.identity !== 'string' || value.identity === '') return false;
  return isObject(value.items) && Object.values(value.items).every((hash) => typeof hash === 'string');
}

/** Texts that no folder needs any more. */
async function dropTexts(texts: string, folders: Folders): Promise<void> {
  const needed = new Set([...folders.values()].flatMap(({ items }) => Object.values(items)));
  const names = await readdir(texts).catch(() => []);
  for (const name of names) {
    const isText = /^[0-9a-f]{64}$/.test(name) && (await lstat(join(texts, name)).catch(() => undefined))?.isFile();
    if (isText && !needed.has(name)) await rm(join(texts, name), { force: true });
  }
}
