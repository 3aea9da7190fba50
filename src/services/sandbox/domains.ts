/**
 * A network for commands that leads to some hosts and nowhere else. Around the sandbox lies a network of its own, empty but
 * for a relay to a proxy, and the proxy lets the named hosts pass. The proxy is an optional package of the user's.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ReinError } from '../../protocol/errors.ts';
import { type CommandNetwork, systemBubblewrap } from './bubblewrap/bubblewrap.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './bubblewrap/temporary-folder.ts';
import { type SandboxDriver, shellFile } from './sandbox-driver.ts';

const packageName = '@anthropic-ai/sandbox-runtime';
const systemSocat = '/usr/bin/socat';
/** Where the proxy is found from inside. */
const port = 3128;
const signals = ['SIGINT', 'SIGTERM'] as const;

/** What is used of the package. It has one proxy a process. */
interface SandboxRuntime {
  initialize(config: object): Promise<void>;
  getLinuxHttpSocketPath(): string | undefined;
  getProxyAuthToken(): string | undefined;
  registerCommandNetworkLists(id: string, lists: { readonly allowedDomains: readonly string[] }): void;
  unregisterCommandNetworkLists(id: string): void;
  reset(): Promise<void>;
}

export interface DomainOptions {
  /** Hosts, `*.` in front for all below one, `:port` behind for one port. */
  readonly domains: readonly string[];
  /** The folder of packages that the user installed for Rein. */
  readonly packages: string;
  /** Path of bubblewrap; the system's own when absent. */
  readonly program?: string;
}

interface OpenNetwork extends CommandNetwork {
  close(): Promise<void>;
}

interface Opened {
  readonly list: string;
  readonly network: Promise<OpenNetwork>;
  users: number;
}

let opened: Opened | undefined;
let closing: Promise<unknown> | undefined;

/** A way to the hosts, until it is let go. */
export interface HeldNetwork {
  readonly network: CommandNetwork;
  /** Called once. */
  release(): void;
}

/**
 * Opens the way to these hosts, or holds the one that is open: there is one a process. Throws `E_SANDBOX_DOMAINS` when
 * something for it is missing, when a domain is not one, and while one for another list is open.
 */
export async function holdNetwork(options: DomainOptions): Promise<HeldNetwork> {
  const list = [...options.domains].sort().join(' ');
  if (opened && opened.list !== list) throw unavailable(`this process holds commands to other hosts: ${opened.list}`);
  opened ??= { list, network: open(options), users: 0 };
  const mine = opened;
  mine.users++;
  const release = () => {
    if (--mine.users > 0 || opened !== mine) return;
    opened = undefined;
    closing = mine.network.then(({ close }) => close()).catch(() => {});
  };
  try {
    return { network: await mine.network, release };
  } catch (error) {
    release();
    throw ReinError.is(error) ? error : unavailable(error instanceof Error ? error.message : String(error));
  }
}

/** A driver that holds the network from its first command until it is closed. */
export function withNetwork(options: DomainOptions, create: (network: CommandNetwork) => SandboxDriver): SandboxDriver {
  let held: Promise<HeldNetwork> | undefined;
  let driver: SandboxDriver | undefined;
  return {
    name: 'domains',
    async prepare(command) {
      held ??= holdNetwork(options);
      const { network } = await held;
      driver ??= create(network);
      return driver.prepare(command);
    },
    close() {
      driver?.close?.();
      held?.then(({ release }) => release()).catch(() => {});
      driver = held = undefined;
    },
  };
}

