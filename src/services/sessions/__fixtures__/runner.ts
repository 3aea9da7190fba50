// A process that works on sessions as it is told. Argument: the database file. Takes lines `create`, `claim <id>`,
// `append <text>` and `deliver <id>`, and answers each with a line of JSON.
import { createInterface } from 'node:readline';
import { userText } from '../../../protocol/message.ts';
import type { ClaimedLog } from '../claimed-log.ts';
import { openSqlite } from '../sql-sqlite.ts';
import { openStore } from '../store.ts';

const store = await openStore(await openSqlite(process.argv[2]!), {
  clock: { now: () => Date.now() },
  newId: () => crypto.randomUUID(),
});
let log: ClaimedLog | undefined;

const commands: Record<string, (rest: string) => Promise<unknown>> = {
  async create() {
    return (await store.createSession({ cwd: '/w', definition: 'main' })).id;
  },
  async claim(id) {
    log = await store.claim(id);
    return log.seq;
  },
  async append(text) {
    const event = { type: 'message', run: 'r', agent: 'main', message: userText(text) } as const;
    return (await log!.append([event]))[0]!.seq;
  },
  async deliver(id) {
    await store.deliver(id, { kind: 'abort', id: crypto.randomUUID() });
    return 'delivered';
  },
};

process.stdout.write('"ready"\n');
for await (const line of createInterface(process.stdin)) {
  const [name = '', rest = ''] = line.split(/ (.*)/);
  const answer = await commands[name]!(rest).catch((error: { code?: string; message: string }) => ({
    error: error.code ?? error.message,
  }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
