/** Commands in a bubblewrap sandbox. Whether it holds is for the canary to say, not for this. */
import { closeSync, existsSync, lstatSync, openSync, realpathSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ReinError } from '../../../protocol/errors.ts';
import { createProcessGroup } from '../process-group.ts';
import { explainRefusals } from '../refusals.ts';
import { type ProgramToStart, type SandboxDriver, shellFile } from '../sandbox-driver.ts';
import { accountOf, canReach, type User, userFor } from './access.ts';
import { isBelow, type Mask, type Profile, toArguments } from './bubblewrap-profile.ts';
import { createNameGuard } from './guard-names.ts';
import { findLinkedWorktree } from './linked-worktree.ts';
import { buildFilter } from './seccomp.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts';

/** The system's own; never one that lies in a workspace or comes first in PATH. */
export const systemBubblewrap = '/usr/bin/bwrap';

export interface BubblewrapOptions {
  readonly program?: string;
  /** Canonical folders of the user's that commands may write to; the first decides who runs them. */
  readonly roots: readonly string[];
  /** The user's home, absolute. It, and what lies around it, is never writable as a whole. */
  readonly userHome: string;
  /** Absolute paths of files and folders that hold secrets. */
  readonly secrets: readonly string[];
  /** Folders below `secrets` that commands may read. */
  readonly visible: readonly string[];
  /** Absolute paths of files below `roots` that commands may read alone, where they are there. */
  readonly guarded?: readonly string[];
  /** Absolute path of a folder that takes what commands may not leave behind. */
  readonly aside: string;
  readonly maxProcesses?: number;
  /** What commands have in place of no network at all. */
  readonly network?: CommandNetwork;
}

/** A network that leads to some hosts only. */
export interface CommandNetwork {
  readonly hosts: readonly string[];
  /** What programs find their way by. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Arguments for bubblewrap that run bubblewrap with the arguments `inner` in this network. `isRoot`: it needs no user
   * namespace of its own. `gate` is the profile's, for the outer one to keep.
   */
  around(inner: readonly string[], isRoot: boolean, gate: Profile['gate']): string[];
}

/** As whom root's commands see themselves: not as root. */
const nobodySpecial = { uid: 1000, gid: 1000 };
const filterNumber = 3;
const gate = { tell: 4, wait: 5 };
const temporaryVariables = ['TMPDIR', 'TEMP', 'TMP'];
/** Tools that do not work without a cache they can write to; the home is read-only. */
const caches = { npm_config_cache: '/tmp/.npm', GOCACHE: '/tmp/.go-build', UV_CACHE_DIR: '/tmp/.uv' };

/**
 * The shell around the command is the first process of the sandbox: when it ends, the kernel ends all the others. The
 * system's smallest, which starts in half the time; the number of processes is `-u` to some of them and `-p` to others.
 */
const firstShell = '/bin/sh';
const firstScript = (maxProcesses: number) =>
  `exec 2>/dev/null; ulimit -u ${maxProcesses} || ulimit -p ${maxProcesses}; (exec ${shellFile} --noprofile --norc -c -- "$1" 2>&1); exit $?`;

/** What of the system root alone can read. */
const systemSecrets = [
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/ssl/private'],
  ...['rsa', 'ecdsa', 'ed25519'].map((kind) => `/etc/ssh/ssh_host_${kind}_key`),
];

/** The folders of `roots` that commands may write to: none that holds the user's home or the whole system. */
export function writableRoots(roots: readonly string[], userHome: string): string[] {
  return roots.filter((root) => root !== '/' && root !== userHome && !isBelow(userHome, root));
}

