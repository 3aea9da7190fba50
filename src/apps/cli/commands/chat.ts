/** `rein chat`: a conversation about a repository; with `-p`, one answer. */
import type { CliCommand } from '../command.ts';
import { printRun } from '../print/run.ts';

export default {
  define(command, cli) {
    command.argument('[folder]').action(async (folder: string | undefined) => {
      const cwd = cli.folder(folder);
      const asksOnce = cli.options.print !== undefined || cli.options.inputFormat === 'stream-json';
      if (asksOnce) return void (await printRun(cli, { cwd }));
      const { converse } = await import('../chat/converse.ts');
      await converse(cli, { cwd });
    });
  },
} satisfies CliCommand;
