import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { type Message, userText } from '../../protocol/message.ts';
import { processOwner } from './owner.ts';
import { openSqlite } from './sql-sqlite.ts';
import { openStore, type SessionStore } from './store.ts';

function newDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rein-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'home', 'rein.db');
}

async function newStore(file: string): Promise<SessionStore> {
  const store = await openStore(await openSqlite(file), { clock: Date, newId: () => crypto.randomUUID() });
  onTestFinished(() => store.close());
  return store;
}

interface Runner {
  readonly child: ChildProcess;
  /** Sends a line and returns the answer. */
  ask(line: string): Promise<unknown>;
}

async function startRunner(file: string): Promise<Runner> {
  const script = join(import.meta.dirname, '__fixtures__/runner.ts');
  const child = spawn(process.execPath, [script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const answer = async () => JSON.parse((await lines.next()).value ?? '"gone"');
  expect(await answer()).toBe('ready');
  return {
    child,
    ask(line) {
      child.stdin.write(`${line}\n`);
      return answer();
    },
  };
}

async function kill({ child }: Runner): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function messagesOf(store: SessionStore, id: string): Promise<Message[]> {
  const events = await Array.fromAsync(store.read(id));
  return events.flatMap((event) => (event.type === 'message' ? [event.message] : []));
}

it('security M4, M5: a running owner keeps its session, a killed one loses it with nothing lost', async () => {
  const file = newDatabase();
  const store = await newStore(file);
  const runner = await startRunner(file);
  const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
  expect(await runner.ask(`claim ${id}`)).toBe(1);
  expect(await runner.ask('append first')).toBe(2);
  const owner = expect.stringMatching(new RegExp(`^${runner.child.pid}@`));
  await expect(store.claim(id)).rejects.toMatchObject({ code: 'E_SESSION_BUSY', params: { session: id, owner } });
  await kill(runner);
  const log = await store.claim(id);
  expect(log.seq).toBe(2);
  expect(await messagesOf(store, id)).toEqual([userText('first')]);
});

it('refuses what a runner appends after another took over, and changes nothing', async () => {
  const file = newDatabase();
  const store = await newStore(file);
  const zombie = await startRunner(file);
  const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
  await zombie.ask(`claim ${id}`);
  zombie.child.kill('SIGSTOP');
  const log = await store.claim(id, { takeOver: true });
  await log.append([{ type: 'message', run: 'r', agent: 'main', message: userText('mine') }]);
  zombie.child.kill('SIGCONT');
  expect(await zombie.ask('append late')).toEqual({ error: 'E_SESSION_FENCED' });
  expect(await messagesOf(store, id)).toEqual([userText('mine')]);
});

it('loses nothing that was appended before a kill -9 at any moment', async () => {
  const file = newDatabase();
  const store = await newStore(file);
  const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
  let acknowledged = 0;
  for (const rounds of [1, 7, 30]) {
    const runner = await startRunner(file);
    expect(await runner.ask(`claim ${id}`)).toEqual((await store.info(id))?.seq);
    for (let round = 0; round < rounds; round++) acknowledged = Number(await runner.ask(`append ${round}`));
    // One more is under way when the process ends: it is there wholly or not at all.
    void runner.ask('append under way').catch(() => {});
    await kill(runner);
    const events = await Array.fromAsync(store.read(id));
    expect(events.length - acknowledged).toBeOneOf([0, 1]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  }
});

it('lets several processes create one database at the same time', async () => {
  const file = newDatabase();
  const runners = await Promise.all(Array.from({ length: 4 }, () => startRunner(file)));
  const ids = await Promise.all(runners.map((runner) => runner.ask('create')));
  await Promise.all(
    runners.map(async (runner, index) => {
      await runner.ask(`claim ${ids[index]}`);
      for (let round = 0; round < 20; round++) expect(await runner.ask(`append ${round}`)).toBe(round + 2);
    }),
  );
  const store = await newStore(file);
  expect((await store.list()).map(({ seq }) => seq)).toEqual([21, 21, 21, 21]);
});

it('hears of what another process delivers', async () => {
  const file = newDatabase();
  const store = await newStore(file);
  const sender = await startRunner(file);
  const { id } = await store.createSession({ cwd: '/w', definition: 'main' });
  const log = await store.claim(id);
  expect(await log.inbox()).toEqual([]);
  expect(log.inboxPending).toBe(false);
  const arrival = log.inboxArrival(AbortSignal.timeout(10_000));
  await sender.ask(`deliver ${id}`);
  await arrival;
  expect(await log.inbox()).toEqual([{ kind: 'abort', id: expect.any(String) }]);
});

it('security M5: a number that another process has now is no owner', async () => {
  const owner = processOwner();
  const [name, started, ...place] = owner.id.split(' ');
  expect(owner.isGone(owner.id)).toBe(false);
  expect(owner.isGone([name, `${started}0`, ...place].join(' '))).toBe(true);
  const [, host] = name!.split('@');
  expect(owner.isGone([name, started, 'another-boot', place[1]].join(' '))).toBe(true);
  expect(owner.isGone([`1@not-${host}`, started, 'another-boot', place[1]].join(' '))).toBe(false);
  expect(owner.isGone([name, `${started}0`, place[0], 'another-container'].join(' '))).toBe(false);
});

// Only Linux tells.
if (process.platform === 'linux') {
  it('security M5: a process that ended and was not yet cleaned up is gone', async () => {
    // The inner process ends when it is told to: by then its parent is `sleep`, which cleans up after nobody.
    const script = `exec 3<&0; sh -c 'read -r line <&3' & echo $!; exec sleep 30`;
    const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const [pid] = await once(createInterface(child.stdout), 'line');
    const owner = processOwner();
    const [name, , ...place] = owner.id.split(' ');
    await until(() => readFileSync(`/proc/${child.pid}/comm`, 'latin1') === 'sleep\n' || undefined);
    child.stdin.write('\n');
    const started = await until(() => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      return stat[0] === 'Z' ? stat[19] : undefined;
    });
    expect(owner.isGone([name!.replace(/^\d+/, pid), started, ...place].join(' '))).toBe(true);
  });
}

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
