/** Which protected names are in a folder that commands may write to, and what a command made of them. */
import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import {
  githubParts,
  gitParts,
  isBareRepository,
  isHarmlessConfig,
  kindOfName,
  type NameKind,
  pathsInConfig,
} from './protected-names.ts';

/** More folders than this are not looked at; dependencies come last. */
const maxFolders = 5000;
const lastFolders = new Set(['node_modules', '.venv', 'venv', 'target', 'vendor', 'site-packages']);
/** A folder that changed so shortly before it was read may change again with the same time. */
const racyNs = 50_000_000n;
const maxConfigBytes = 100_000;
/** Without its `HEAD` a bare repository is none. */
const bareParts = ['HEAD', 'config', 'hooks'];

/** A protected name that is there. */
export interface ProtectedEntry {
  /** Absolute, without links in it. */
  readonly path: string;
  readonly isLink: boolean;
  /** Changes when the name means something else. */
  readonly identity: string;
  /** Its own name is any name: a link, a setting or a repository makes it count. */
  readonly isLedTo: boolean;
}

interface Folder {
  readonly changed: bigint;
  readonly racy: boolean;
  readonly below: readonly string[];
  readonly names: readonly string[];
}

/** Knows the protected names below a folder and which of them changed since it last looked. */
export class WatchedFolder {
  readonly #root: string;
  #folders = new Map<string, Folder>();

  /** `root` is canonical. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Every protected name that is there now, by path. Only folders that changed since the last look are read again. */
  look(): Map<string, ProtectedEntry> {
    const found = new Map<string, ProtectedEntry>();
    const seen = new Map<string, Folder>();
    const queues: [string[], string[]] = [[this.#root], []];
    for (const queue of queues) {
      for (const path of queue) {
        if (seen.size >= maxFolders) break;
        const folder = this.#read(path);
        if (!folder) continue;
        seen.set(path, folder);
        for (const name of folder.names) this.#add(join(path, name), found);
        for (const name of folder.below) queues[lastFolders.has(name) ? 1 : 0].push(join(path, name));
      }
    }
    this.#folders = seen;
    return found;
  }

  #read(path: string): Folder | undefined {
    const stats = statOf(path);
    if (!stats?.isDirectory()) return undefined;
    const known = this.#folders.get(path);
    if (known && !known.racy && known.changed === stats.ctimeNs) return known;
    const entries = quietly(() => readdirSync(path, { withFileTypes: true }));
    if (!entries) return undefined;
    const isRoot = path === this.#root;
    const names = entries.map(({ name }) => name).filter((name) => kindOfName(name, isRoot) !== undefined);
    if (isBareRepository(new Set(entries.map(({ name }) => name)))) names.push(...bareParts);
    const below = entries.flatMap((entry) => (entry.isDirectory() && !names.includes(entry.name) ? [entry.name] : []));
    const racy = BigInt(Date.now()) * 1_000_000n - stats.ctimeNs < racyNs;
    return { changed: stats.ctimeNs, racy, below, names };
  }

  #add(path: string, found: Map<string, ProtectedEntry>): void {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const kind = kindOfName(name, dirname(path) === this.#root);
    this.#addEntry(path, { kind: kind ?? 'whole', isLedTo: kind === undefined && name !== 'HEAD' }, found);
  }

  #addEntry(path: string, as: { kind: NameKind; isLedTo: boolean }, found: Map<string, ProtectedEntry>): void {
    const stats = statOf(path);
    if (!stats) return;
    const { kind, isLedTo } = as;
    if (stats.isSymbolicLink()) {
      found.set(path, { path, isLink: true, isLedTo, identity: `link ${quietly(() => readlinkSync(path)) ?? ''}` });
      const real = this.#realInside(path);
      if (real !== undefined) this.#addEntry(real, { kind, isLedTo: true }, found);
    } else if (kind === 'whole' || !stats.isDirectory()) {
      const known = found.get(path);
      found.set(path, { path, isLink: false, isLedTo: isLedTo && known?.isLedTo !== false, identity: `${stats.ino}` });
    } else {
      const parts = kind === 'git' ? gitParts : githubParts;
      for (const part of parts) this.#addEntry(join(path, part), { kind: 'whole', isLedTo }, found);
      if (kind === 'git') this.#followConfig(path, found);
    }
  }

  /** Hooks and settings that a repository keeps elsewhere in the folder. */
  #followConfig(git: string, found: Map<string, ProtectedEntry>): void {
    const text = readSmall(join(git, 'config'));
    if (text === undefined) return;
    const { hooks, includes } = pathsInConfig(text);
    const paths = [...hooks.map((each) => resolve(dirname(git), each)), ...includes.map((each) => resolve(git, each))];
    for (const each of paths) {
      const real = this.#realInside(each);
      if (real !== undefined) this.#addEntry(real, { kind: 'whole', isLedTo: true }, found);
    }
  }

  /** The canonical path, when it lies below the root. */
  #realInside(path: string): string | undefined {
    const real = quietly(() => realpathSync(path));
    return real !== undefined && this.#holds(real) ? real : undefined;
  }

  #holds(path: string): boolean {
    const from = relative(this.#root, path);
    return from !== '' && !from.startsWith('..') && !isAbsolute(from);
  }
}

/** What is there now and was not, or means something else now; but not what `git init` and `git clone` make. */
export function findAppeared(
  before: ReadonlyMap<string, ProtectedEntry>,
  now: ReadonlyMap<string, ProtectedEntry>,
): ProtectedEntry[] {
  const fresh = [...now.values()].filter(({ path, identity }) => before.get(path)?.identity !== identity);
  return fresh.filter((entry) => !entry.isLedTo && !isOfNewRepository(entry, before));
}

function isOfNewRepository({ path, isLink }: ProtectedEntry, before: ReadonlyMap<string, ProtectedEntry>): boolean {
  const git = dirname(path);
  if (isLink || before.has(path) || !git.endsWith('/.git')) return false;
  if (!isBareRepository(new Set(quietly(() => readdirSync(git)) ?? []))) return false;
  if (path.endsWith('/hooks'))
    return (quietly(() => readdirSync(path)) ?? ['?']).every((name) => name.endsWith('.sample'));
  if (!path.endsWith('/config') || !statOf(path)?.isFile()) return false;
  const text = readSmall(path);
  return text !== undefined && isHarmlessConfig(text);
}

function readSmall(path: string): string | undefined {
  const stats = statOf(path);
  if (!stats?.isFile() || stats.size > maxConfigBytes) return undefined;
  return quietly(() => readFileSync(path, 'utf8'));
}

function statOf(path: string): BigIntStats | undefined {
  return quietly(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}

/** Things vanish, and some are not ours to look at. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
