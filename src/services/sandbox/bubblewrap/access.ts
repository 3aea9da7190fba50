/** As whom commands run, and what that user can get at. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Who runs the commands of a workspace: we ourselves, but for root its owner, when the owner can get there. `undefined`
 * stands for ourselves.
 */
export function userFor(workspace: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(workspace);
  const owner = { uid, gid };
  return uid !== 0 && canReach(workspace, owner) ? owner : undefined;
}

/** Whether the user may enter every folder above `path`. Access lists are not looked at. */
export function canReach(path: string, user: User | undefined): boolean {
  const uid = user?.uid ?? process.getuid?.() ?? 0;
  const gid = user?.gid ?? process.getgid?.() ?? 0;
  for (let each = dirname(path); ; each = dirname(each)) {
    const stats = statSync(each, { throwIfNoEntry: false });
    if (!stats) return false;
    const needed = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001;
    if (uid !== 0 && (stats.mode & needed) === 0) return false;
    if (each === dirname(each)) return true;
  }
}

/** Name and home of a user in the system's own list. */
export function accountOf({ uid }: User): { readonly name: string; readonly home: string } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.split(':')[2] === String(uid));
  const [name, , , , , home] = line?.split(':') ?? [];
  return name && home ? { name, home } : undefined;
}
