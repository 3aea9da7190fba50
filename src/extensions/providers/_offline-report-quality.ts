/** Sections that judge: tests, where to start reading. */
import { type Source, uniqueBy } from './_offline-claims.ts';
import { entryCandidates } from './_offline-entries.ts';
import { depth, type Facts, greatestFirst, ownFiles, readmePath } from './_offline-facts.ts';
import { hubs } from './_offline-imports.ts';
import { baseName, folderOf, isCode, isForeign, isTest } from './_offline-languages.ts';
import type { Match } from './_offline-parse.ts';
import { cite, code, number, percent } from './_offline-render.ts';
import type { OfflineText } from './_offline-text-en.ts';

const frameworks =
  /^(?:vitest|jest|mocha|ava|tape|tap|jasmine|karma|uvu|playwright|@playwright\/test|cypress|pytest|nose2?|tox|hypothesis|junit(?:-jupiter\w*)?|testng|mockito-core|spock-core|rspec|minitest|phpunit\/phpunit|pestphp\/pest|xunit|nunit|GTest|Catch2|doctest|criterion|proptest|github\.com\/stretchr\/testify)$/i;

const runners =
  /\b(vitest|jest|mocha|ava|playwright|cypress|pytest|tox|unittest|rspec|phpunit|ctest|go test|cargo test|node --test|mvn test|gradle test)\b/;

/** How much of the code is tests, with which framework, and one to read first. */
export function testsSection(facts: Facts, text: OfflineText): string[] {
  const program = ownFiles(facts).filter(([path]) => isCode(path));
  const tests = program.filter(([path]) => isTest(path));
  const names = frameworksOf(facts);
  const said =
    names.length > 0
      ? [
          text.framework(
            names.map(({ name }) => code(name)).join(', '),
            [...new Set(names.map(({ source }) => cite(source)))].join(', '),
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
  const where = greatestFirst(folders)
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
export function inlineTests(facts: Facts): Match[] {
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

/** What to read, in which order, and why. */
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
  const [largest] = greatestFirst(source);
  if (largest) add(largest[0], reading.largest(number(largest[1])));
  add(exampleTest(ownFiles(facts).filter(([path]) => isTest(path) && isCode(path))), reading.test);
  return steps.map(({ path, why }, index) => `${index + 1}. \`${path}\`: ${why}`);
}
