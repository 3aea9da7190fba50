/** Agent definitions: Markdown files with a head (`name description tools model maxTurns skills`) and a prompt. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FrontMatterValue, parseFrontMatter } from '../../lib/front-matter.ts';
import { revealHidden, visibleText } from '../../lib/text/visible.ts';
import type { AgentDefinition } from '../../protocol/define/agent.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import { toolAliases } from '../../protocol/rule.ts';

const maxBytes = 256 * 1024;

/**
 * Reads the `*.md` files of each folder; of two with the same name the one of the later folder counts. A folder that
 * is not there holds none. A file that is no definition is left out, a line that cannot be read is skipped; both are
 * reported with path and line (`E_AGENT_FILE`).
 */
export async function loadAgents(
  folders: readonly string[],
  onWarning: (warning: ErrorData) => void = () => {},
): Promise<Map<string, AgentDefinition>> {
  const agents = new Map<string, AgentDefinition>();
  for (const folder of folders) {
    for (const name of definitionsIn(folder)) {
      const file = join(folder, name);
      const report: Report = (detail, line = 1) =>
        onWarning(new ReinError('E_AGENT_FILE', { file, line, detail }).toData());
      const text = readDefinition(file, report);
      if (text === undefined) continue;
      if (text.length > maxBytes) report({ text: 'agents.tooLarge' });
      else {
        const agent = parseAgent(text, file, report);
        if (agent) agents.set(agent.name, agent);
      }
    }
  }
  return agents;
}

function definitionsIn(folder: string): string[] {
  // Most folders are not there, and to look costs less than an error.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .sort();
  } catch {
    return [];
  }
}

function readDefinition(file: string, report: Report): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return void report(String(error));
  }
}

/** A text of the dictionary with its parameters, or what the system says. */
type Detail = { readonly text: `agents.${string}`; readonly value?: string } | string;

type Report = (detail: Detail, line?: number) => void;

/** A definition from a file's text; reports what is wrong. The name is the file's where the head gives none. */
function parseAgent(text: string, file: string, report: Report): AgentDefinition | undefined {
  const { fields, body, problems } = parseFrontMatter(text);
  for (const problem of problems) {
    const isOpen = problem.kind === 'unclosed';
    report(isOpen ? { text: 'agents.unclosed' } : { text: 'agents.noKey', value: problem.value }, problem.line);
  }
  const name = single(fields.name) ?? basename(file, '.md');
  const description = single(fields.description);
  if (!/^[\w-]{1,64}$/.test(name)) return void report({ text: 'agents.noName', value: name });
  if (!description) return void report({ text: 'agents.noDescription' });
  if (body === '') return void report({ text: 'agents.noPrompt' });
  const tools = fields.tools === undefined ? undefined : listOf(fields.tools).map(toToolName);
  const model = single(fields.model);
  const skills = fields.skills === undefined ? undefined : listOf(fields.skills);
  const maxTurns = turns(single(fields.maxTurns), (detail) => report(detail, lineOf(text, 'maxTurns')));
  return {
    name,
    description: visibleText(revealHidden(description)),
    prompt: revealHidden(body),
    ...(tools && !tools.includes('*') && { tools }),
    ...(model && model !== 'inherit' && { model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(skills && { skills }),
    source: file,
  };
}

function turns(text: string | undefined, report: (detail: Detail) => void): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  report({ text: 'agents.noNumber', value: text });
  return undefined;
}

function single(value: FrontMatterValue | undefined): string | undefined {
  const text = typeof value === 'string' ? value : value?.join(', ');
  return text?.trim() || undefined;
}

function listOf(value: FrontMatterValue): string[] {
  const items = typeof value === 'string' ? value.split(/[\s,]+/) : value;
  return items.filter((item) => item !== '');
}

function toToolName(name: string): string {
  return Object.hasOwn(toolAliases, name) ? toolAliases[name]! : name;
}

function lineOf(text: string, field: string): number {
  return text.split('\n').findIndex((line) => line.startsWith(`${field}:`)) + 1;
}
