import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../../testing/time.ts';
import { own, running } from '../__fixtures__/processes.ts';
import { createSandboxPlace, type SandboxPlace } from '../__fixtures__/sandbox-place.ts';

/** Runs commands one after the other, each in the sandbox; gives exit code, output and what the sandbox said. */
async function run(place: SandboxPlace, command: string, network = false) {
  const { exit, output, notes } = await place.commands.run({ command, network, signal: place.signal });
  return { exit, output, notes };
}

describe('security Q1: what a command can do to the system', () => {
  it('has no capability, a filter, a user of its own and no way to more', async () => {
    await using place = await createSandboxPlace();
    const { output } = await run(
      place,
      'grep -E "^(Cap(Eff|Prm|Bnd)|Seccomp|NoNewPrivs):" /proc/self/status; cat /proc/self/uid_map | wc -l',
    );
    expect(output.replace(/[\t ]+/g, ' ')).toBe(
      'CapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\n1\n',
    );
  });

  it.each([
    'mount -o remount,rw /',
    'mount -o remount,bind,rw .git/config',
    'umount .git/config',
    'mknod disk b 8 0',
    'echo x > /etc/rein-test',
    'chroot / true',
    'unshare -Ur true',
    'unshare -m true',
    'nsenter -t 1 -n true',
    'python3 -c "import os; os.open(\'/etc/hostname\', os.O_WRONLY)"',
  ])('refuses `%s`', async (command) => {
    await using place = await createSandboxPlace({ '.git/config': '[core]\n' });
    const { exit } = await run(place, `${command} && echo done`);
    expect(exit).not.toBe(0);
    expect(existsSync('/etc/rein-test')).toBe(false);
  });
});

it('security Q2: no unix socket of the host can be reached, wherever it lies', async () => {
  await using place = await createSandboxPlace();
  const paths = [join(place.outside, 'socket'), join(place.root, 'socket'), '/run/rein-test-socket'];
  const servers: Server[] = [];
  for (const path of paths) {
    const server = createServer((socket) => socket.end('reached')).listen(path);
    await once(server, 'listening').then(
      () => servers.push(server),
      () => undefined,
    );
  }
  const code = `import socket,sys
for p in sys.argv[1:]:
  try:
    s=socket.socket(socket.AF_UNIX); s.connect(p); print('reached')
  except OSError as e: print(e.errno)`;
  const { output } = await run(place, `python3 -c "${code}" ${paths.join(' ')}`);
  for (const server of servers) server.close();
  expect(output).toBe('1\n1\n1\n');
});

it('security Q3: folders and files that hold secrets are not there to be read', async () => {
  await using place = await createSandboxPlace();
  const secrets = {
    '.ssh/id_ed25519': 'key',
    '.aws/credentials': 'key',
    '.npmrc': 'key',
    '.config/gh/hosts.yml': 'key',
  };
  for (const [name, text] of Object.entries({ ...secrets, '.rein/.env': 'key', '.rein/skills/x/run.sh': 'open' })) {
    place.putInHome(name, text);
  }
  symlinkSync(join(place.home, '.ssh'), join(place.root, 'link'));
  const names = [...Object.keys(secrets), '.rein/.env'].map((name) => join(place.home, name));
  const { output } = await run(
    place,
    `cat ${names.join(' ')} link/id_ed25519 2>/dev/null; cat ${place.home}/.rein/skills/x/run.sh`,
  );
  expect(output).toBe('open');
});

it('a workspace below a folder of secrets sees itself, and not what lies beside it', async () => {
  await using place = await createSandboxPlace({}, { below: 'home/.rein/sessions/a' });
  place.putInHome('.rein/sessions/b/file', 'of another');
  place.putInHome('.rein/.env', 'key');
  const { output } = await run(place, `echo x > made; cat made ../b/file ../../.env 2>/dev/null; ls -A ../..`);
  expect(output).toBe('x\nsessions\n');
});

