/** The arguments for bubblewrap, in the order in which it carries them out: what comes later lies on top. Pure. */
import { dirname, relative } from 'node:path';

export interface Mask {
  readonly path: string;
  readonly isFolder: boolean;
}

export interface Profile {
  /** Canonical folders that commands may write to. */
  readonly writable: readonly string[];
  /** Takes the place of the system's temporary folders. */
  readonly temporary: string;
  /** What holds secrets: not to be seen. */
  readonly masks: readonly Mask[];
  /** What may be seen, and only seen, below a mask. */
  readonly visible: readonly string[];
  /** Protected names below `writable`, without links in their paths. */
  readonly readOnly: readonly string[];
  readonly network: boolean;
  /** Files under `/run` that are needed to find hosts; with `network` only. */
  readonly resolver: readonly string[];
  /** Who commands seem to be, where it may not be who they are: root keeps no name that tools take for power. */
  readonly seemsTo: { readonly uid: number; readonly gid: number } | undefined;
  readonly cwd: string;
  /** Number of the open file that holds the system-call filter. */
  readonly filter: number;
  /** Numbers of the open files for the control group; see `ProgramToStart.admit`. */
  readonly gate: { readonly tell: number; readonly wait: number } | undefined;
}

const temporaryFolders = ['/tmp', '/var/tmp'];

/** The arguments of `bwrap` (man bwrap), in the order of its mounts: later ones lie over earlier ones. */
export function toArguments(profile: Profile): string[] {
  const { writable, temporary, masks, visible, readOnly, network, resolver, seemsTo, cwd, filter, gate } = profile;
  const around = masks.filter(({ path }) => writable.some((root) => isBelow(root, path)));
  const within = masks.filter((mask) => !around.includes(mask) && !isReplaced(mask.path, writable));
  const parents = new Set(readOnly.flatMap((path) => parentsOf(path, writable)));
  return [
    ...['--unshare-all', '--unshare-user', '--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--as-pid-1'],
    ...(network ? ['--share-net'] : []),
    ...(seemsTo ? ['--uid', String(seemsTo.uid), '--gid', String(seemsTo.gid)] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...temporaryFolders.flatMap((folder) => ['--bind', temporary, folder]),
    ...['--tmpfs', '/run'],
    ...resolver.flatMap(toReadOnly),
    ...around.flatMap(toMask),
    ...visible.flatMap(toReadOnly),
    ...writable.flatMap((root) => ['--bind', root, root]),
    // Shortest first: a folder that is bound again shows what lies on the disk, not what was bound below it.
    ...[...parents].sort((a, b) => a.length - b.length).flatMap((path) => ['--bind-try', path, path]),
    ...within.flatMap(toMask),
    ...visible.filter((path) => !around.some((mask) => isBelow(path, mask.path))).flatMap(toReadOnly),
    ...readOnly.flatMap(toReadOnly),
    ...(gate ? ['--info-fd', String(gate.tell), '--block-fd', String(gate.wait)] : []),
    ...['--chdir', cwd, '--seccomp', String(filter)],
  ];
}

function toMask({ path, isFolder }: Mask): string[] {
  return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

function toReadOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

/** Folders between a root and a protected name. Were they not mounts, renaming one would take the name along. */
function parentsOf(path: string, writable: readonly string[]): string[] {
  const root = writable.find((each) => isBelow(path, each));
  const parents: string[] = [];
  for (let each = dirname(path); root !== undefined && isBelow(each, root); each = dirname(each)) parents.push(each);
  return parents;
}

function isReplaced(path: string, writable: readonly string[]): boolean {
  return (
    [...temporaryFolders, '/run'].some((folder) => isBelow(path, folder)) &&
    !writable.some((root) => isBelow(path, root))
  );
}

/** Strictly. */
export function isBelow(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from !== '' && from !== '..' && !from.startsWith('../');
}
