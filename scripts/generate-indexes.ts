// Writes the index files that make an extension one new file. `--check` changes nothing and fails when one is stale.
// Every file in these folders has a default export; files beginning with "_", tests and index.ts are left out.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const header = '// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.\n';

interface Kind {
  folder: string;
  /** Name of the written file. */
  file?: string;
  render(names: string[]): string;
}

const kinds: Kind[] = [
  {
    folder: 'src/extensions/tools',
    // A tool is named like its file, so the names come from here too.
    render: (names) =>
      `${list('tools')(names)}\nexport type ToolName = ${union(names.map((name) => name.replaceAll('-', '_')))};\n`,
  },
  { folder: 'src/extensions/middleware', render: list('middleware') },
  { folder: 'src/extensions/hooks', render: list('hooks') },
  // Definitions only; each loads its wire when a provider is made.
  { folder: 'src/extensions/providers', render: list('providers') },
  { folder: 'src/extensions/commands', render: lazyMap('commands') },
  { folder: 'src/apps/cli/commands', render: lazyMap('commands') },
  { folder: 'src/services/i18n/locales', render: lazyMap('locales') },
  // The program loads the one language it needs; the library has them all at hand.
  { folder: 'src/services/i18n/locales', file: '_all.ts', render: map('locales') },
];

/** Everything of the kind, loaded at once: an array in order of file names. */
function list(constant: string) {
  return (names: string[]) =>
    `${imports(names)}export const ${constant} = [${lines(names.map(toIdentifier))}] as const;\n`;
}

/** Everything of the kind by file name, loaded at once. */
function map(constant: string) {
  return (names: string[]) => {
    const entries = names.map((name) => `'${name}': ${toIdentifier(name)}`);
    return `${imports(names)}export const ${constant} = {${lines(entries)}} as const;\n`;
  };
}

/** By file name; each file is loaded when it is asked for. */
function lazyMap(constant: string) {
  return (names: string[]) => {
    const entries = names.map((name) => `'${name}': () => import('./${name}.ts')`);
    return `export const ${constant} = {${lines(entries)}} as const;\n`;
  };
}

function imports(names: string[]): string {
  const text = names.map((name) => `import ${toIdentifier(name)} from './${name}.ts';\n`).join('');
  return text && `${text}\n`;
}

function lines(items: string[]): string {
  return items.length === 0 ? '' : `\n${items.map((item) => `  ${item},\n`).join('')}`;
}

function union(names: string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => `'${name}'`).join(' | ');
}

/** Words that are no identifier in a module. */
const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof var void while with yield'
  ).split(' '),
);

function toIdentifier(name: string): string {
  const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return reserved.has(camel) ? `${camel}_` : camel;
}

function isSource(file: string): boolean {
  return /^[^_.].*\.ts$/.test(file) && file !== 'index.ts' && !/\.(test|test-d|d)\.ts$/.test(file);
}

/** Returns the paths of the index files that were not what they should be. */
export function generateIndexes(root: string, options: { check?: boolean } = {}): string[] {
  const stale: string[] = [];
  for (const { folder, file = 'index.ts', render } of kinds) {
    const directory = resolve(root, folder);
    const files = existsSync(directory) ? readdirSync(directory) : [];
    const names = files.filter(isSource).map((file) => file.slice(0, -3));
    const text = `${header}\n${render(names.sort())}`;
    const path = resolve(directory, file);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    stale.push(`${folder}/${file}`);
    if (options.check) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return stale;
}

if (import.meta.main) {
  const check = process.argv.includes('--check');
  const stale = generateIndexes(resolve(import.meta.dirname, '..'), { check });
  for (const path of stale) console.log(check ? `${path} is stale: run "npm run generate"` : `wrote ${path}`);
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}
