/** `rein tools`: what the model can call. */
import type { CliCommand } from '../command.ts';

export default {
  define(command, cli) {
    command.command('list').action(async () => {
      const { tools } = await (await cli.harness()).extensions();
      const rows = tools.map(({ name, description, source, problem }) => ({ name, description, source, problem }));
      if (cli.options.outputFormat !== 'text') return cli.out.json(rows);
      for (const { name, description, source, problem } of rows) {
        const [about = ''] = description.split('\n', 1);
        const what = problem ? cli.t(`cli.toolProblem.${problem}`) : about;
        cli.out.line([name || '?', ...(source === 'built-in' ? [] : [`(${source})`]), what].join('  '));
      }
    });
  },
} satisfies CliCommand;
