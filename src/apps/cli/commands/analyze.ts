/** `rein analyze`: describes a repository, prints the report and remembers it. */
import { saveRepositoryMemory } from '../../../harness/repository-memory.ts';
import type { CliCommand } from '../command.ts';
import { usageError } from '../flags.ts';
import { printRun } from '../print/run.ts';

/** What the model reads. The sections are those that a later conversation looks for. */
const question = `Analyze this repository and write a report about it in Markdown.

Look before you write: list the folder, read the README and the manifests, find the entry points and the tests, and open the files that matter. Do not change anything. Use these sections, and name \`path:line\` for what you state:

- Purpose: what it is for, in a few sentences
- Languages: which, by lines of code
- Layout: the folders and what is in them
- Entry points: where it begins, and what it exports
- Dependencies: which, and what for
- Build, test, run: the commands
- Tests: where they are and how they are run
- Risks and oddities: what a newcomer should know before a change
- Where to start reading: the files, in order

Your last message is the report itself, from its title on, with nothing before or after it.`;

/** In the words of the language itself. */
const inLanguage = { en: '', 'zh-CN': '\n\n请用简体中文撰写这份报告。', 'zh-TW': '\n\n請用繁體中文撰寫這份報告。' };

export default {
  define(command, cli) {
    command.argument('folder').action(async (folder: string) => {
      if (cli.options.print !== undefined)
        throw usageError({ text: 'cli.usage.needs', first: '--print', second: '`rein chat`' });
      const cwd = cli.folder(folder);
      const { harness, outcome } = await printRun(cli, {
        cwd,
        prompt: (lang) => question + inLanguage[lang],
      });
      if (outcome?.stop !== 'completed' || outcome.text.trim() === '') return;
      const file = await saveRepositoryMemory(harness.home, cwd, outcome.text);
      cli.err.line(cli.t('cli.remembered', { file }));
    });
  },
} satisfies CliCommand;
