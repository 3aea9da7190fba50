/** Writes files whole, where they still are what the writer thinks they are. */
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { visibleName } from '../../lib/text/visible.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { WriteExpectation } from '../../protocol/host.ts';
import { writeAtomically } from './atomic-write.ts';
import type { Door } from './door.ts';
import { fileProblem, toFileError } from './file-errors.ts';
import { type Place, requireFile } from './place.ts';
import { versionOf } from './read.ts';
import { TempJournal } from './temp-journal.ts';

/** Knows which version of each file was seen last. */
export class FileWriter {
  readonly #door: Door;
  readonly #journal: TempJournal;
  /** By canonical path. */
  readonly #seen = new Map<string, string>();

  /** `journal`: see `WorkspaceOptions`. */
  constructor(door: Door, journal: string | undefined) {
    this.#door = door;
    this.#journal = new TempJournal(journal);
  }

  /** See `Workspace.markSeen`; the path is canonical. */
  markSeen(path: string, version: string): void {
    this.#seen.set(path, version);
  }

  /** See `Workspace.write`. */
  async write(path: string, bytes: Uint8Array, expect?: WriteExpectation): Promise<void> {
    const door = this.#door;
    try {
      // Before folders are made on the way.
      door.requireOpen(path, resolve(door.folders[0]!, path));
      const place = door.find(path, true);
      try {
        door.requireOpen(path, place.path);
        await this.#writeAt(place, path, bytes, expect);
      } finally {
        place.folder.close();
      }
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  async #writeAt(place: Place, path: string, bytes: Uint8Array, expect?: WriteExpectation): Promise<void> {
    if (place.name === '') throw fileProblem('EISDIR', path);
    if (place.stats) requireFile(path, place.stats);
    const check = () => this.#requireExpected(path, place, expect);
    check();
    const tempName = this.#journal.nameIn(place.folder.path);
    const inTurn = (work: () => void) => this.#journal.inTurn(place.path, work);
    const stats = await writeAtomically({ place, bytes, tempName, create: expect === 'absent', check, inTurn });
    this.#seen.set(place.path, versionOf(stats));
  }

  #requireExpected(path: string, place: Place, expect: WriteExpectation | undefined): void {
    if (expect === undefined) return;
    const now = lstatSync(`${place.folder.door}/${place.name}`, { bigint: true, throwIfNoEntry: false });
    const version = now && versionOf(now);
    const known = this.#seen.get(place.path);
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
}
