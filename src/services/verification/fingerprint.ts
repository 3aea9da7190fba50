/** The state of all files that are not ignored as one hash, and which files make two states differ. */
import { createHash } from 'node:crypto';
import type { Workspace } from '../../protocol/host.ts';

interface Snapshot {
  readonly hash: string;
  /** Of each file, by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Remembers the two newest states that were not the same. */
export function createFingerprints(workspace: Pick<Workspace, 'walk' | 'info' | 'readPieces'>): {
  /** SHA-256 in hex over paths, contents, and whether a file may be run. */
  fingerprint(signal: AbortSignal): Promise<string>;
  /** Paths that differ between the two newest fingerprints; empty for any other two. */
  changedFiles(before: string, after: string): string[];
} {
  let newest: readonly [Snapshot?, Snapshot?] = [];
  return {
    async fingerprint(signal) {
      const taken = await take(signal);
      if (newest[1]?.hash !== taken.hash) newest = [newest[1], taken];
      return taken.hash;
    },
    changedFiles(before, after) {
      const [a, b] = newest;
      if (a?.hash !== before || b?.hash !== after) return [];
      const paths = new Set([...a.files.keys(), ...b.files.keys()]);
      return [...paths].filter((path) => a.files.get(path) !== b.files.get(path)).sort();
    },
  };

  async function take(signal: AbortSignal): Promise<Snapshot> {
    const all = createHash('sha256');
    const files = new Map<string, string>();
    for await (const path of workspace.walk('.', signal)) {
      const hash = await hashOf(path, signal);
      files.set(path, hash);
      all.update(`${path}\0${hash}\n`);
    }
    return { hash: all.digest('hex'), files };
  }

  async function hashOf(path: string, signal: AbortSignal): Promise<string> {
    const one = createHash('sha256');
    try {
      const { isExecutable } = await workspace.info(path);
      one.update(isExecutable ? 'x' : '-');
      for await (const piece of workspace.readPieces(path, signal)) one.update(piece);
    } catch {
      // What cannot be read counts as a file without content: it still has its name.
      signal.throwIfAborted();
    }
    return one.digest('base64');
  }
}
