/** `rein models`: what the provider in use offers. */
import { listModels } from '../../../harness/doors/doctor.ts';
import type { CliCommand } from '../command.ts';

export default {
  define(command, cli) {
    command.action(async () => {
      const models = await listModels(await cli.harness(), cli.options.harness.model);
      if (cli.options.outputFormat !== 'text') return cli.out.json(models);
      for (const model of models) cli.out.line(model);
    });
  },
} satisfies CliCommand;
