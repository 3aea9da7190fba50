/** `rein skills`: what skills there are, and what is wrong with their files. */
import { listSkills, readSkill } from '../../../harness/doors/skills.ts';
import { visibleText } from '../../../lib/text/visible.ts';
import { exitCodes } from '../../../protocol/errors.ts';
import { label } from '../../../services/i18n/translate.ts';
import type { Cli } from '../cli.ts';
import type { CliCommand } from '../command.ts';

export default {
  define(command, cli) {
    command.command('list').action(() => list(cli));
    command
      .command('show')
      .argument('name')
      .action((name: string) => show(cli, name));
    command.command('check').action(() => check(cli));
  },
} satisfies CliCommand;

async function list(cli: Cli): Promise<void> {
  const { skills } = await listSkills(await cli.harness());
  if (cli.options.outputFormat !== 'text') return cli.out.json(skills);
  for (const { name, description, origin, untrusted, hidden } of skills) {
    const notes = [untrusted && cli.t('skills.untrusted'), hidden && cli.t('skills.hidden')].filter(Boolean);
    const note = notes.length > 0 ? [`(${notes.join('; ')})`] : [];
    cli.out.line(visibleText([name, `[${origin}]`, ...note, description].join('  ')));
  }
  if (skills.length === 0) cli.err.line(cli.t('skills.none'));
}

async function show(cli: Cli, name: string): Promise<void> {
  const skill = await readSkill(await cli.harness(), name);
  if (cli.options.outputFormat !== 'text') return cli.out.json(skill);
  const note = skill.untrusted ? ` (${cli.t('skills.untrusted')})` : '';
  cli.out.line(visibleText(`${skill.name}: ${skill.description}`));
  cli.out.line(visibleText(`${skill.file}${note}`));
  cli.out.line('');
  cli.out.line(visibleText(skill.body));
  if (skill.files.length === 0) return;
  cli.out.line(`\n${cli.t('skills.files')}`);
  for (const file of skill.files) cli.out.line(visibleText(file));
}

async function check(cli: Cli): Promise<void> {
  const { skills, problems } = await listSkills(await cli.harness());
  if (problems.some(({ fatal }) => fatal)) cli.exit = exitCodes.error;
  if (cli.options.outputFormat !== 'text') return cli.out.json(problems);
  for (const { file, line, fatal, code, params } of problems) {
    const what = label(`skills.problem.${code}`, cli.lang, params);
    cli.out.line(visibleText(`${file}:${line}: ${cli.t(fatal ? 'skills.fatal' : 'skills.warning')}: ${what}`));
  }
  if (problems.length === 0) cli.out.line(cli.t('skills.loaded', { count: skills.length }));
}
