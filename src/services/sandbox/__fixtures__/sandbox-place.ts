/** A workspace, a home and a folder outside, with commands that run in a proven sandbox. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Commands } from '../../../protocol/host.ts';
import { chooseSandbox, type ChosenSandbox, type SandboxOptions } from '../choose-sandbox.ts';
import { commandEnvironment } from '../command-environment.ts';
import { createCommands } from '../commands.ts';

export interface SandboxPlace extends AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly outside: string;
  readonly aside: string;
  readonly sandbox: ChosenSandbox;
  readonly commands: Commands;
  readonly signal: AbortSignal;
  /** Puts a file into the workspace. */
  put(name: string, text: string): void;
  putInHome(name: string, text: string): void;
}

export interface PlaceOptions {
  /** Who owns the workspace; root runs commands as its owner. */
  readonly uid?: number;
  /** Where the workspace lies; beside the home by default. */
  readonly below?: string;
  readonly maxProcesses?: number;
  readonly outputBytes?: number;
  readonly domains?: SandboxOptions['domains'];
}

/** Throws where no sandbox holds. The place lies outside of the system's temporary folders, which are replaced inside. */
export async function createSandboxPlace(
  files: Readonly<Record<string, string>> = {},
  { uid, below = 'work', maxProcesses, outputBytes = 20_000, domains }: PlaceOptions = {},
): Promise<SandboxPlace> {
  // Another user has to be able to get there.
  const parent = uid === undefined ? (process.env.HOME ?? tmpdir()) : tmpdir();
  const base = realpathSync(mkdtempSync(join(parent, '.rein-test-')));
  chmodSync(base, 0o755);
  const [root, home, outside, aside] = [below, 'home', 'outside', 'aside'].map((name) => join(base, name)) as [
    string, string, string, string,
  ];
  for (const folder of [root, home, outside, aside]) mkdirSync(folder, { recursive: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const put = (name: string, text: string) => write(join(root, name), text);
  for (const [name, text] of Object.entries(files)) put(name, text);
  if (uid !== undefined) chownSync(root, uid, uid);
  const secrets = ['.ssh', '.aws', '.npmrc', '.config/gh', '.rein'].map((name) => join(home, name));
  const sandbox = await chooseSandbox('required', {
    roots: [root],
    userHome: home,
    secrets,
    visible: [join(home, '.rein/skills')],
    aside,
    path: '/usr/bin:/bin',
    ...(maxProcesses !== undefined && { maxProcesses }),
    ...(domains && { domains }),
  });
  const environment = commandEnvironment({ ...process.env, HOME: home });
  const limits = { outputBytes, timeoutSeconds: 60, maxTimeoutSeconds: 600 };
  const commands = createCommands({ cwd: root, environment, limits, driver: sandbox.driver });
  return {
    ...{ root, home, outside, aside, sandbox, commands, put },
    signal: new AbortController().signal,
    putInHome: (name, text) => write(join(home, name), text),
    async [Symbol.asyncDispose]() {
      await commands.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
