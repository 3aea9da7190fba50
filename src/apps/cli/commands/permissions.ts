/** `rein permissions`: says what the rules make of a call. */
import { type CallExplanation, explainCall } from '../../../harness/doors/explain-call.ts';
import { visibleName } from '../../../lib/text/visible.ts';
import { label } from '../../../services/i18n/translate.ts';
import type { Cli } from '../cli.ts';
import type { CliCommand } from '../command.ts';
import { usageError } from '../flags.ts';

export default {
  define(command, cli) {
    command
      .command('explain')
      .argument('call')
      .action((call: string) => explain(cli, call));
  },
} satisfies CliCommand;

async function explain(cli: Cli, text: string): Promise<void> {
  const explained = await explainCall(await cli.harness(), text);
  if (!explained) throw usageError({ text: 'cli.usage.noCall', call: text });
  if (cli.options.outputFormat !== 'text') return cli.out.json(explained);
  for (const line of lines(explained, cli)) cli.out.line(visibleName(line));
}

function lines(
  { tool, input, verdict, why, rule, narrowRule, warnings, unmarked }: CallExplanation,
  cli: Cli,
): string[] {
  const [subject] = Object.values(input);
  const call = typeof subject === 'string' ? `${tool}(${subject})` : tool;
  const reason = label(`permissions.why.${why}`, cli.lang);
  return [
    `${call} ${label(`permissions.verdict.${verdict}`, cli.lang)}: ${reason}`,
    ...(rule === undefined ? [] : [`  ${cli.t('permissions.byRule', { rule })}`]),
    ...(narrowRule === undefined ? [] : [`  ${cli.t('cli.ask.rule', { rule: narrowRule })}`]),
    ...warnings.map((warning) => {
      const [code = '', ...detail] = warning.split(':');
      return `  ! ${label(`permissions.warnings.${code}`, cli.lang, { detail: detail.join(':') })}`;
    }),
    ...unmarked.map((each) => `  ! ${cli.t('permissions.unmarked', { rule: each })}`),
  ];
}
