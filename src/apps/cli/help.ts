/** Help in the language of the person. Pure. */
import type { Command } from 'commander';
import { textWidth } from '../../lib/text/text-width.ts';
import { type Language, label, t } from '../../services/i18n/translate.ts';
import { flagTable } from './flags.ts';

type Row = readonly [name: string, text: string];

/** The whole help of a command: usage, what it is for, arguments, sub-commands, its flags and those of every command. */
export function renderHelp(command: Command, lang: Language, columns: number): string {
  const path = pathOf(command);
  const about = path.length === 0 ? 'cli.about.rein' : `cli.about.${path.join(' ')}`;
  const own = command.options.filter((option) => !option.hidden && !isGlobal(option.flags));
  const sections: [string, Row[]][] = [
    [
      t('cli.help.commands', lang),
      command.commands.map((each) => [nameOf(each), label(`cli.about.${[...path, each.name()].join(' ')}`, lang)]),
    ],
    [t('cli.help.flags', lang), own.map((option) => [option.flags, label(`cli.own.${option.attributeName()}`, lang)])],
    [
      t(path.length === 0 ? 'cli.help.flags' : 'cli.help.global', lang),
      path.length === 0 || command.commands.length === 0 ? globals(lang) : [],
    ],
  ];
  const usage = [
    'rein',
    ...path,
    ...(command.commands.length > 0 ? [path.length === 0 ? '[command]' : '<command>'] : []),
    ...argumentsOf(command),
    '[flags]',
  ];
  const head = `${t('cli.help.usage', lang, { usage: usage.join(' ') })}\n\n${wrap(label(about, lang), columns).join('\n')}\n`;
  return (
    head +
    sections
      .filter(([, rows]) => rows.length > 0)
      .map(([title, rows]) => `\n${title}\n${table(rows, columns)}`)
      .join('')
  );
}

function globals(lang: Language): Row[] {
  const rows = Object.entries(flagTable).map(([key, { flags }]): Row => [flags, label(`cli.flags.${key}`, lang)]);
  return [...rows, ['-h, --help', t('cli.flags.help', lang)], ['--version', t('cli.flags.version', lang)]];
}

function isGlobal(flags: string): boolean {
  return flags === '--version' || Object.values(flagTable).some((spec) => spec.flags === flags);
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

function nameOf(command: Command): string {
  return [command.name(), ...argumentsOf(command)].join(' ');
}

function argumentsOf(command: Command): string[] {
  return command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${word}>` : `[${word}]`;
  });
}

const gap = 2;

/** Two columns, the second wrapped at the width of the terminal. */
function table(rows: readonly Row[], columns: number): string {
  const left = Math.max(...rows.map(([name]) => textWidth(name))) + 2 * gap;
  const width = Math.max(24, Math.min(columns, 120) - left);
  return rows
    .map(([name, text]) => {
      const [first = '', ...rest] = wrap(text, width);
      const begin = `${' '.repeat(gap)}${name}`;
      const head = begin + ' '.repeat(left - textWidth(begin)) + first;
      return [head, ...rest.map((line) => ' '.repeat(left) + line)].map((line) => `${line}\n`).join('');
    })
    .join('');
}

/** Breaks at spaces, and between any two wide characters. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of text.match(/[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+/g) ?? []) {
    if (textWidth(line + piece.trimEnd()) > width && line !== '') {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}
