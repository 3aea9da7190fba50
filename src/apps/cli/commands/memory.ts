/** `rein memory`: what is remembered across sessions, and where. */
import { listMemory } from '../../../harness/doors/memory.ts';
import { visibleText } from '../../../lib/text/visible.ts';
import type { CliCommand } from '../command.ts';

export default {
  define(command, cli) {
    command.command('show').action(async () => {
      const files = await listMemory(await cli.harness());
      if (cli.options.outputFormat !== 'text') return cli.out.json(files);
      for (const [index, { path, text }] of files.entries()) {
        cli.out.line(`${index > 0 ? '\n' : ''}${visibleText(path)}`);
        cli.out.line(visibleText(text) || cli.t('skills.emptyMemory'));
      }
    });
    command.command('path').action(async () => {
      const files = await listMemory(await cli.harness());
      if (cli.options.outputFormat !== 'text') {
        return cli.out.json(Object.fromEntries(files.map(({ about, path }) => [about, path])));
      }
      for (const { path } of files) cli.out.line(path);
    });
  },
} satisfies CliCommand;
