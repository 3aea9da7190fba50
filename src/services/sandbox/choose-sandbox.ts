/** Decides where commands run: what was asked for, and what is proven to hold on this machine. */
import { existsSync } from 'node:fs';
import { ReinError } from '../../protocol/errors.ts';
import { userFor } from './bubblewrap/access.ts';
import { type BubblewrapOptions, createBubblewrap, systemBubblewrap, writableRoots } from './bubblewrap/bubblewrap.ts';
import { findLeak } from './bubblewrap/canary.ts';
import { type DomainOptions, holdNetwork, withNetwork } from './domains.ts';
import { plainDriver, type SandboxDriver } from './sandbox-driver.ts';
import { createSeatbelt, systemSeatbelt } from './seatbelt.ts';

/** Proven to hold, held by a container the user vouches for, not held, or switched off. */
type SandboxLevel = 'proven' | 'external' | 'none' | 'off';

export interface ChosenSandbox {
  readonly level: SandboxLevel;
  /** Runs the commands; without a proven sandbox, unconfined. */
  readonly driver: SandboxDriver;
  /** One clause: by what, or why not. */
  readonly why: string;
}

export interface SandboxOptions extends Omit<BubblewrapOptions, 'network'> {
  /** `PATH` of the commands. */
  readonly path: string;
  /** The hosts that commands may reach, and what that takes; none when absent. */
  readonly domains?: DomainOptions;
}

type Options = SandboxOptions & Pick<BubblewrapOptions, 'network'>;

/** What the canaries of this process found, by program and user. */
const found = new Map<string, Promise<string | undefined>>();

/**
 * Lets a canary try the sandbox, once a process and user, unless `setting` says that none is wanted. Throws
 * `E_SANDBOX_UNAVAILABLE` when one is required and none holds, and `E_SANDBOX_DOMAINS` when none holds commands to the
 * hosts they may reach.
 */
export async function chooseSandbox(
  setting: 'required' | 'preferred' | 'external' | 'off',
  options: SandboxOptions,
): Promise<ChosenSandbox> {
  if (setting === 'external') return { level: 'external', driver: plainDriver, why: 'a container, as configured' };
  if (setting === 'off') return { level: 'off', driver: plainDriver, why: 'switched off' };
  const { roots, userHome, domains } = options;
  const leak = await (domains ? leakToHosts(options, domains) : knownLeak(options));
  if (leak === undefined) {
    const isReadOnly = writableRoots(roots, userHome).length < roots.length;
    const clauses = [
      domains ? `${driverName}, hosts: ${domains.domains.join(', ')}` : driverName,
      ...(isReadOnly ? ['a folder that holds your home is read-only for commands'] : []),
    ];
    const driver = domains
      ? withNetwork(domains, (network) => createDriver({ ...options, network }))
      : createDriver(options);
    return { level: 'proven', driver, why: clauses.join('; ') };
  }
  if (domains) throw new ReinError('E_SANDBOX_DOMAINS', { detail: leak });
  if (setting === 'required') throw new ReinError('E_SANDBOX_UNAVAILABLE', { detail: leak });
  return { level: 'none', driver: plainDriver, why: leak };
}

async function leakToHosts(options: SandboxOptions, domains: DomainOptions): Promise<string | undefined> {
  const { network, release } = await holdNetwork(domains);
  try {
    return await knownLeak({ ...options, network });
  } finally {
    release();
  }
}

const isMac = process.platform === 'darwin';
const driverName = isMac ? 'Seatbelt' : 'bubblewrap';
const systemProgram = isMac ? systemSeatbelt : systemBubblewrap;

function createDriver(options: Options): SandboxDriver {
  return isMac ? createSeatbelt(options) : createBubblewrap(options);
}

function knownLeak(options: Options): Promise<string | undefined> {
  const { program = systemProgram, roots } = options;
  if (process.platform !== 'linux' && !isMac) return Promise.resolve(`there is none for ${process.platform}`);
  const user = userFor(roots[0] as string);
  const key = `${program} ${user?.uid ?? ''} ${options.network?.hosts.join(' ') ?? ''}`;
  const known = found.get(key);
  if (known) return known;
  const leak = existsSync(program) ? tryOut(options, user) : Promise.resolve(`${program} is not installed`);
  found.set(key, leak);
  return leak;
}

async function tryOut(options: Options, user: ReturnType<typeof userFor>): Promise<string | undefined> {
  const { aside, path } = options;
  const leak = await findLeak({
    driverFor: (root) => createDriver({ ...options, roots: [root] }),
    outside: aside,
    path,
    user,
  });
  return leak && `${driverName} does not hold here: ${leak}`;
}
