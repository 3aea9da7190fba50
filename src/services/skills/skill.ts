/** A skill: a workflow in Markdown with a front matter that says when to use it. */
import { revealHidden } from '../../lib/text/visible.ts';
import type { FrontMatter } from './front-matter.ts';

export interface Skill {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** Words and phrases that call for it, besides name and description. */
  readonly trigger: string;
  /** Absolute path. */
  readonly file: string;
  /** The folder whose files belong to it; absent for a flat file. */
  readonly folder?: string;
  readonly origin: 'bundled' | 'user' | 'project';
  /** Comes from a folder that the user has not declared as trusted: its text is quoted data. */
  readonly untrusted: boolean;
  /** The model is not told of it; a person or a keyword chooses it. */
  readonly hidden: boolean;
}

export interface SkillProblem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The skill is not loaded; else it is, and this is a warning. */
  readonly fatal: boolean;
  readonly code:
    | 'no-front-matter'
    | 'unclosed'
    | 'not-yaml'
    | 'no-name'
    | 'bad-name'
    | 'name-differs'
    | 'no-description'
    | 'too-long'
    | 'wrong-type'
    | 'too-large'
    | 'unreadable'
    | 'empty'
    | 'replaced'
    | 'competes';
  /** What the text of the problem names. */
  readonly params: Readonly<Record<string, string | number>>;
}

const legalName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const limits = { name: 64, description: 1024, compatibility: 500 };

export interface SkillHead {
  readonly name: string;
  readonly description: string;
  readonly trigger: string;
  readonly hidden: boolean;
}

/**
 * What a front matter says, with all that is wrong with it. `expected` is the name of the folder, which the skill must
 * bear, or of the flat file, whose name it takes when it has none of its own.
 */
export function readHead(
  front: FrontMatter,
  file: string,
  expected: { readonly name: string; readonly flat: boolean },
): { head?: SkillHead; problems: SkillProblem[] } {
  const problems: SkillProblem[] = [];
  const report = (key: string, code: SkillProblem['code'], params: SkillProblem['params'] = {}) =>
    problems.push({ file, line: front.lines.get(key) ?? 1, fatal: true, code, params: { key, ...params } });
  const text = (key: string): string | undefined => {
    const value = front.fields.get(key);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value.trim() || undefined;
    report(key, 'wrong-type', { expected: 'text' });
    return undefined;
  };
  const name = text('name') ?? (expected.flat ? expected.name : undefined);
  if (name === undefined) report('name', 'no-name');
  else if (name.length > limits.name) report('name', 'too-long', { max: limits.name, length: name.length });
  else if (!legalName.test(name)) report('name', 'bad-name', { name });
  else if (!expected.flat && name !== expected.name) report('name', 'name-differs', { name, folder: expected.name });
  const description = text('description')?.replace(/\s+/g, ' ');
  const measured = { description: description ?? '', compatibility: text('compatibility') ?? '' };
  for (const key of ['description', 'compatibility'] as const) {
    const { length } = measured[key];
    if (length > limits[key]) report(key, 'too-long', { max: limits[key], length });
  }
  if (description === undefined && !problems.some(({ params }) => params.key === 'description')) {
    report('description', 'no-description');
  }
  text('license');
  checkMetadata(front.fields.get('metadata'), report);
  checkList('allowed-tools', front.fields.get('allowed-tools'), report);
  const trigger = checkList('trigger', front.fields.get('trigger'), report);
  if (front.lenient)
    problems.push({
      file,
      fatal: false,
      code: 'not-yaml',
      params: { detail: front.lenient.detail },
      line: front.lenient.line,
    });
  if (problems.some(({ fatal }) => fatal) || name === undefined || description === undefined) return { problems };
  const hidden = front.fields.get('disable-model-invocation') === 'true';
  return { head: { name, description: revealHidden(description), trigger, hidden }, problems };
}

type Report = (key: string, code: SkillProblem['code'], params?: SkillProblem['params']) => void;

function checkMetadata(value: unknown, report: Report): void {
  if (value === undefined || typeof value === 'string') return;
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap || Object.values(value).some((inner) => typeof inner !== 'string')) {
    report('metadata', 'wrong-type', { expected: 'a map of texts' });
  }
}

/** A text, or a list of texts, which is joined. */
function checkList(key: string, value: unknown, report: Report): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  report(key, 'wrong-type', { expected: 'text' });
  return '';
}
