/** `rein sessions`: looks after what is stored. */
import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import type { CliCommand } from '../command.ts';
import { findSession } from '../find-session.ts';
import { parseCount, usageError } from '../flags.ts';
import { toInputError } from '../input-error.ts';
import { transcriptLines } from '../print/transcript.ts';

export default {
  define(command, cli) {
    const limit = (sub: Command) => sub.option('--limit <n>', '', (text: string) => parseCount(text, '--limit'), 50);
    limit(command.command('list'))
      .option('--here')
      .action((own: { limit: number; here?: boolean }) => list(cli, own));
    command
      .command('show')
      .argument('id')
      .action((id: string) => show(cli, id));
    limit(command.command('search'))
      .argument('words...')
      .action((words: string[], own: { limit: number }) => search(cli, words.join(' '), own.limit));
    command
      .command('fork')
      .argument('id')
      .option('--at <seq>', '', (text: string) => parseCount(text, '--at'))
      .action(async (id: string, { at }: { at?: number }) => {
        const { store, session: source } = await open(cli, id);
        const last = (await store.info(source))?.seq;
        if (at !== undefined && last !== undefined && at > last)
          throw usageError({ text: 'cli.usage.noEvent', at, last });
        answer(cli, { session: await store.fork(source, at) }, ({ session }) => session);
      });
    command
      .command('rename')
      .argument('id')
      .argument('title...')
      .action(async (id: string, title: string[]) => rename(cli, id, title.join(' ')));
    command
      .command('compact')
      .argument('id')
      .action((id: string) => compact(cli, id));
    command
      .command('cost')
      .argument('id')
      .action((id: string) => cost(cli, id));
    command
      .command('export')
      .argument('id')
      .action(async (id: string) => {
        const { store, session } = await open(cli, id);
        for await (const line of store.export(session)) {
          if (cli.out.closed.aborted) return;
          await cli.out.writeAll(line);
        }
      });
    command
      .command('import')
      .argument('file')
      .action((file: string) => importFile(cli, file));
    command
      .command('delete')
      .argument('id')
      .action(async (id: string) => {
        const { store, session } = await open(cli, id);
        await store.delete(session);
      });
  },
} satisfies CliCommand;

/** The store, and the session that the beginning of an id means. */
async function open(cli: Cli, id = '') {
  const harness = await cli.harness();
  const store = await harness.store();
  return { harness, store, session: id && (await findSession(store, id)) };
}

async function rename(cli: Cli, id: string, title: string): Promise<void> {
  const { store, session } = await open(cli, id);
  await store.rename(session, title);
}

/** Data for scripts, text for people. */
function answer<T>(cli: Cli, data: T, toText: (data: T) => string): void {
  if (cli.options.outputFormat === 'text') cli.out.line(toText(data));
  else cli.out.json(data);
}

async function list(cli: Cli, { limit, here }: { limit: number; here?: boolean }): Promise<void> {
  const { harness, store } = await open(cli);
  const found = await store.list({ limit, ...(here && { cwd: harness.cwd }) });
  if (cli.options.outputFormat !== 'text') return cli.out.json(found);
  const time = new Intl.DateTimeFormat(cli.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const { id, updated, title, cwd } of found) cli.out.line([id, time.format(updated), cwd, title].join('  '));
  if (found.length === 0) cli.err.line(cli.t('cli.sessions.none'));
}

async function show(cli: Cli, id: string): Promise<void> {
  const { store, session } = await open(cli, id);
  for await (const event of store.read(session)) {
    if (cli.out.closed.aborted) return;
    if (cli.options.outputFormat !== 'text') cli.out.json(event);
    else for (const line of transcriptLines(event, cli.lang)) cli.out.line(line);
  }
}

async function search(cli: Cli, query: string, limit: number): Promise<void> {
  const { store } = await open(cli);
  const hits = await store.search(query, { limit });
  if (cli.options.outputFormat !== 'text') return cli.out.json(hits);
  // What a sub-agent said belongs to the session that a person knows.
  const bySession = Map.groupBy(hits, ({ session }) => session.split('.', 1)[0] ?? session);
  for (const [root, found] of bySession) {
    const own = found.find(({ session }) => session === root);
    cli.out.line(`${root}  ${own?.title ?? (await store.info(root))?.title ?? ''}`);
    for (const { session, seq, snippet } of found) cli.out.line(`    ${session.slice(root.length)}:${seq}  ${snippet}`);
  }
  if (hits.length === 0) cli.err.line(cli.t('cli.sessions.nothingFound'));
}

async function compact(cli: Cli, id: string): Promise<void> {
  const { harness, session: resume } = await open(cli, id);
  const session = await harness.open({ resume });
  answer(cli, await session.compact(), (counts) => cli.t('commands.compacted', counts));
}

async function cost(cli: Cli, id: string): Promise<void> {
  const { store, session } = await open(cli, id);
  const { usage, cost } = await store.usage(session);
  answer(cli, { usage, cost }, () => cli.t('commands.costText', { ...usage, cost: cost.toFixed(4) }));
}

async function importFile(cli: Cli, file: string): Promise<void> {
  const { harness, store } = await open(cli);
  const source = file === '-' ? process.stdin : createReadStream(file);
  try {
    const session = await store.import(source, { file, cwd: harness.cwd });
    answer(cli, { session }, () => session);
  } catch (error) {
    throw toInputError(file, error);
  }
}
