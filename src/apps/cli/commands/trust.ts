/** `rein trust`: the user says that a folder may configure and run things. */
import { trustFolder } from '../../../harness/settings.ts';
import type { CliCommand } from '../command.ts';

export default {
  define(command, cli) {
    command.argument('[folder]').action(async (folder: string | undefined) => {
      const harness = await cli.harness({ cwd: cli.folder(folder) });
      await trustFolder(harness);
      cli.err.line(cli.t('cli.trusted', { folder: harness.cwd }));
    });
  },
} satisfies CliCommand;
