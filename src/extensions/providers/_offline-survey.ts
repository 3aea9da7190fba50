/** Which tools to call to survey a repository: at most four turns and forty calls, whatever its size. */
import { entryCandidates } from './_offline-entries.ts';
import { byDepth, depth, type Facts, ownFiles, type Probe, probes, readmePath } from './_offline-facts.ts';
import { isCode, isForeign, isTest } from './_offline-languages.ts';
import { isCi, isManifest, manifestGlobs } from './_offline-manifests.ts';
import type { Call } from './_offline-view.ts';

const docs = /^(?:docs\/)?(?:AGENTS|AGENT|CLAUDE|ARCHITECTURE|CONTRIBUTING|DESIGN)\.md$/i;

/** The calls of a turn (0 is the first); none when there is nothing more to learn. */
export function surveyCalls(turn: number, facts: Facts): Call[] {
  if (turn === 0) return firstLook();
  if (turn === 1) return secondLook(facts).slice(0, 21);
  if (turn === 2) return thirdLook(facts);
  return [];
}

function firstLook(): Call[] {
  return [
    ls('.'),
    count('lines'),
    ...manifestGlobs.map(glob),
    glob('**/{README*,readme*,讀我*,读我*,自述*,LICEN[CS]E*,COPYING*}'),
  ];
}

/** Manifests, README, CI; main folders; where the first count was cut, a count per folder. */
function secondLook(facts: Facts): Call[] {
  const { paths } = facts;
  const wanted = paths
    .filter((path) => !isForeign(path) && !isTest(path))
    .map((path) => ({ path }))
    .sort(byDepth);
  const manifests = wanted.filter(({ path }) => isManifest(path) && !isCi(path));
  const root = manifests.filter(({ path }) => depth(path) === 0).slice(0, 6);
  const nested = manifests.filter(({ path }) => depth(path) > 0).slice(0, root.length > 0 ? 5 : 8);
  const ci = wanted
    .filter(({ path }) => isCi(path))
    .sort((a, b) => ciRank(a.path) - ciRank(b.path))
    .slice(0, 2);
  const readme = readmePath(paths);
  const reads = [...root, ...nested, ...ci, ...wanted.filter(({ path }) => docs.test(path)).slice(0, 2)].map(
    ({ path }) => path,
  );
  if (readme) reads.unshift(readme);
  const folders = mainFolders(facts);
  return [
    content('mains'),
    ...(facts.cut.length > 0 ? folders.slice(0, 5).map((folder) => count('lines', folder)) : []),
    ...folders.slice(0, 3).map(ls),
    ...reads.map((path) => read(path, 300)),
  ];
}

function ciRank(path: string): number {
  return /\/(?:ci|test|tests|build|main)\b[^/]*$/i.test(path) ? 0 : 1;
}

/** Entry points, and what to beware of. */
function thirdLook(facts: Facts): Call[] {
  const entries = entryCandidates(facts).slice(0, 5);
  if (facts.lines.size === 0 && entries.length === 0) return [];
  const recounts = facts.cut
    .filter((folder) => folder !== '.')
    .flatMap((folder) =>
      (facts.folders.get(folder) ?? []).filter((entry) => entry.folder).map(({ name }) => `${folder}/${name}`),
    )
    .slice(0, 4)
    .map((folder) => count('lines', folder));
  const reads = entries.filter(({ path }) => !facts.read.has(path)).map(({ path }) => read(path, 120));
  const main = mainFolders(facts)[0];
  const imports = { pattern: probes.imports, output_mode: 'content' };
  return [
    ...reads,
    ...recounts,
    count('todo'),
    content('risky'),
    content('secrets', true),
    { name: 'grep', input: main === undefined ? imports : { ...imports, path: main } },
  ];
}

/** Folders of the root worth listing: sources first. */
function mainFolders(facts: Facts): string[] {
  const names = (facts.folders.get('.') ?? [])
    .filter((entry) => entry.folder && !/^\./.test(entry.name) && !isForeign(`${entry.name}/`))
    .map(({ name }) => name);
  const size = (name: string) =>
    ownFiles(facts)
      .filter(([path]) => path.startsWith(`${name}/`) && isCode(path) && !isTest(path))
      .reduce((sum, [, lines]) => sum + lines, 0);
  return names
    .map((name) => ({ name, size: size(name) }))
    .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function ls(path: string): Call {
  return { name: 'ls', input: { path } };
}

/** A call of `glob`. */
export function glob(pattern: string): Call {
  return { name: 'glob', input: { pattern } };
}

/** A call of `read_file`. */
export function read(path: string, limit: number, offset?: number): Call {
  return {
    name: 'read_file',
    input: offset === undefined ? { file_path: path, limit } : { file_path: path, offset, limit },
  };
}

function count(probe: Probe, path?: string): Call {
  const input = { pattern: probes[probe], output_mode: 'count' };
  return { name: 'grep', input: path === undefined ? input : { ...input, path } };
}

function content(probe: Probe, ignoreCase = false): Call {
  const input = { pattern: probes[probe], output_mode: 'content' };
  return { name: 'grep', input: ignoreCase ? { ...input, ignore_case: true } : input };
}
