/** Reads the manifests of Python projects. */
import { type Claim, type Command, type Dependencies, findClaim, type Manifest, purposeOf } from './_offline-claims.ts';
import { readToml, type TomlValue } from './_offline-toml.ts';

/** What a `pyproject.toml` says. */
export function readPyproject(path: string, lines: readonly string[]): Manifest {
  const values = readToml(lines);
  const of = (key: string) =>
    values.find((value) => value.key === key && (value.section === 'project' || value.section === 'tool.poetry'));
  const claim = (key: string) => toClaim(path, of(key));
  const needs = of('requires-python');
  const tests = values.find(({ section }) => /^tool\.pytest/.test(section));
  const commands: Command[] = tests ? [{ path, line: tests.line, text: 'pytest', purpose: 'test' }] : [];
  for (const value of values) {
    if (/^tool\.(?:poe\.tasks|taskipy\.tasks|pdm\.scripts|hatch\.envs\.[\w-]+\.scripts)$/.test(value.section)) {
      const runner = value.section.split('.')[1] === 'taskipy' ? 'task' : value.section.split('.')[1];
      commands.push({
        path,
        line: value.line,
        text: `${runner} ${runner === 'poe' || runner === 'task' ? '' : 'run '}${value.key}`,
        purpose: purposeOf(value.key),
        detail: value.text,
      });
    }
  }
  return {
    path,
    system: values.some(({ section }) => section === 'tool.poetry')
      ? 'Poetry'
      : values.some(({ section }) => section.startsWith('tool.uv'))
        ? 'uv'
        : 'pip',
    name: claim('name'),
    description: claim('description'),
    version: claim('version'),
    licence: claim('license'),
    needs: needs && { path, line: needs.line, text: `Python ${needs.text}` },
    dependencies: pyprojectDependencies(path, values),
    commands,
    entries: values
      .filter(({ section }) => /^(?:project|tool\.poetry)\.(?:gui-)?scripts$/.test(section))
      .map(({ key, line, text }) => ({ path, line, text: `${moduleFile(text)}${key ? ` (${key})` : ''}` })),
  };
}

/** What a requirements file or `Pipfile` says. */
export function readRequirements(path: string, lines: readonly string[]): Manifest {
  const names = lines.flatMap((line) => requirementName(line) ?? []);
  const scope = /dev|test|lint|doc/i.test(path) ? 'dev' : 'runtime';
  return { path, system: 'pip', dependencies: names.length > 0 ? [{ path, line: 1, scope, names }] : [] };
}

/** What a `setup.py` or `setup.cfg` says. */
export function readSetup(path: string, lines: readonly string[]): Manifest {
  const claim = (key: string) => findClaim(path, lines, new RegExp(`^\\s*${key}\\s*=\\s*["']?([^"'#,]+)["']?`));
  const at = lines.findIndex((line) => /install_requires/.test(line));
  const block = at < 0 ? [] : lines.slice(at, at + 60);
  const end = block.findIndex((line, index) => index > 0 && /^\s*\]|^\S/.test(line));
  const text = block
    .slice(0, end < 0 ? block.length : end + 1)
    .join('\n')
    .replace(/^.*install_requires\s*=\s*/, '');
  const names = path.endsWith('.py')
    ? [...text.matchAll(/["']([A-Za-z][\w.-]*)/g)].map((match) => match[1] ?? '')
    : text.split('\n').flatMap((line) => requirementName(line) ?? []);
  return {
    path,
    system: 'setuptools',
    name: claim('name'),
    description: claim('description'),
    version: claim('version'),
    licence: claim('license'),
    dependencies: names.length > 0 ? [{ path, line: at + 1, scope: 'runtime', names }] : [],
  };
}

function pyprojectDependencies(path: string, values: readonly TomlValue[]): Dependencies[] {
  const found: Dependencies[] = [];
  for (const { section, key, line, strings } of values) {
    const names = strings.flatMap((text) => requirementName(text) ?? []);
    if (names.length === 0) continue;
    if (section === 'project' && key === 'dependencies') found.push({ path, line, scope: 'runtime', names });
    else if (section === 'project.optional-dependencies')
      found.push({ path, line, scope: /dev|test|lint|doc/.test(key) ? 'dev' : 'optional', names });
    else if (section === 'dependency-groups') found.push({ path, line, scope: 'dev', names });
  }
  for (const scope of ['runtime', 'dev'] as const) {
    const pattern =
      scope === 'runtime'
        ? /^tool\.poetry\.dependencies$/
        : /^tool\.poetry\.(?:dev-dependencies|group\.[\w-]+\.dependencies)$/;
    const inSection = values.filter(({ section, key }) => pattern.test(section) && key !== 'python');
    const first = inSection[0];
    if (first) found.push({ path, line: first.line, scope, names: inSection.map(({ key }) => key) });
  }
  return found;
}

function requirementName(text: string): string | undefined {
  return /^\s*([A-Za-z][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;@ ]|$)/.exec(text)?.[1];
}

/** `pkg.module:main` as the file it stands in. */
function moduleFile(target: string): string {
  return `${(target.split(':')[0] ?? '').replaceAll('.', '/')}.py`;
}

function toClaim(path: string, value: TomlValue | undefined): Claim | undefined {
  const text = value && (value.strings.length === 1 ? value.strings[0] : value.text);
  return value && text ? { path, line: value.line, text } : undefined;
}
