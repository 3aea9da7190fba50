/** `rein chat`: a conversation about a repository; with `-p`, one answer. */
import { findRepositoryMemory } from '../../../harness/repository-memory.ts';
import type { CliCommand } from '../command.ts';
import { printRun } from '../print/run.ts';

export default {
  define(command, cli) {
    command.argument('[folder]').action(async (folder: string | undefined) => {
      const cwd = cli.folder(folder);
      const memory = await findRepositoryMemory(cwd);
      const asksOnce = cli.options.print !== undefined || cli.options.inputFormat === 'stream-json';
      if (asksOnce) return void (await printRun(cli, { cwd, memory }));
      const { converse } = await import('../chat/converse.ts');
      await converse(cli, { cwd, memory });
    });
  },
} satisfies CliCommand;
