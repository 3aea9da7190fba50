/** Sections that judge: tests, risks, where to start reading. */
import { type Source, uniqueBy } from './_offline-claims.ts';
import { entryCandidates } from './_offline-entries.ts';
import { byDepth, depth, type Facts, onlyBuilt, ownFiles, readmePath } from './_offline-facts.ts';
import { hubs } from './_offline-imports.ts';
import { baseName, folderOf, isCode, isForeign, isLock, isTest } from './_offline-languages.ts';
import { isCi } from './_offline-manifests.ts';
import type { Match } from './_offline-parse.ts';
import { cite, code, number, percent } from './_offline-render.ts';
import type { OfflineText } from './_offline-text-en.ts';

const frameworks =
  /^(?:vitest|jest|mocha|ava|tape|tap|jasmine|karma|uvu|playwright|@playwright\/test|cypress|pytest|nose2?|tox|hypothesis|junit(?:-jupiter\w*)?|testng|mockito-core|spock-core|rspec|minitest|phpunit\/phpunit|pestphp\/pest|xunit|nunit|GTest|Catch2|doctest|criterion|proptest|github\.com\/stretchr\/testify)$/i;

const runners =
  /\b(vitest|jest|mocha|ava|playwright|cypress|pytest|tox|unittest|rspec|phpunit|ctest|go test|cargo test|node --test|mvn test|gradle test)\b/;

export function testsSection(facts: Facts, text: OfflineText): string[] {
  const program = ownFiles(facts).filter(([path]) => isCode(path));
  const tests = program.filter(([path]) => isTest(path));
  const names = frameworksOf(facts);
  const said =
    names.length > 0
      ? [
          text.framework(
            names.map(({ name }) => code(name)).join(', '),
            names
              .map(({ source }) => cite(source))
              .filter((item, index, all) => all.indexOf(item) === index)
              .join(', '),
          ),
        ]
      : [];
  const inline = inlineTests(facts);
  if (inline.length > 0) said.unshift(text.inline(inline.length, inline.slice(0, 5).map(cite).join(', ')));
  if (tests.length === 0 && inline.length > 0) return said;
  if (tests.length === 0) return [facts.lines.size > 0 ? text.noTests : text.noLines, ...said];
  const total = program.reduce((sum, [, lines]) => sum + lines, 0);
  const lines = tests.reduce((sum, [, count]) => sum + count, 0);
  const folders = new Map<string, number>();
  for (const [path] of tests) folders.set(folderOf(path), (folders.get(folderOf(path)) ?? 0) + 1);
  const where = [...folders]
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    .slice(0, 5)
    .map(([folder, count]) => `\`${folder || '.'}/\` (${count})`);
  const first = exampleTest(tests);
  return [
    `${text.tests(tests.length, number(lines), percent(lines, total))} ${text.testsIn(where.join(', '))}`,
    ...said,
    ...(first ? [text.testFirst(first)] : []),
  ];
}

/** Test modules inside source files (Rust). */
function inlineTests(facts: Facts): Match[] {
  return (facts.matches.get('mains') ?? []).filter(
    ({ path, text }) => /^\s*#\[cfg\(test/.test(text) && !isForeign(path),
  );
}

/** Test frameworks by dependency, then by the commands that run them. */
function frameworksOf(facts: Facts): { name: string; source: Source }[] {
  const found: { name: string; source: Source }[] = [];
  for (const { dependencies = [] } of facts.manifests) {
    for (const group of dependencies)
      for (const name of group.names) if (frameworks.test(name)) found.push({ name, source: group });
  }
  for (const command of facts.manifests.flatMap(({ commands = [] }) => commands)) {
    const name = runners.exec(`${command.text} ${command.detail ?? ''}`)?.[1];
    if (name) found.push({ name, source: command });
  }
  return uniqueBy(found, ({ name }) => name);
}

/** A test of middling size, near the root: long enough to show something, short enough to read. */
function exampleTest(tests: readonly (readonly [string, number])[]): string | undefined {
  const real = tests.filter(
    ([path, lines]) =>
      lines >= 15 &&
      lines <= 250 &&
      !/fixtures|testdata|__init__|conftest|setup/.test(path) &&
      /test|spec/i.test(baseName(path)),
  );
  return [...real].sort(
    ([a, left], [b, right]) => depth(a) - depth(b) || Math.abs(left - 80) - Math.abs(right - 80) || (a < b ? -1 : 1),
  )[0]?.[0];
}

