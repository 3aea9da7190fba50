/** Finds the files that others import most, from the import lines that a search brought. */
import { type Facts, greatestFirst, ownFiles } from './_offline-facts.ts';
import { baseName, folderOf, isCode, isForeign, isTest } from './_offline-languages.ts';

/** Files of this project with how often they were imported, most first; those imported once are left out. */
export function hubs(facts: Facts): { path: string; count: number }[] {
  const known = ownFiles(facts).flatMap(([path]) => (isCode(path) && !isTest(path) ? [path] : []));
  const byStem = new Map<string, string>();
  for (const path of known) byStem.set(stemOf(path), path);
  const counts = new Map<string, number>();
  for (const { path, text } of facts.matches.get('imports') ?? []) {
    if (isTest(path) || isForeign(path)) continue;
    const target = resolve(path, text, byStem);
    if (target && target !== path) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return greatestFirst(counts)
    .filter(([, count]) => count > 1)
    .map(([path, count]) => ({ path, count }));
}

function resolve(from: string, line: string, byStem: ReadonlyMap<string, string>): string | undefined {
  const quoted = /["']([^"']+)["']/.exec(line)?.[1];
  if (quoted?.startsWith('.')) return lookup(joinPath(folderOf(from), quoted), byStem);
  if (quoted && /#include/.test(line))
    return lookup(joinPath(folderOf(from), quoted), byStem) ?? bySuffix(quoted, byStem);
  const module =
    /^\s*(?:from|import|(?:pub )?use|(?:pub )?mod)\s+(?:static\s+)?((?:crate::|super::|self::)?[\w.:]+)/.exec(
      line,
    )?.[1];
  if (!module || quoted) return undefined;
  if (module.startsWith('.'))
    return lookup(joinPath(folderOf(from), module.replace(/^\./, './').replaceAll('.', '/')), byStem);
  const parts = module
    .replace(/^(?:crate|super|self)::/, '')
    .split(/::|\./)
    .filter((part) => part !== '');
  for (let length = parts.length; length > 0; length--) {
    const found = bySuffix(parts.slice(0, length).join('/'), byStem);
    if (found) return found;
  }
  return undefined;
}

function lookup(path: string, byStem: ReadonlyMap<string, string>): string | undefined {
  return byStem.get(stemOf(path)) ?? byStem.get(path) ?? byStem.get(`${path}/index`) ?? byStem.get(`${path}/__init__`);
}

/** A file whose path ends so; a bare single word must be a whole path below the sources. */
function bySuffix(path: string, byStem: ReadonlyMap<string, string>): string | undefined {
  const wanted = stemOf(path);
  for (const stem of [wanted, `src/${wanted}`, `lib/${wanted}`]) if (byStem.has(stem)) return byStem.get(stem);
  if (!wanted.includes('/')) return undefined;
  for (const [stem, file] of byStem) if (stem.endsWith(`/${wanted}`)) return file;
  return undefined;
}

function stemOf(path: string): string {
  const name = baseName(path);
  return name.lastIndexOf('.') > 0 ? path.slice(0, path.length - name.length + name.lastIndexOf('.')) : path;
}

function joinPath(folder: string, relative: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
