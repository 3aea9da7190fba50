/** Finds skills in folders. Reads heads only; a body is read when the skill is used. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { readFrontMatter } from './front-matter.ts';
import { readHead, type Skill, type SkillProblem } from './skill.ts';

export interface SkillFolder {
  readonly path: string;
  readonly origin: Skill['origin'];
  /** Of a project that the user has not declared as trusted. */
  readonly untrusted: boolean;
  /** Files must really lie below it: links that lead out are not followed. */
  readonly within?: string;
}

export interface SkillIndex {
  /** In order of name. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

export const maxSkillBytes = 10 * 1024 * 1024;
const headBytes = 64 * 1024;

/**
 * Loads all skills; of equal names the later one counts, but one of an untrusted project replaces none. A folder that
 * does not exist holds none. Never throws.
 */
export async function loadSkills(folders: readonly SkillFolder[]): Promise<SkillIndex> {
  const byName = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  for (const folder of folders) {
    for (const candidate of candidatesIn(folder)) {
      const { skill, found } = await loadSkill(candidate, folder);
      problems.push(...found);
      if (!skill) continue;
      const before = byName.get(skill.name);
      if (before && skill.untrusted && !before.untrusted) problems.push(replaced(skill, before));
      else {
        if (before) problems.push(replaced(before, skill));
        byName.set(skill.name, skill);
      }
    }
  }
  return { skills: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

function replaced(loser: Skill, winner: Skill): SkillProblem {
  const params = { name: loser.name, other: winner.file };
  return { file: loser.file, line: 1, fatal: false, code: 'replaced', params };
}

interface Candidate {
  readonly file: string;
  readonly folder?: string;
  readonly name: string;
}

/** `<name>/SKILL.md` and `<name>.md`, in order of name. */
function candidatesIn({ path }: SkillFolder): Candidate[] {
  const found: Candidate[] = [];
  for (const entry of entriesOf(path)) {
    const at = join(path, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.name.endsWith('.md')) {
      if (!entry.isDirectory() && entry.name !== 'README.md')
        found.push({ file: at, name: basename(entry.name, '.md') });
    } else if (!entry.isFile()) {
      const inside = entriesOf(at).find(({ name }) => name === 'SKILL.md');
      if (inside) found.push({ file: join(at, 'SKILL.md'), folder: at, name: entry.name });
    }
  }
  return found;
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

async function loadSkill(
  { file, folder, name }: Candidate,
  { origin, untrusted, within }: SkillFolder,
): Promise<{ skill?: Skill; found: SkillProblem[] }> {
  const fail = (code: SkillProblem['code'], params: SkillProblem['params'] = {}) => ({
    found: [{ file, line: 1, fatal: true, code, params }],
  });
  if (within !== undefined && !liesBelow(file, within)) return fail('unreadable', { detail: 'ELOOP' });
  const start = readHeadOf(file);
  if (typeof start === 'string') return fail('unreadable', { detail: start });
  if (start.size > maxSkillBytes) return fail('too-large', { max: maxSkillBytes, size: start.size });
  const front = await readFrontMatter(start.text);
  if (front === undefined) return fail('no-front-matter');
  if (front === 'unclosed') return fail('unclosed');
  const { head, problems } = readHead(front, file, { name, flat: folder === undefined });
  if (!head) return { found: problems };
  if (front.body.trim() === '' && start.size <= headBytes) return fail('empty');
  return { skill: { ...head, file, ...(folder !== undefined && { folder }), origin, untrusted }, found: problems };
}

/** Whether a file, links followed, lies below a folder. */
export function liesBelow(file: string, folder: string): boolean {
  try {
    return realpathSync(file).startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}

/** The start of a regular file; what is wrong instead. Never waits on a pipe. */
function readHeadOf(file: string): { text: string; size: number } | string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return 'EISDIR';
    const buffer = Buffer.allocUnsafe(Math.min(stats.size, headBytes));
    return { text: buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, 0)), size: stats.size };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EIO';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