async function open({ domains, packages, program = systemBubblewrap }: DomainOptions): Promise<OpenNetwork> {
  await closing;
  if (process.platform !== 'linux') throw unavailable(`there is none for ${process.platform}`);
  if (spawnSync(systemSocat, ['-V']).status !== 0) throw unavailable(`${systemSocat} is not installed`);
  const runtime = await load(packages);
  const folder = makeTemporaryFolder(undefined);
  // It looks at domains only here. What it cannot match would be let through by nothing, silently.
  const id = randomUUID();
  runtime.registerCommandNetworkLists(id, { allowedDomains: domains });
  runtime.unregisterCommandNetworkLists(id);
  const before = signals.map((signal) => process.listeners(signal));
  await runtime.initialize({
    // Sockets, files and user namespaces are for the sandbox inside to hold.
    network: { allowedDomains: domains, deniedDomains: [], allowAllUnixSockets: true },
    filesystem: { disabled: true, denyRead: [], allowWrite: [], denyWrite: [] },
    bwrapPath: program,
    socatPath: relayThatEndsWithUs(program, folder),
    // Asked for, and not used without rules for files.
    ripgrep: { command: shellFile },
  });
  // Whether a signal ends this process is not for a library to say.
  for (const [index, signal] of signals.entries()) {
    for (const one of process.listeners(signal)) if (!before[index]!.includes(one)) process.off(signal, one);
  }
  const [socket, token] = [runtime.getLinuxHttpSocketPath(), runtime.getProxyAuthToken()];
  if (!socket || !token) throw unavailable('its proxy did not start');
  // Root's commands may be another user's. The proxy asks for the token.
  chmodSync(socket, 0o666);
  return {
    hosts: domains,
    environment: proxyVariables(token),
    around: (...inner) => around(program, socket, ...inner),
    async close() {
      await runtime.reset();
      removeTemporaryFolder(folder);
    },
  };
}

async function load(packages: string): Promise<SandboxRuntime> {
  let file: string;
  try {
    file = createRequire(join(packages, 'x.js')).resolve(join(packages, packageName));
  } catch {
    throw unavailable(`${packageName} is not installed in ${packages}`);
  }
  const { SandboxManager } = (await import(pathToFileURL(file).href)) as { SandboxManager?: Partial<SandboxRuntime> };
  const needed = ['initialize', 'getLinuxHttpSocketPath', 'registerCommandNetworkLists', 'reset'] as const;
  for (const name of needed) if (typeof SandboxManager?.[name] !== 'function') throw unavailable(`it has no ${name}`);
  return SandboxManager as SandboxRuntime;
}

/**
 * A program in the place of socat: it does not stay behind when we are killed, nor begins when we are gone already, dead
 * ones that nobody has asked for included.
 */
function relayThatEndsWithUs(program: string, folder: string): string {
  const file = join(folder, 'socat');
  const begin = `while read -r name value rest; do
  case $name$value in State:[ZX]) exit ;; State:*) exec ${systemSocat} "$@" ;; esac
done </proc/${process.pid}/status`;
  const script = `#!/bin/sh\nexec '${program}' --die-with-parent --dev-bind / / -- /bin/sh -c '${begin}' socat "$@"\n`;
  writeFileSync(file, script, { mode: 0o700 });
  return file;
}

function proxyVariables(token: string): Record<string, string> {
  const proxy = `http://srt:${token}@127.0.0.1:${port}`;
  const local = 'localhost,127.0.0.1,::1';
  return {
    ...{ http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: local },
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: local },
    // Node itself looks at the others only then.
    NODE_USE_ENV_PROXY: '1',
  };
}

/** As bubblewrap does it for root, parts are covered, and then the kernel shows no list of processes to the sandbox inside. */
const showProcesses = '/bin/mount -t proc proc /proc || exit';

/** Starts the relay, waits until it listens, and becomes the sandbox. The relay gets none of our open files. */
const relay = (socket: string, isRoot: boolean) => `
exec 4>&- 5>&-
${isRoot ? showProcesses : ''}
${systemSocat} TCP4-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=1024 UNIX-CONNECT:${socket} 3>&- </dev/null >/dev/null 2>&1 &
until (: 9<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do kill -0 $! 2>/dev/null || break; done
exec "$@"`;

function around(
  program: string,
  socket: string,
  ...[inner, isRoot, gate]: Parameters<CommandNetwork['around']>
): string[] {
  return [
    ...['--unshare-net', '--unshare-pid', '--as-pid-1', '--die-with-parent', '--new-session'],
    ...['--dev-bind', '/', '/'],
    ...(isRoot ? [] : ['--unshare-user', '--proc', '/proc']),
    ...(gate ? ['--info-fd', String(gate.tell), '--block-fd', String(gate.wait)] : []),
    ...['--', shellFile, '--noprofile', '--norc', '-c', relay(socket, isRoot), 'rein', program, ...inner],
  ];
}

function unavailable(detail: string): ReinError {
  return new ReinError('E_SANDBOX_DOMAINS', { detail });
}
