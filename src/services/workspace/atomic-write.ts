/** Writes a file so that everybody sees the old bytes or the new ones, also after a kill. */
import {
  accessSync,
  type BigIntStats,
  constants,
  fchmodSync,
  fchownSync,
  linkSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Place } from './place.ts';

export interface AtomicWrite {
  readonly place: Place;
  readonly bytes: Uint8Array;
  /** Name for the temporary file in the same folder. */
  readonly tempName: string;
  /** The target must not be there at the moment of truth. */
  readonly create: boolean;
  /** Called directly before the new bytes take their place; throws to leave everything as it was. */
  check(): void;
  /** Lets no other process of ours check and replace at the same time. */
  inTurn(work: () => void): void;
}

/** Returns what is there afterwards. A hard link is broken: the other name keeps its bytes. */
export async function writeAtomically({
  place,
  bytes,
  tempName,
  create,
  check,
  inTurn,
}: AtomicWrite): Promise<BigIntStats> {
  const { folder, name, stats: old } = place;
  const target = `${folder.door}/${name}`;
  const temp = `${folder.door}/${tempName}`;
  // A rename would also replace a file that may not be written.
  if (old) accessSync(target, constants.W_OK);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(temp, flags, old ? 0o600 : 0o666);
  try {
    await file.writeFile(bytes);
    if (old) keepOwnerAndMode(file, old);
    await file.sync();
    const stats = await file.stat({ bigint: true });
    inTurn(() => {
      folder.verify();
      check();
      if (create) {
        linkSync(temp, target);
        unlinkSync(temp);
      } else renameSync(temp, target);
    });
    return stats;
  } catch (error) {
    unlinkSync(temp);
    throw error;
  } finally {
    await file.close();
  }
}

function keepOwnerAndMode(file: FileHandle, { uid, gid, mode }: BigIntStats): void {
  try {
    if (Number(uid) !== process.geteuid?.() || Number(gid) !== process.getegid?.())
      fchownSync(file.fd, Number(uid), Number(gid));
  } catch (error) {
    // Only root gives files away; anybody else keeps the bytes and becomes the owner.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
  fchmodSync(file.fd, Number(mode) & 0o7777);
}
