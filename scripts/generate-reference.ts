// Writes the pages of docs/reference that follow from the code: errors, tools and the command line. `--check` changes
// nothing and fails when one is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Cli } from '../src/apps/cli/cli.ts';
import type { CliCommand } from '../src/apps/cli/command.ts';
import { commands } from '../src/apps/cli/commands/index.ts';
import { flagTable } from '../src/apps/cli/flags.ts';
import { createProgram } from '../src/apps/cli/program.ts';
import background from '../src/extensions/middleware/background.ts';
import createSkills from '../src/extensions/middleware/skills.ts';
import createSubagents from '../src/extensions/middleware/subagents.ts';
import todo from '../src/extensions/middleware/todo.ts';
import { tools } from '../src/extensions/tools/index.ts';
import { bindTool } from '../src/harness/parts/bind-tool.ts';
import type { MiddlewareHost } from '../src/protocol/define/middleware.ts';
import type { DefinedTool } from '../src/protocol/define/tool.ts';
import { catalogue, type ErrorCode } from '../src/protocol/errors.ts';
import { loadAgents } from '../src/services/agents/load.ts';
import en from '../src/services/i18n/locales/en.ts';
import { label, loadLanguage } from '../src/services/i18n/translate.ts';

const header = '<!-- Written by scripts/generate-reference.ts (npm run generate). Do not edit. -->\n\n';

/** By path below the checkout. */
export async function referencePages(): Promise<Record<string, string>> {
  await loadLanguage('en');
  return {
    'docs/reference/cli.md': header + (await cliPage()),
    'docs/reference/errors.md': header + errorsPage(),
    'docs/reference/tools.md': header + (await toolsPage()),
  };
}

/** Writes what is stale, or only names it; returns the paths. */
export async function generateReference(root: string, { check = false } = {}): Promise<string[]> {
  const stale = Object.entries(await referencePages()).filter(([path, text]) => {
    const file = resolve(root, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  if (!check) for (const [path, text] of stale) writeFileSync(resolve(root, path), text);
  return stale.map(([path]) => path);
}

function errorsPage(): string {
  const rows = (Object.keys(catalogue) as ErrorCode[]).map((code) => {
    const { exit, http } = catalogue[code];
    const { message, hint } = en.errors[code];
    const again = 'retryable' in catalogue[code] ? 'yes' : '';
    return [`\`${code}\``, cell(message), cell(hint), String(exit), String(http), again];
  });
  return `# Errors

An error is a code with parameters; the text is made in the language of whoever reads it. In JSON it is
\`{ code, params, message }\`, and \`message\` is English. In the texts below \`{name}\` is a parameter, and what stands in
\`[ ]\` is left out without its parameter.

"Exit" is the code the command line ends with ([exit codes](exit-codes.md)). "HTTP" is the status that belongs to the error; no
part of this version serves HTTP. "Again": trying again may help, and a model call is tried again by itself, at most three
times.

${table(['code', 'message', 'what to do', 'exit', 'HTTP', 'again'], rows)}`;
}

/** The tools that stand in files of their own, and those that a middleware brings. */
async function allTools(): Promise<DefinedTool[]> {
  const agents = await loadAgents([resolve(import.meta.dirname, '../agents')]);
  const config = { skills: { mode: 'index' } };
  const host = {
    agents,
    config,
    home: '',
    userHome: '',
    cwd: '',
    isTrusted: async () => true,
  } as unknown as MiddlewareHost;
  const made = [background, todo, createSkills(host), createSubagents(host)];
  return [...tools, ...made.flatMap((one) => one.tools ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function toolsPage(): Promise<string> {
  const sections = (await allTools()).map((tool) => {
    const { schema, risk, idempotent } = bindTool(tool, {} as never);
    const { properties = {}, required = [] } = schema.input as {
      properties?: Record<string, Record<string, unknown>>;
      required?: string[];
    };
    const fields = Object.entries(properties).map(([name, field]) => {
      const need = required.includes(name) ? '' : 'optional';
      return [`\`${name}\``, typeOf(field), need, cell(String(field.description ?? ''))];
    });
    const facts = `Risk: \`${risk}\`.${idempotent ? ' Runs again by itself when a crash cut it off.' : ''}`;
    return `## ${schema.name}\n\n${schema.description.trim()}\n\n${facts}\n\n${table(['field', 'type', '', ''], fields)}`;
  });
  return `# Tools

What the model can call, in the words it reads. \`rein tools list\` shows the same together with your own.
Risk and [rules](configuration.md#rules) say what may run unasked: see [modes](../guides/headless.md#what-may-run).

${sections.join('\n')}`;
}

function typeOf(field: Record<string, unknown>): string {
  if (Array.isArray(field.enum)) return field.enum.map((value) => `\`${value}\``).join(' ');
  if (field.type === 'array') return `list of ${typeOf(field.items as Record<string, unknown>)}`;
  return String(field.type ?? 'any');
}

async function cliPage(): Promise<string> {
  const { root } = createProgram({} as Cli, async () => {});
  for (const command of root.commands) {
    const load = (commands as Record<string, () => Promise<{ default: CliCommand }>>)[command.name()];
    if (load) (await load()).default.define(command, {} as Cli);
  }
  const rows = root.commands.flatMap((command) => commandRows(command, []));
  const flags = Object.entries(flagTable).map(([key, { flags }]) => [`\`${flags}\``, cell(text(`cli.flags.${key}`))]);
  return `# Command line

\`\`\`text
rein [flags]                    a conversation in a terminal; without one, like -p -
rein -p "<prompt>" [flags]      one answer
rein <command> [flags]
\`\`\`

The result goes to standard output and nothing else does; warnings, progress and errors go to standard error.
[Exit codes](exit-codes.md) tell scripts how it ended.

## Commands

${table(['command', '', 'flags of its own'], rows)}
## Flags

They go with every command. Flags that take rules or files may be given several times.

${table(['flag', ''], [...flags, ['`-h, --help`', cell(text('cli.flags.help'))], ['`--version`', cell(text('cli.flags.version'))]])}`;
}

/** One row for a command, or one for each of its sub-commands. */
function commandRows(command: Command, parents: readonly string[]): string[][] {
  const path = [...parents, command.name()];
  if (command.commands.length > 0) return command.commands.flatMap((each) => commandRows(each, path));
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const isGlobal = (flags: string) => Object.values(flagTable).some((spec) => spec.flags === flags);
  const own = command.options.filter(({ flags, hidden }) => !hidden && !isGlobal(flags));
  const shown = own.map((option) => `\`${option.flags}\`: ${lowerFirst(text(`cli.own.${option.attributeName()}`))}`);
  return [
    [`\`${['rein', ...path, ...words].join(' ')}\``, cell(text(`cli.about.${path.join(' ')}`)), cell(shown.join('; '))],
  ];
}

function text(key: string): string {
  return label(key, 'en');
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

function cell(words: string): string {
  const escaped = words.replace(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found));
  return escaped.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`.replace(/ {2,}/g, ' ');
  return rows.length === 0 ? 'No fields.\n' : `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}

if (import.meta.main) {
  const check = process.argv.includes('--check');
  const stale = await generateReference(resolve(import.meta.dirname, '..'), { check });
  for (const path of stale) console.log(check ? `${path} is stale` : `wrote ${path}`);
  if (check && stale.length > 0) {
    console.error('Run "npm run generate" and commit the result.');
    process.exitCode = 1;
  }
}
