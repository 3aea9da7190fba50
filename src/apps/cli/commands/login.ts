/** `rein login`: stores the key of a provider. The key comes from standard input, never from an argument. */
import { storeKey } from '../../../harness/doors/settings.ts';
import { askHidden } from '../chat/ask.ts';
import type { CliCommand } from '../command.ts';
import { readAll } from '../print/input.ts';

export default {
  define(command, cli) {
    command.argument('provider').action(async (provider: string) => {
      const harness = await cli.harness();
      const ask = () => (process.stdin.isTTY ? askHidden(cli.t('cli.login.ask', { provider })) : readAll());
      await storeKey(harness, provider, ask);
      cli.err.line(cli.t('cli.login.stored', { provider }));
    });
  },
} satisfies CliCommand;