it('security Q5: nothing leaves: TCP, UDP, DNS, ICMP, vsock, the host itself', async () => {
  await using place = await createSandboxPlace();
  const server = createServer((socket) => socket.on('error', () => {}).end('reached')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const code = `import socket
def t(n,f):
  try: f(); print(n,'ok')
  except OSError: print(n,'no')
t('tcp', lambda: socket.create_connection(('127.0.0.1',${port}),2))
t('far', lambda: socket.create_connection(('192.0.2.1',80),2))
t('udp', lambda: socket.socket(2,2).sendto(b'x',('192.0.2.1',53)))
t('dns', lambda: socket.getaddrinfo('example.com',80))
t('icmp', lambda: socket.socket(2,2,1).sendto(b'x',('192.0.2.1',0)))
t('raw', lambda: socket.socket(2,3,1))
t('vsock', lambda: socket.socket(40,1))`;
  const script = `cat > t.py <<'X'\n${code}\nX\npython3 t.py`;
  const without = await run(place, script);
  expect(without.output).toBe('tcp no\nfar no\nudp no\ndns no\nicmp no\nraw no\nvsock no\n');
  const allowed = await run(place, script, true);
  expect(allowed.output.split('\n')[0]).toBe('tcp ok');
  server.close();
});

describe('security Q7: a refusal of the sandbox', () => {
  it('says that there is no network and what to ask for', async () => {
    await using place = await createSandboxPlace();
    const { exit, notes } = await run(place, 'curl -sS http://example.com');
    expect(exit).not.toBe(0);
    expect(notes).toEqual([expect.stringContaining('network: true, which has to be approved')]);
    expect((await run(place, 'echo could not resolve host')).notes).toEqual([]);
  });

  it('says that what lies outside is read-only', async () => {
    await using place = await createSandboxPlace();
    const { notes } = await run(place, 'touch /usr/x');
    expect(notes).toEqual([expect.stringContaining('everything is read-only')]);
  });
});

it('security Q8: when the harness is killed, nothing of a command is left', async () => {
  await using place = await createSandboxPlace();
  const script = new URL('../__fixtures__/run-and-wait.ts', import.meta.url).pathname;
  const harness = spawn(process.execPath, [script, place.root, `setsid sleep ${own(78)} & echo up; sleep ${own(78)}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(harness.stdout, 'data');
  // The word comes before the shell has become what it starts.
  await waitFor(() => running(`sleep ${own(78)}`).length === 2, { what: 'both commands' });
  harness.kill('SIGKILL');
  const until = performance.now() + 1000;
  while (running(`sleep ${own(78)}`).length > 0 && performance.now() < until) await new Promise(setImmediate);
  expect(running(`sleep ${own(78)}`)).toEqual([]);
});

it('security Q9: a command has three open files, whatever the harness has', async () => {
  await using place = await createSandboxPlace();
  const script = new URL('../__fixtures__/run-and-wait.ts', import.meta.url).pathname;
  const command = `exec 47</etc/hostname 251</etc/hostname; exec "$0" "$1" "$2" "$3"`;
  const list = 'for f in /proc/self/fd/*; do [ -e $f ] && basename $f; done';
  const harness = spawn('bash', ['-c', command, process.execPath, script, place.root, list]);
  expect(await text(harness.stdout)).toBe('0\n1\n2\n');
});

it.each(process.getuid?.() === 0 ? [undefined, 61234] : [undefined])(
  'security J5: the temporary folder of a killed harness (workspace of %s) goes with the next start',
  async (uid) => {
    await using place = await createSandboxPlace({}, uid === undefined ? {} : { uid });
    const env = { ...process.env, TMPDIR: place.outside };
    chmodSync(place.outside, 0o1777);
    const script = new URL('../__fixtures__/run-and-wait.ts', import.meta.url).pathname;
    const command = 'mkdir -p /tmp/a/b; ln -s "$PWD" /tmp/a/out; echo x > /tmp/.c; echo up; sleep 60';
    const start = (what: string) =>
      spawn(process.execPath, [script, place.root, what], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [first, living] = [start(command), start(command)];
    await Promise.all([first, living].map((each) => once(each.stdout, 'data')));
    expect(readdirSync(place.outside)).toHaveLength(2);
    first.kill('SIGKILL');
    await once(first, 'exit');
    place.put('kept', 'x');
    await once(start('true'), 'exit');
    expect(readdirSync(place.outside)).toEqual([expect.stringContaining(`-${living.pid}-`)]);
    expect(readdirSync(place.root)).toEqual(['kept']);
    living.kill('SIGKILL');
  },
);