/** Throws `E_SANDBOX_UNAVAILABLE` on a processor without a filter. */
export function createBubblewrap(options: BubblewrapOptions): SandboxDriver {
  const { program = systemBubblewrap, roots, userHome, visible, aside, maxProcesses = 4096, guarded = [] } = options;
  const filter = buildFilter(process.arch);
  if (!filter) throw new ReinError('E_SANDBOX_UNAVAILABLE', { detail: `no filter for ${process.arch}` });
  const user = userFor(roots[0] as string);
  const writable = writableRoots(roots, userHome);
  const guard = createNameGuard(writable, aside);
  const isRoot = process.getuid?.() === 0 && user === undefined;
  const secrets = isRoot ? [...options.secrets, ...systemSecrets] : options.secrets;
  let kept: ReturnType<typeof keep> | undefined;

  return {
    name: 'bubblewrap',
    prepare({ command, cwd, environment, network }): ProgramToStart {
      kept ??= keep(filter, user, isRoot ? maxProcesses : undefined);
      const masks = toMasks(secrets, user);
      const hidden = (path: string) => masks.some((mask) => isBelow(path, mask.path));
      const linked = writable.flatMap((root) => findLinkedWorktree(root) ?? []);
      const limited = network ? undefined : options.network;
      const outerGate = kept.group && gate;
      const profile = toArguments({
        writable: [...writable, ...linked.flatMap((each) => each.writable).filter((path) => canReach(path, user))],
        temporary: kept.temporary,
        masks,
        visible: visible.filter((path) => existsSync(path) && canReach(path, user)),
        readOnly: [
          ...guard.begin(),
          ...toGuarded(guarded, writable),
          ...linked.flatMap((each) => each.readOnly),
        ].filter((path) => !hidden(path)),
        network: network || limited !== undefined,
        resolver: network ? resolverFiles() : [],
        seemsTo: isRoot ? nobodySpecial : undefined,
        cwd,
        filter: filterNumber,
        gate: limited ? undefined : outerGate,
      });
      const args = [...profile, '--', firstShell, '-c', firstScript(maxProcesses), 'rein', command];
      return {
        file: program,
        args: limited ? limited.around(args, isRoot, outerGate) : args,
        environment: { ...insideEnvironment(environment, user), ...limited?.environment },
        files: [openSync(`/proc/self/fd/${kept.filter}`, 'r')],
        ...(user && { user }),
        ...(kept.group && { admit: kept.group.admit }),
        joinsStreams: true,
        finish({ exit, output }) {
          const refusals = exit === 0 ? [] : explainRefusals(output, network, limited?.hosts);
          return [...guard.end(), ...refusals];
        },
      };
    },
    close() {
      if (!kept) return;
      closeSync(kept.filter);
      kept.group?.remove();
      removeTemporaryFolder(kept.temporary);
      kept = undefined;
    },
  };
}

/** What a session's sandboxes share. */
function keep(filter: Uint8Array, user: User | undefined, maxProcesses: number | undefined) {
  const temporary = makeTemporaryFolder(user);
  const file = join(temporary, 'filter');
  const kept = openSync(file, 'wx+', 0o600);
  writeSync(kept, filter);
  unlinkSync(file);
  const group = maxProcesses === undefined ? undefined : createProcessGroup(temporary.split('/').at(-1)!, maxProcesses);
  return { temporary, filter: kept, group };
}

/** Secrets that are there and that the commands' user could read. */
function toMasks(secrets: readonly string[], user: User | undefined): Mask[] {
  const paths = new Set<string>();
  for (const path of secrets) if (existsSync(path)) paths.add(realpathSync(path));
  return [...paths]
    .filter((path) => canReach(path, user))
    .map((path) => ({ path, isFolder: lstatSync(path).isDirectory() }));
}

/** Without links in their paths: what a link leads to is what is held. */
function toGuarded(files: readonly string[], writable: readonly string[]): string[] {
  const paths = files.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return [...new Set(paths)].filter((path) => writable.some((root) => isBelow(path, root)));
}

function resolverFiles(): string[] {
  const file = '/etc/resolv.conf';
  return existsSync(file) && realpathSync(file) !== file ? [realpathSync(file)] : [];
}

function insideEnvironment(given: Readonly<Record<string, string>>, user: User | undefined): Record<string, string> {
  const { XDG_RUNTIME_DIR, ...environment }: Record<string, string> = { ...caches, ...given };
  for (const name of temporaryVariables) environment[name] = '/tmp';
  if (!user) return environment;
  const account = accountOf(user);
  const name = account?.name ?? String(user.uid);
  return { ...environment, HOME: account?.home ?? '/tmp', USER: name, LOGNAME: name };
}
