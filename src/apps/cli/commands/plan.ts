/** `rein plan`: plans a task, carries it out and reviews it. */
import type { CliCommand } from '../command.ts';
import { usageError } from '../flags.ts';
import { printRun } from '../print/run.ts';

export default {
  define(command, cli) {
    command
      .argument('[task]')
      .option('--graph')
      .action(async (task: string | undefined, { graph }: { graph?: true }) => {
        if (graph) {
          const { drawPlanGraph } = await import('../../../harness/harness-graph.ts');
          return void cli.out.line(await drawPlanGraph());
        }
        if (task !== undefined && cli.options.print !== undefined) {
          throw usageError({ text: 'cli.usage.together', first: '<task>', second: '--print' });
        }
        const prompt = task === undefined ? undefined : async () => task;
        await printRun(cli, { plan: true, ...(prompt && { prompt }) });
      });
  },
} satisfies CliCommand;
