/** Sections that come from counting files: languages, layout, largest files. */
import { type Facts, greatestFirst, ownFiles } from './_offline-facts.ts';
import { baseName, fileKind, isCode, isForeign, isTest } from './_offline-languages.ts';
import { code, head, number, percent, row } from './_offline-render.ts';
import type { OfflineText } from './_offline-text-en.ts';

interface Sum {
  files: number;
  lines: number;
}

function sumBy(
  files: readonly (readonly [string, number])[],
  key: (path: string) => string | undefined,
): [string, Sum][] {
  const sums = new Map<string, Sum>();
  for (const [path, lines] of files) {
    const name = key(path);
    if (name === undefined) continue;
    const sum = sums.get(name) ?? { files: 0, lines: 0 };
    sum.files++;
    sum.lines += lines;
    sums.set(name, sum);
  }
  return [...sums].sort(([a, left], [b, right]) => right.lines - left.lines || (a < b ? -1 : 1));
}

/** Files and lines by language, and how much was left out of that. */
export function languagesSection(facts: Facts, text: OfflineText): string[] {
  const own = ownFiles(facts);
  if (own.length === 0) return [text.noLines];
  const languages = sumBy(own, (path) => fileKind(path)?.language ?? '?');
  const known = languages.filter(([name]) => name !== '?');
  const shown = known.slice(0, 10);
  const rest = [...known.slice(10), ...languages.filter(([name]) => name === '?')];
  const all = own.reduce((sum, [, lines]) => sum + lines, 0);
  const { table } = text;
  const lines = [...head([table.language, table.files, table.lines, table.share], [1, 2, 3])];
  for (const [name, sum] of shown) lines.push(row(name, number(sum.files), number(sum.lines), percent(sum.lines, all)));
  if (rest.length > 0) {
    const sum = rest.reduce((total, [, one]) => ({ files: total.files + one.files, lines: total.lines + one.lines }), {
      files: 0,
      lines: 0,
    });
    lines.push(row('…', number(sum.files), number(sum.lines), percent(sum.lines, all)));
  }
  lines.push(row(`**${text.total}**`, number(own.length), number(all), ''));
  const written = new Set(own.map(([path]) => path));
  const foreign = [...facts.lines].filter(([path]) => !written.has(path));
  if (foreign.length > 0)
    lines.push('', text.left(foreign.length, number(foreign.reduce((sum, [, count]) => sum + count, 0))));
  return lines;
}

/** The most used languages of files, code before the rest. */
export function topLanguages(files: readonly (readonly [string, number])[], most = 2): string[] {
  const inCode = files.filter(([path]) => isCode(path));
  return sumBy(inCode.length > 0 ? inCode : files, (path) => fileKind(path)?.language)
    .slice(0, most)
    .map(([name]) => name);
}

const roles: [RegExp, keyof OfflineText['roles']][] = [
  [/^(?:node_modules|vendor|third_party|thirdparty|external|deps)$/, 'vendor'],
  [/^(?:dist|build|out|target|coverage)$/, 'build'],
  [/^(?:tests?|specs?|__tests__|e2e|testdata|fixtures|__fixtures__)$/, 'tests'],
  [/^(?:docs?|documentation|website|site|man)$/, 'docs'],
  [/^(?:examples?|samples?|demos?|playground|tutorials?)$/, 'examples'],
  [/^(?:scripts?|hack)$/, 'scripts'],
  [/^(?:tools?|tooling|dev|contrib)$/, 'tools'],
  [/^(?:assets|static|public|images?|img|media|resources|res|fonts|styles|css)$/, 'assets'],
  [/^(?:config|configs|conf|settings|etc|\.vscode|\.idea|\.config|\.husky)$/, 'config'],
  [/^(?:\.github|\.gitlab|\.circleci|\.ci|ci)$/, 'ci'],
  [/^(?:data|datasets?|db-data)$/, 'data'],
  [/^(?:packages|crates|modules|workspaces|plugins)$/, 'packages'],
  [/^apps$/, 'apps'],
  [/^(?:cmd|bin|exe)$/, 'commands'],
  [/^(?:internal|private)$/, 'internal'],
  [/^(?:db|database|migrations|schema|sql|prisma)$/, 'database'],
  [/^bench(?:es|marks?)?$/, 'bench'],
  [/^(?:types|typings|@types)$/, 'types'],
  [/^(?:server|backend|api)$/, 'server'],
  [/^(?:client|frontend|web|ui|webapp|www)$/, 'client'],
  [/^(?:include|headers)$/, 'headers'],
  [/^(?:src|lib|libs|source|sources|app|core|pkg|main)$/, 'source'],
];

