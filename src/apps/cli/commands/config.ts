/** `rein config`: shows and changes the configuration. */
import { getSetting, readSetting, setSetting, settingFiles } from '../../../harness/doors/settings.ts';
import { ReinError } from '../../../protocol/errors.ts';
import type { Cli } from '../cli.ts';
import type { CliCommand } from '../command.ts';
import { usageError } from '../flags.ts';

export default {
  define(command, cli) {
    command.command('path').action(async () => {
      const files = settingFiles((await cli.inspect()).harness);
      if (cli.options.outputFormat !== 'text') return cli.out.json(files);
      for (const file of Object.values(files)) cli.out.line(file);
    });
    command
      .command('get')
      .argument('[key]')
      .action((key: string | undefined) => get(cli, key));
    command
      .command('set')
      .argument('key')
      .argument('value')
      .action(async (key: string, value: string) => {
        await setSetting((await cli.inspect()).harness, key, value).catch((error: unknown) => {
          // The file is as it was; what is wrong is what was typed.
          const { text } = (ReinError.is(error) && (error.params.detail as { text?: string } | undefined)) || {};
          if (text !== 'config.wrongType' || !ReinError.is(error)) throw error;
          throw usageError({ text: 'cli.usage.setting', key, detail: error.params.detail });
        });
      });
  },
} satisfies CliCommand;

async function get(cli: Cli, key: string | undefined): Promise<void> {
  const { harness, problems } = await cli.inspect();
  // What is in force of a file that is wrong, nobody can say: it is shown as it stands there.
  for (const problem of problems) cli.warn(problem.toData());
  const value = problems.length > 0 ? await readSetting(harness, key) : getSetting(harness, key);
  if (value === undefined) throw usageError({ text: 'cli.usage.noSetting', key });
  if (cli.options.outputFormat !== 'text') return cli.out.json(value);
  cli.out.line(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}
