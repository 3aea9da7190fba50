/** Where agent definitions are looked for. */
import { join } from 'node:path';

export interface AgentPlaces {
  /** `$REIN_HOME`. */
  readonly home: string;
  readonly userHome: string;
  readonly cwd: string;
  /** The project's definitions count only then. */
  readonly trusted: boolean;
}

/** In order of precedence, lowest first: bundled, the user's, the project's; each from the shared places to Rein's own. */
export function agentFolders({ home, userHome, cwd, trusted }: AgentPlaces): string[] {
  const shared = ['.agents/agents', '.claude/agents'];
  const user = [...shared.map((path) => join(userHome, path)), join(home, 'agents')];
  const project = trusted ? [...shared, '.rein/agents'].map((path) => join(cwd, path)) : [];
  return [...new Set([bundledFolder(), ...user, ...project])];
}

/** `agents/` of the package: beside the sources, or in the bundle's folder. */
function bundledFolder(): string {
  const isSource = import.meta.url.endsWith('/src/services/agents/folders.ts');
  return join(import.meta.dirname, isSource ? '../../../agents' : 'agents');
}
