/** Sections that come from what the project says of itself: purpose, entry points, dependencies, commands. */
import { type Command, type Dependencies, type Manifest, type Purpose, uniqueBy } from './_offline-claims.ts';
import { type EntryPoint, entryCandidates } from './_offline-entries.ts';
import { byDepth, depth, type Facts, firstParagraph, ownFiles, plain, readmePath } from './_offline-facts.ts';
import { baseName, isForeign, isTest } from './_offline-languages.ts';
import { cite, code, head, row, short } from './_offline-render.ts';
import { topLanguages } from './_offline-report-files.ts';
import type { OfflineText } from './_offline-text-en.ts';

/** What the project says it is. */
export function purposeSection(facts: Facts, text: OfflineText): string[] {
  const lines: string[] = [];
  const main = mainManifest(facts);
  const described = facts.manifests.find(
    ({ description, path }) => description && depth(path) === (main ? depth(main.path) : 0),
  );
  const language = topLanguages(ownFiles(facts), 1)[0];
  if (main && language)
    lines.push(
      `${text.project(main.system, language)}: **${main.name?.text ?? '.'}** (${cite(main.name ?? { path: main.path, line: 0 })}).`,
    );
  if (described?.description)
    lines.push(
      `- ${text.says(described.path)}: “${short(plain(described.description.text), 240)}” (${cite(described.description)})`,
    );
  const readme = readmePath(facts.paths);
  const file = readme ? facts.read.get(readme) : undefined;
  const says = readme && file ? firstParagraph(readme, file) : undefined;
  if (says && (says.line <= 30 || !described) && !sameText(says.text, described?.description?.text))
    lines.push(`- ${text.says(says.path)}: “${short(says.text, 320)}” (${cite(says)})`);
  if (lines.length === 0) lines.push(text.noPurpose);
  lines.push(...manifestFacts(main, text), ...members(facts, main, text));
  return lines;
}

function sameText(a: string, b: string | undefined): boolean {
  return b !== undefined && plain(a).toLowerCase() === plain(b).toLowerCase();
}

/** The manifest of the whole: the root's, else the only one. */
export function mainManifest(facts: Facts): Manifest | undefined {
  const named = facts.manifests.filter(({ name }) => name);
  return named.find(({ path }) => depth(path) === 0) ?? (named.length === 1 ? named[0] : undefined);
}

function manifestFacts(main: Manifest | undefined, text: OfflineText): string[] {
  if (!main) return [];
  const parts = (['version', 'licence', 'needs', 'workspaces'] as const).flatMap((key) => {
    const claim = main[key];
    return claim ? [`${text.facts[key]} ${code(short(claim.text, 80))} (${cite(claim)})`] : [];
  });
  return parts.length > 0 ? [`- ${parts.join('; ')}`] : [];
}

/** The packages of a monorepo. */
function members(facts: Facts, main: Manifest | undefined, text: OfflineText): string[] {
  const named = facts.manifests.filter((one) => one !== main && one.name && depth(one.path) > 0);
  if (named.length === 0) return [];
  const lines = named
    .slice(0, 12)
    .map(
      ({ name, description, path }) =>
        `  - ${code(name?.text ?? path)} (${cite(name ?? { path, line: 0 })})${description ? `: ${short(plain(description.text), 100)}` : ''}`,
    );
  const kinds = new Set(named.map(({ path }) => baseName(path)));
  const unread = facts.paths.filter(
    (path) =>
      depth(path) > 0 && kinds.has(baseName(path)) && !facts.read.has(path) && !isForeign(path) && !isTest(path),
  );
  const more = named.length - lines.length + unread.length;
  const count = named.length + unread.length + (main ? 1 : 0);
  return [`- ${text.manifestsAlso(count)}`, ...lines, ...(more > 0 ? [`  - ${text.more(more)}`] : [])];
}

/** Where programs and libraries begin. */
export function entriesSection(facts: Facts, text: OfflineText): string[] {
  const entries = entryCandidates(facts);
  if (entries.length === 0) return [text.noEntries];
  const lines = entries.slice(0, 8).map((entry) => {
    const about = describeEntry(facts, entry, text);
    return `- ${cite(entry)}: ${whyEntry(entry, text)}${about ? `; ${about}` : ''}`;
  });
  return entries.length > 8 ? [...lines, `- ${text.more(entries.length - 8)}`] : lines;
}

function whyEntry(entry: EntryPoint, text: OfflineText): string {
  if (entry.why === 'manifest') return text.why.manifest(entry.from ?? '');
  return entry.why === 'main' ? `${text.why.main} (${code(short(entry.text, 60))})` : text.why.name;
}