/** Folders and files of the root, and what each holds. */
export function layoutSection(facts: Facts, text: OfflineText): string[] {
  const root = facts.folders.get('.') ?? [];
  const names = root.filter((entry) => entry.folder && entry.name !== '.git').map(({ name }) => name);
  const folders =
    names.length > 0
      ? names
      : [
          ...new Set(
            [...facts.lines.keys()]
              .filter((path) => path.includes('/'))
              .map((path) => path.slice(0, path.indexOf('/'))),
          ),
        ];
  const files = root.filter((entry) => !entry.folder).map(({ name }) => name);
  const lines = head([text.table.folder, text.table.holds]);
  const shown = folders
    .map((name) => ({ name, lines: inside(facts, name).reduce((sum, [, count]) => sum + count, 0) }))
    .sort((a, b) => b.lines - a.lines || (a.name < b.name ? -1 : 1));
  for (const [index, { name }] of shown.slice(0, 16).entries()) {
    lines.push(row(`\`${name}/\``, describeFolder(facts, name, text)));
    if (index < 2) lines.push(...subfolders(facts, name, text));
  }
  if (shown.length > 16) lines.push(row(text.more(shown.length - 16), ''));
  if (files.length > 0) lines.push(row(text.rootFiles, listNames(files, 14, text)));
  return lines.length > 2 ? lines : [text.nothing];
}

function describeFolder(facts: Facts, folder: string, text: OfflineText): string {
  const files = inside(facts, folder);
  const role = roleOf(folder, files);
  const lines = files.reduce((total, [, count]) => total + count, 0);
  const sum = files.length > 0 ? text.folder(files.length, number(lines), topLanguages(files).join(', ')) : '';
  const names = (facts.folders.get(folder) ?? []).map(({ name }) => name);
  const listed = names.length > 0 ? text.contains(listNames(names, 6, text)) : facts.cut.length > 0 ? '' : text.ignored;
  const parts = [role ? text.roles[role] : '', sum, files.length > 0 ? largestIn(facts, folder, text) : listed];
  return parts.filter((part) => part !== '').join('; ');
}

/** By the folder's name; else tests or sources by what is in it. */
function roleOf(folder: string, files: readonly (readonly [string, number])[]): keyof OfflineText['roles'] | undefined {
  const named = roles.find(([pattern]) => pattern.test(baseName(folder).toLowerCase()))?.[1];
  if (named) return named;
  if (files.length > 0 && files.filter(([path]) => isTest(path)).length > files.length * 0.8) return 'tests';
  return folder.includes('/') || !files.some(([path]) => isCode(path)) ? undefined : 'source';
}

/** The biggest files that one would read, by their path below the folder. */
function largestIn(facts: Facts, folder: string, text: OfflineText): string {
  const code = ownFiles(facts).filter(([path]) => path.startsWith(`${folder}/`) && isCode(path) && !isTest(path));
  const names = greatestFirst(code).slice(0, 3);
  return names.length > 0 ? text.such(names.map(([path]) => `\`${path.slice(folder.length + 1)}\``).join(', ')) : '';
}

/** What stands one level below a main folder, when it has an inner structure. */
function subfolders(facts: Facts, folder: string, text: OfflineText): string[] {
  const prefix = `${folder}/`;
  const files = inside(facts, folder);
  const below = sumBy(files, (path) => {
    const rest = path.slice(prefix.length);
    return rest.includes('/') ? rest.slice(0, rest.indexOf('/')) : undefined;
  });
  if (below.length < 2 || isForeign(prefix)) return [];
  return below
    .slice(0, 8)
    .map(([name]) => row(`\`${prefix}${name}/\``, describeFolder(facts, `${prefix}${name}`, text)));
}

function inside(facts: Facts, folder: string): [string, number][] {
  return [...facts.lines].filter(([path]) => path.startsWith(`${folder}/`));
}

function listNames(names: readonly string[], most: number, text: OfflineText): string {
  const shown = names.slice(0, most).map(code).join(', ');
  return names.length > most ? `${shown} ${text.more(names.length - most)}` : shown;
}

/** The longest files. */
export function largestLines(facts: Facts, text: OfflineText): string[] {
  const files = greatestFirst(ownFiles(facts));
  if (files.length === 0) return [text.noLines];
  return [
    ...head([text.table.file, text.table.language, text.table.lines], [2]),
    ...files.slice(0, 15).map(([path, lines]) => row(code(path), fileKind(path)?.language ?? '', number(lines))),
  ];
}