export function risksSection(facts: Facts, text: OfflineText): string[] {
  const { risk } = text;
  const own = ownFiles(facts);
  const source = own.filter(([path]) => isCode(path) && !isTest(path));
  const hasCode = source.length > 0;
  const found: string[] = [];
  const declaring = facts.manifests.find(
    ({ path, dependencies = [] }) =>
      dependencies.length > 0 &&
      /(?:package\.json|Cargo\.toml|go\.mod|composer\.json|Gemfile|Pipfile)$/.test(path) &&
      depth(path) === 0,
  );
  const published = onlyBuilt(facts);
  if (declaring && !published && !facts.paths.some(isLock)) found.push(risk.noLock(declaring.path));
  if (hasCode && !own.some(([path]) => isTest(path) && isCode(path)) && inlineTests(facts).length === 0) {
    const command = facts.manifests
      .flatMap(({ commands = [] }) => commands)
      .find(({ purpose, detail }) => purpose === 'test' && detail);
    found.push(command ? risk.testsElsewhere(cite(command)) : risk.noTests);
  }
  if (
    hasCode &&
    !facts.paths.some((path) => /^(?:licen[cs]e|copying|unlicense)/i.test(path)) &&
    !facts.manifests.some(({ licence }) => licence)
  )
    found.push(risk.noLicence);
  if (!readmePath(facts.paths)) found.push(risk.noReadme);
  if (hasCode && !facts.paths.some(isCi)) found.push(risk.noCi);
  const large = source.filter(([, lines]) => lines >= 1000).sort(([, a], [, b]) => b - a);
  if (large.length > 0)
    found.push(
      risk.large(
        large
          .slice(0, 5)
          .map(([path, lines]) => `\`${path}\` (${number(lines)})`)
          .join(', ') + (large.length > 5 ? ` ${text.more(large.length - 5)}` : ''),
      ),
    );
  const secrets = (facts.matches.get('secrets') ?? []).filter(
    ({ path, text: line }) =>
      !isTest(path) && !isForeign(path) && !/example|placeholder|your[_-]|xxxx|<|\$\{/i.test(line),
  );
  if (secrets.length > 0) found.push(risk.secrets(places(secrets)));
  const risky = (facts.matches.get('risky') ?? []).filter(
    ({ path, text: line }) =>
      isCode(path) && !isTest(path) && !isForeign(path) && runsText.test(line) && !/^\s*(?:\/\/|\*|#|"|')/.test(line),
  );
  if (risky.length > 0) found.push(risk.risky(places(risky)));
  const todo = [...facts.todo]
    .filter(([path]) => isCode(path) && !isForeign(path))
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  if (todo.length > 0)
    found.push(
      risk.todo(
        todo.reduce((sum, [, count]) => sum + count, 0),
        todo.length,
        todo
          .slice(0, 3)
          .map(([path, count]) => `\`${path}\` (${count})`)
          .join(', '),
      ),
    );
  const foreign = [
    ...new Set(
      facts.paths
        .filter((path) => isForeign(path) && !isLock(path))
        .map((path) => (path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path)),
    ),
  ];
  if (foreign.length > 0 && !published) found.push(risk.committed(foreign.slice(0, 5).map(code).join(', ')));
  const environment = facts.paths.filter((path) => /(?:^|\/)\.env(?:\.(?:local|production|prod))?$/.test(path));
  if (environment.length > 0) found.push(risk.env(environment.slice(0, 5).map(code).join(', ')));
  if (found.length === 0) return [facts.lines.size > 0 ? risk.none : text.noLines];
  return found.map((line) => `- ${line}`);
}

/** A method named `exec` of a pattern or database is none of these. */
const runsText =
  /(?:^|[^.\w])(?:eval|exec|execSync|popen)\(|\b(?:os|subprocess)\.\w+\(|shell\s*=\s*True|new Function\(|pickle\.loads?\(|yaml\.load\(|\.innerHTML\s*=|dangerouslySetInnerHTML|\bunsafe \{|(?:^|[^.\w])(?:system|strcpy|sprintf|gets)\(/;

function places(matches: readonly Match[]): string {
  const byFile = uniqueBy(matches, ({ path }) => path).sort(byDepth);
  return byFile.slice(0, 6).map(cite).join(', ') + (byFile.length > 6 ? ', …' : '');
}

export function readingSection(facts: Facts, text: OfflineText): string[] {
  const { reading } = text;
  const steps: { path: string; why: string }[] = [];
  const add = (path: string | undefined, why: string) => {
    if (path && !steps.some((step) => step.path === path)) steps.push({ path, why });
  };
  add(readmePath(facts.paths), reading.readme);
  for (const path of facts.read.keys())
    if (/(?:ARCHITECTURE|DESIGN|AGENTS|CONTRIBUTING)\.md$/i.test(path)) add(path, reading.guide);
  add(facts.manifests.find(({ name }) => name)?.path ?? facts.manifests[0]?.path, reading.manifest);
  for (const { path } of entryCandidates(facts).slice(0, 2)) add(path, reading.entry);
  for (const { path, count } of hubs(facts).slice(0, 3)) add(path, reading.hub(count));
  const source = ownFiles(facts).filter(([path]) => isCode(path) && !isTest(path));
  const largest = [...source].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))[0];
  if (largest) add(largest[0], reading.largest(number(largest[1])));
  add(exampleTest(ownFiles(facts).filter(([path]) => isTest(path) && isCode(path))), reading.test);
  return steps.map(({ path, why }, index) => `${index + 1}. \`${path}\`: ${why}`);
}
