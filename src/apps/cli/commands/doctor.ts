/** `rein doctor`: says what is there and what is missing. */
import { checks } from '../../../harness/doors/doctor.ts';
import { exitCodes } from '../../../protocol/errors.ts';
import { label, renderError } from '../../../services/i18n/translate.ts';
import type { CliCommand } from '../command.ts';

const marks = { ok: '✓', warning: '!', failed: '✗' };

export default {
  define(command, cli) {
    command.action(async () => {
      const found = [];
      const { harness, problems } = await cli.inspect();
      const wrong = problems.map((problem) => renderError(problem, cli.lang).message);
      for await (const check of checks(harness, wrong)) {
        found.push(check);
        if (check.state === 'failed') cli.exit = exitCodes.error;
        if (cli.options.outputFormat !== 'text') continue;
        const name = label(`cli.doctor.${check.name}`, cli.lang, { subject: check.subject });
        cli.out.line(`${marks[check.state]} ${name}: ${label(check.detail, cli.lang, check.params)}`);
      }
      if (cli.options.outputFormat !== 'text') cli.out.json(found);
    });
  },
} satisfies CliCommand;
