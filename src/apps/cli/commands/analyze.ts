/** `rein analyze`: runs the skill of that name on a repository, prints the report and remembers it. */
import { basename } from 'node:path';
import { saveReport } from '../../../harness/doors/memory.ts';
import { readSkill } from '../../../harness/doors/skills.ts';
import { t } from '../../../services/i18n/translate.ts';
import type { CliCommand } from '../command.ts';
import { usageError } from '../flags.ts';
import { printRun } from '../print/run.ts';

export default {
  define(command, cli) {
    command.argument('folder').action(async (folder: string) => {
      if (cli.options.print !== undefined)
        throw usageError({ text: 'cli.usage.needs', first: '--print', second: '`rein chat`' });
      const cwd = cli.folder(folder);
      const { harness, outcome } = await printRun(cli, {
        cwd,
        title: () => cli.t('cli.analysisOf', { folder: basename(cwd) || cwd }),
        prompt: async (lang, harness) =>
          `${(await readSkill(harness, 'analyze')).body}\n\n${t('cli.writeReport', lang)}`,
      });
      if (outcome?.stop !== 'completed' || outcome.text.trim() === '') return;
      const file = await saveReport(harness, cwd, outcome.text);
      cli.err.line(cli.t('cli.remembered', { file }));
    });
  },
} satisfies CliCommand;
