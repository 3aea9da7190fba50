/** Reads package.json and composer.json: JSON, with the line of each key. */
import { type Claim, type Command, type Dependencies, type Manifest, purposeOf, uniqueBy } from './_offline-claims.ts';

type Table = Record<string, unknown>;

/** A JSON manifest with the lines at which its top-level keys and their members stand. */
function readJson(lines: readonly string[]): { body: Table; lineOf(...keys: string[]): number } {
  let body: unknown;
  try {
    body = JSON.parse(lines.join('\n'));
  } catch {
    body = {};
  }
  const lineOf = (...keys: string[]) => {
    let at = 0;
    let depth = 0;
    for (const key of keys) {
      depth++;
      const found = lines.findIndex(
        (line, index) => index >= at && line.includes(`"${key}"`) && (depth > 1 || indent(line) <= topIndent),
      );
      if (found < 0) return at + 1;
      at = found;
    }
    return at + 1;
  };
  const topIndent = indent(lines.find((line) => /^\s*"/.test(line)) ?? '');
  return { body: isTable(body) ? body : {}, lineOf };
}

/** What a `package.json` says. */
export function readPackageJson(path: string, lines: readonly string[]): Manifest {
  const { body, lineOf } = readJson(lines);
  const claim = (key: string) => claimOf(path, body[key], lineOf(key));
  const workspaces = workspacesOf(body.workspaces);
  const engines = isTable(body.engines) ? Object.entries(body.engines).map(([name, range]) => `${name} ${range}`) : [];
  const scripts = isTable(body.scripts) ? body.scripts : {};
  const manager = typeof body.packageManager === 'string' ? (/^[a-z]+/.exec(body.packageManager)?.[0] ?? 'npm') : 'npm';
  return {
    path,
    system: manager,
    name: claim('name'),
    description: claim('description'),
    version: claim('version'),
    licence: claim('license'),
    needs: engines.length > 0 ? { path, line: lineOf('engines'), text: engines.join(', ') } : undefined,
    dependencies: dependenciesOf(path, body, lineOf, nodeScopes),
    commands: Object.entries(scripts).flatMap(([name, script]) => toCommand(name, String(script))),
    entries: entriesOf(),
    workspaces: workspaces.length > 0 ? { path, line: lineOf('workspaces'), text: workspaces.join(', ') } : undefined,
  };

  function toCommand(name: string, detail: string): Command[] {
    if (/^(?:pre|post)\w/.test(name) && name !== 'preview') return [];
    const text = name === 'test' || name === 'start' ? `${manager} ${name}` : `${manager} run ${name}`;
    return [{ path, line: lineOf('scripts', name), text, detail, purpose: purposeOf(name) }];
  }

  function entriesOf(): Claim[] {
    const found: Claim[] = [];
    const add = (key: string, value: unknown, depth = 0): void => {
      if (
        typeof value === 'string' &&
        /\.\w+$/.test(value) &&
        !value.includes('*') &&
        !value.endsWith('package.json')
      ) {
        found.push({ path, line: lineOf(key), text: value.replace(/^\.\//, '') });
      } else if (isTable(value) && depth < 4) {
        for (const inner of Object.values(value).slice(0, 8)) add(key, inner, depth + 1);
      }
    };
    for (const key of ['bin', 'main', 'module', 'exports', 'browser']) add(key, body[key]);
    return unique(found);
  }
}

/** What a `composer.json` says. */
export function readComposer(path: string, lines: readonly string[]): Manifest {
  const { body, lineOf } = readJson(lines);
  const claim = (key: string) => claimOf(path, body[key], lineOf(key));
  const scripts = isTable(body.scripts) ? Object.keys(body.scripts) : [];
  return {
    path,
    system: 'composer',
    name: claim('name'),
    description: claim('description'),
    licence: claim('license'),
    dependencies: dependenciesOf(path, body, lineOf, { require: 'runtime', 'require-dev': 'dev' }),
    commands: scripts.map((name) => ({
      path,
      line: lineOf('scripts', name),
      text: `composer ${name}`,
      purpose: purposeOf(name),
    })),
  };
}

const nodeScopes: Record<string, Dependencies['scope']> = {
  dependencies: 'runtime',
  devDependencies: 'dev',
  peerDependencies: 'peer',
  optionalDependencies: 'optional',
};

function dependenciesOf(
  path: string,
  body: Table,
  lineOf: (key: string) => number,
  scopes: Record<string, Dependencies['scope']>,
): Dependencies[] {
  return Object.entries(scopes).flatMap(([key, scope]) => {
    const names = isTable(body[key]) ? Object.keys(body[key]) : [];
    return names.length > 0 ? [{ path, line: lineOf(key), scope, names }] : [];
  });
}

function workspacesOf(value: unknown): string[] {
  const list = isTable(value) ? value.packages : value;
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function claimOf(path: string, value: unknown, line: number): Claim | undefined {
  return typeof value === 'string' && value.trim() !== '' ? { path, line, text: value.trim() } : undefined;
}

function unique(claims: readonly Claim[]): Claim[] {
  return uniqueBy(claims, ({ text }) => text);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}
