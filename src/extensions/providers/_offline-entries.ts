/** Finds where a program or library begins. */
import { type Claim, uniqueBy } from './_offline-claims.ts';
import { builtFrom, byDepth, depth, type Facts, ownFiles } from './_offline-facts.ts';
import { baseName, folderOf, isCode, isForeign, isTest } from './_offline-languages.ts';

export interface EntryPoint extends Claim {
  /** How it was found: a manifest names it, a main function stands there, or its name says so. */
  readonly why: 'manifest' | 'main' | 'name';
  /** The file that names it, `path:line`. */
  readonly from?: string;
}

const names =
  /(?:^|\/)(?:src\/main\.rs|src\/lib\.rs|src\/bin\/[^/]+\.rs|main\.go|cmd\/[^/]+\/main\.go|manage\.py|__main__\.py|(?:app|main|server|cli|wsgi|asgi)\.py|[A-Z]\w*Application\.(?:java|kt)|Main\.(?:java|kt|scala)|Program\.cs|(?:src\/)?main\.(?:c|cc|cpp|cxx|swift|dart|rb|zig)|index\.(?:html|php)|config\.ru|src\/[^/]+\/__init__\.py)$/;

/** Names that mean an entry only at the root, in `src/`, or there in a member of a monorepo. */
const rootNames =
  /^(?:(?:packages|apps|modules|services|libs|plugins)\/[^/]+\/)?(?:src\/)?(?:apps?\/)?(?:index|main|server|app|cli|mod)\.(?:ts|tsx|js|mjs|cjs|jsx)$/;

/** Entry points, surest first; each file once. */
export function entryCandidates(facts: Facts): EntryPoint[] {
  const found: EntryPoint[] = [];
  const known = new Map(facts.paths.map((path) => [path, true]));
  for (const manifest of facts.manifests) {
    for (const entry of manifest.entries ?? []) {
      const file = /^[^\s(]+/.exec(entry.text)?.[0] ?? '';
      const path = sourceOf(join(folderOf(manifest.path), file), known);
      if (path && !/\.d\.[cm]?ts$/.test(file))
        found.push({ path, line: 0, text: entry.text, why: 'manifest', from: `${entry.path}:${entry.line}` });
    }
  }
  const isIndex = ({ path }: EntryPoint) => /^(?:index|main|lib)\./.test(baseName(path));
  found.sort((a, b) => depth(a.path) - depth(b.path) || Number(isIndex(b)) - Number(isIndex(a)));
  for (const { path, line, text } of [...(facts.matches.get('mains') ?? [])].sort(byDepth)) {
    if (!isTest(path) && !isForeign(path) && isCode(path) && !/^\s*#\[/.test(text))
      found.push({ path, line, text, why: 'main' });
  }
  const files = facts.lines.size > 0 ? ownFiles(facts).map(([path]) => path) : facts.paths;
  for (const path of files
    .filter((path) => (names.test(path) || rootNames.test(path)) && !isTest(path))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))) {
    if (depth(path) <= 4) found.push({ path, line: 0, text: baseName(path), why: 'name' });
  }
  const isExample = ({ path }: EntryPoint) =>
    /(?:^|\/)(?:examples?|samples?|demos?|docs?|bench(?:marks?)?|scripts|playground)\//.test(path);
  const unique = uniqueBy(found, ({ path }) => path.replace(/\.[cm]?[jt]s$/, ''));
  return [...unique.filter((entry) => !isExample(entry)), ...unique.filter(isExample)];
}

/** The file itself, or the source it is built from (`dist/index.js` from `src/index.ts`). */
function sourceOf(path: string, known: ReadonlyMap<string, unknown>): string | undefined {
  const source = builtFrom(path, known);
  if (source || (known.has(path) && !isForeign(path))) return source ?? path;
  const stem = path.replace(/\.\w+$/, '');
  const inFolder = join(folderOf(folderOf(stem)), `src/${baseName(stem)}`);
  const found = [stem, inFolder, `src/${stem}`]
    .flatMap((one) => ['ts', 'tsx', 'js', 'mjs', 'py'].map((extension) => `${one}.${extension}`))
    .find((one) => known.has(one));
  return found ?? (known.has(path) ? path : undefined);
}

function join(folder: string, path: string): string {
  return folder ? `${folder}/${path.replace(/^\.\//, '')}` : path.replace(/^\.\//, '');
}