/** What the file says at its head, or what it exports. */
function describeEntry(facts: Facts, { path }: EntryPoint, text: OfflineText): string {
  const file = facts.read.get(path);
  if (!file) return '';
  const about = headComment(file.lines);
  const names = file.lines.flatMap(
    (line) =>
      /^export\s+(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\*?|class|const|let|interface|type|enum)\s+(\w+)|^(?:pub\s+)?(?:fn|struct|enum|trait|mod)\s+(\w+)|^(?:def|class)\s+(\w+)|^func\s+(?:\([^)]*\)\s*)?(\w+)/
        .exec(line)
        ?.slice(1)
        .find(Boolean) ?? [],
  );
  const listed = [...new Set(names)]
    .filter((name) => name !== 'main')
    .slice(0, 8)
    .map(code)
    .join(', ');
  return [about ? `“${short(about, 120)}”` : '', listed ? text.exports(listed) : '']
    .filter((part) => part !== '')
    .join('; ');
}

/** The first sentence of a comment at the top of a file; licence texts and directives say nothing. */
function headComment(lines: readonly string[]): string {
  const words: string[] = [];
  for (const line of lines.slice(0, 25)) {
    const comment =
      /^\s*(?:\/\*\*?|\*\/?|\/\/[/!]?|#(?!!|include|define|if|pragma|\[)|"""|--)\s?(.*?)(?:\*\/|""")?\s*$/.exec(line);
    if (!comment) {
      if (words.length > 0 || (line.trim() !== '' && !/^(?:#!|['"]use |package |<\?php)/.test(line))) break;
      continue;
    }
    const said = (comment[1] ?? '').trim();
    if (said === '' && words.length > 0) break;
    if (said !== '') words.push(said);
  }
  const said = plain(words.join(' '));
  return /copyright|licen[cs]e|eslint|@ts-|istanbul|generated|written by|do not edit|@flow|-\*-|SPDX|^import |^@module/i.test(
    said,
  )
    ? ''
    : said;
}

/** What each manifest depends on. */
export function dependenciesSection(facts: Facts, text: OfflineText): string[] {
  const declared = facts.manifests.filter(({ dependencies }) => dependencies !== undefined);
  if (declared.length === 0) return [text.noManifest];
  const some = declared.filter(
    ({ dependencies = [] }, index) => dependencies.length > 0 || (index === 0 && depth(declared[0]?.path ?? '') === 0),
  );
  const lines = some.slice(0, 8).map(({ path, dependencies = [] }) => {
    const groups = dependencies.map((group) => `${describeGroup(group, text)} (${cite(group)})`);
    return `- \`${path}\`: ${groups.length > 0 ? groups.join('; ') : text.noDependencies}`;
  });
  if (lines.length === 0) return [text.noDependencies];
  return some.length > 8 ? [...lines, `- ${text.more(some.length - 8)}`] : lines;
}

function describeGroup({ scope, names }: Dependencies, text: OfflineText): string {
  const most = scope === 'runtime' ? 12 : 8;
  return `${names.length} ${text.scopes[scope]}: ${names.slice(0, most).map(code).join(', ')}${names.length > most ? ' …' : ''}`;
}

const order: readonly Purpose[] = ['install', 'build', 'test', 'run', 'lint'];
const perPurpose: Record<Purpose, number> = { install: 2, build: 4, test: 5, run: 4, lint: 3, other: 0 };

/** What can be run, by purpose; commands of nested manifests only where the root has none. */
export function commandsSection(facts: Facts, text: OfflineText): string[] {
  const commands = [...facts.manifests]
    .sort(byDepth)
    .flatMap((manifest) =>
      manifest.path.includes('/') &&
      manifest.system !== 'CI' &&
      facts.manifests.some((one) => one.commands?.length && !one.path.includes('/'))
        ? []
        : (manifest.commands ?? []),
    );
  const rows: string[] = [];
  for (const purpose of order) {
    const some = unique(commands.filter((command) => command.purpose === purpose)).slice(0, perPurpose[purpose]);
    for (const command of some) rows.push(row(code(command.text), describeCommand(command, text), cite(command)));
  }
  return rows.length > 0
    ? [...head([text.table.command, text.table.does, text.table.from]), ...rows]
    : [text.noCommands];
}

function describeCommand({ purpose, detail, path }: Command, text: OfflineText): string {
  const conventional =
    /(?:Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|\.csproj|Gemfile)$/.test(path) && !detail;
  const how = detail ? `${text.colon}${code(short(detail, 90))}` : conventional ? ` (${text.conventional})` : '';
  return `${text.purposes[purpose]}${how}`;
}

function unique(commands: readonly Command[]): Command[] {
  return uniqueBy(commands, ({ text }) => text);
}
