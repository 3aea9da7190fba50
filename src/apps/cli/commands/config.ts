/** `rein config`: shows and changes the configuration. */
import { getSetting, setSetting, settingFiles } from '../../../harness/doors/settings.ts';
import type { Cli } from '../cli.ts';
import type { CliCommand } from '../command.ts';
import { usageError } from '../flags.ts';

export default {
  define(command, cli) {
    command.command('path').action(async () => {
      const files = settingFiles(await cli.harness());
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
        await cli.settle(cli.options.lang);
        await setSetting(key, value);
      });
  },
} satisfies CliCommand;

async function get(cli: Cli, key: string | undefined): Promise<void> {
  const value = getSetting(await cli.harness(), key);
  if (value === undefined) throw usageError({ text: 'cli.usage.noSetting', key });
  if (cli.options.outputFormat !== 'text') return cli.out.json(value);
  cli.out.line(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}
