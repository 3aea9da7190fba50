/** What manifests and files say, each with the place where it stands. */

/** A place in a file; line 0 means the file as a whole. */
export interface Source {
  readonly path: string;
  readonly line: number;
}

export interface Claim extends Source {
  readonly text: string;
}

export type Purpose = 'install' | 'build' | 'test' | 'run' | 'lint' | 'other';

export interface Command extends Claim {
  readonly purpose: Purpose;
  /** What it does underneath, such as the body of a script. */
  readonly detail?: string;
}

export interface Dependencies extends Source {
  readonly scope: 'runtime' | 'dev' | 'optional' | 'peer';
  readonly names: readonly string[];
}

export interface Manifest {
  readonly path: string;
  /** Such as `npm` or `Cargo`. */
  readonly system: string;
  readonly name?: Claim;
  readonly description?: Claim;
  readonly version?: Claim;
  readonly licence?: Claim;
  /** Required runtime version, such as `node >=20`. */
  readonly needs?: Claim;
  readonly dependencies?: readonly Dependencies[];
  readonly commands?: readonly Command[];
  /** Files that it names as the way in; `text` is the path, relative to the manifest's folder. */
  readonly entries?: readonly Claim[];
  /** Patterns of member packages. */
  readonly workspaces?: Claim;
  readonly notes?: readonly Claim[];
}

/** The claim that a line makes, by a pattern whose first group is the text. */
export function findClaim(path: string, lines: readonly string[], pattern: RegExp, from = 0): Claim | undefined {
  for (let index = from; index < lines.length; index++) {
    const text = pattern.exec(lines[index] ?? '')?.[1];
    if (text) return { path, line: index + 1, text: text.trim() };
  }
  return undefined;
}

/** Without those whose key stood before, in the order of the first ones. */
export function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const isNew = !seen.has(key(item));
    seen.add(key(item));
    return isNew;
  });
}

const purposes: [RegExp, Purpose][] = [
  [/(?:^|\s)(?:install|setup|bootstrap|sync)\b|^npm ci/, 'install'],
  [/test|spec\b|coverage|e2e|verify|tox/, 'test'],
  [/lint|check|format|fmt|types\b|prettier|clippy|mypy|ruff|vet\b|biome/, 'lint'],
  [/build|compile|bundle|dist|package|assemble|^all$|^make$/, 'build'],
  [/start|serve|dev|run|watch|preview|up$/, 'run'],
];

/** What a command is for, by its name. */
export function purposeOf(name: string): Purpose {
  return purposes.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1] ?? 'other';
}
