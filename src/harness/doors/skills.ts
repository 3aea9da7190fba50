/** Skills, for people who write them and for commands that are one. */
import { ReinError } from '../../protocol/errors.ts';
import { skillFolders } from '../../services/skills/folders.ts';
import { loadSkills, type SkillIndex } from '../../services/skills/load.ts';
import { findRivals } from '../../services/skills/match.ts';
import { listFiles, readBody } from '../../services/skills/read.ts';
import type { Skill } from '../../services/skills/skill.ts';
import type { Harness } from '../create-harness.ts';

/** The skills of the harness's folder, and what is wrong with the files: those that do not load first, then warnings. */
export async function listSkills(harness: Harness): Promise<SkillIndex> {
  const { skills, problems } = await indexOf(harness);
  const all = [...problems, ...findRivals(skills)];
  return { skills, problems: all.sort((a, b) => Number(b.fatal) - Number(a.fatal)) };
}

/** Names of the skills that the model is told of, in order. */
export async function skillNames(harness: Harness): Promise<string[]> {
  const { skills } = await indexOf(harness);
  return skills.filter(({ hidden }) => !hidden).map(({ name }) => name);
}

async function indexOf(harness: Harness): Promise<SkillIndex> {
  const { home, cwd, userHome } = harness;
  const trusted = await harness.isTrusted(cwd);
  return loadSkills(skillFolders({ home, userHome, cwd, trusted }));
}

export interface SkillText extends Skill {
  readonly body: string;
  /** Relative to its folder. */
  readonly files: readonly string[];
}

/** One skill with its text. Throws `E_SKILL_MISSING`, `E_FILE`. */
export async function readSkill(harness: Harness, name: string): Promise<SkillText> {
  const { skills } = await indexOf(harness);
  const skill = skills.find((one) => one.name === name);
  if (!skill) throw new ReinError('E_SKILL_MISSING', { skill: name });
  return { ...skill, body: await readBody(skill), files: (await listFiles(skill)).files };
}
