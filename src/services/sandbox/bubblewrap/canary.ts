/** Proves that a sandbox holds by trying to get out of one. Seeing the program is no proof. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommands } from '../commands.ts';
import type { SandboxDriver } from '../sandbox-driver.ts';
import type { User } from './access.ts';

const limits = { outputBytes: 4000, timeoutSeconds: 10, maxTimeoutSeconds: 10 };

/**
 * Says what it could do: write beside its folder and over a protected name, reach us, keep power. Where there is a proxy, it
 * has to answer, and to refuse a host that nobody has.
 */
const attempts = `
: >made && echo works
(: >"$CANARY") && echo wrote outside
(echo x >.git/config) && echo wrote a protected name
(exec 3<>"/dev/tcp/127.0.0.1/$PORT") && echo reached the network
if [ -n "$http_proxy" ]; then
  login=\${http_proxy#http://} place=\${http_proxy##*@} status=
  exec 3<>"/dev/tcp/\${place%:*}/\${place#*:}" &&
    printf 'CONNECT rein.invalid:443 HTTP/1.1\\r\\nHost: rein.invalid\\r\\nProxy-Authorization: Basic %s\\r\\n\\r\\n' "$(printf %s "\${login%@*}" | base64 -w0)" >&3 &&
    read -r -t 5 version status rest <&3
  [ "$status" = 403 ] || echo "found a proxy that answers \${status:-nothing} for a host that is not named"
fi
[ -r /proc/self/status ] || exit
while read -r name value rest; do
  case $name in
    CapEff:) [ "$value" = 0000000000000000 ] || echo kept capabilities ;;
    Seccomp:) [ "$value" = 2 ] || echo has no filter ;;
  esac
done </proc/self/status
while read -r id parent device root place options rest; do
  [ "$place" != / ] || case $options in ro|ro,*) ;; *) echo may write to the system ;; esac
done </proc/self/mountinfo`;

export interface Canary {
  /** Makes the driver for a folder. */
  driverFor(root: string): SandboxDriver;
  /** A folder that commands may not write to. */
  readonly outside: string;
  readonly path: string;
  readonly user: User | undefined;
}

/** What is wrong with the sandbox; `undefined` when it holds. Never throws. */
export async function findLeak({ driverFor, outside, path, user }: Canary): Promise<string | undefined> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-')));
  const canary = join(outside, `canary-${randomUUID()}`);
  const server = createServer((socket) => socket.on('error', () => {}).destroy()).unref();
  try {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git/config'), '');
    if (user) for (const each of ['', '.git', '.git/config']) chownSync(join(root, each), user.uid, user.gid);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const environment = { PATH: path, CANARY: canary, PORT: String((server.address() as AddressInfo).port) };
    const commands = createCommands({ cwd: root, environment, limits, driver: driverFor(root) });
    try {
      const { output } = await commands.run({
        command: `{ ${attempts}\n} 2>/dev/null`,
        signal: new AbortController().signal,
      });
      if (existsSync(canary)) return 'a command in it wrote outside';
      const said = output.trim();
      return said === 'works' ? undefined : said.replace('works\n', 'a command in it ') || 'no command runs in it';
    } finally {
      await commands.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    server.close();
    rmSync(root, { recursive: true, force: true });
    rmSync(canary, { force: true });
  }
}
