/** Where skills are looked for. */
import { join } from 'node:path';
import type { SkillFolder } from './load.ts';

export interface SkillPlaces {
  /** `$REIN_HOME`. */
  readonly home: string;
  readonly userHome: string;
  readonly cwd: string;
  readonly trusted: boolean;
}

/** In order of precedence, lowest first: bundled, the user's, the project's; each from the shared places to Rein's own. */
export function skillFolders({ home, userHome, cwd, trusted }: SkillPlaces): SkillFolder[] {
  const shared = ['.agents/skills', '.claude/skills'];
  const user = [...shared.map((path) => join(userHome, path)), join(home, 'skills')];
  const project = ['skills', ...shared, '.rein/skills'].map((path) => join(cwd, path));
  const seen = new Set<string>();
  return [
    { path: bundledFolder(), origin: 'bundled' as const, untrusted: false },
    ...user.map((path) => ({ path, origin: 'user' as const, untrusted: false })),
    ...project.map((path) => ({ path, origin: 'project' as const, untrusted: !trusted, within: cwd })),
  ].filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** `skills/` of the package: beside the sources, or in the bundle's folder. */
function bundledFolder(): string {
  const isSource = import.meta.url.endsWith('/src/services/skills/folders.ts');
  return join(import.meta.dirname, isSource ? '../../../skills' : 'skills');
}
