// Which modules share a file of the bundle. Each file costs a start one to two milliseconds, so what is loaded together
// lies together; what is imported lazily keeps a file of its own.
import { relative, resolve } from 'node:path';
import type { Rolldown } from 'tsdown';

const source = resolve(import.meta.dirname, '../../src');

/** Files of the bundle, and whose static imports they hold. */
const doors: Readonly<Record<string, readonly string[]>> = {
  /** The command line, and one answer. */
  start: ['apps/cli/start.ts', 'apps/cli/print/run.ts'],
  /** The version, and what help and errors need, to be in the right language. */
  base: ['../package.json', 'harness/doors/settings.ts'],
  /** What a program that imports the library needs. */
  library: ['index.ts'],
  /** What every session needs. */
  harness: ['harness/create-harness.ts'],
  /** What a first request needs besides: the store, and the way to a model. */
  request: ['services/sessions/sql-sqlite.ts', 'extensions/providers/_wire.ts'],
  'wire-chat': ['extensions/providers/_chat.ts'],
  'wire-responses': ['extensions/providers/_responses.ts'],
  'wire-anthropic': ['extensions/providers/_anthropic.ts'],
  'wire-gemini': ['extensions/providers/_gemini.ts'],
};

/** The file of the bundle for a module: nothing where the bundler decides, which is for what no door needs at once. */
export const chunkOf: Rolldown.CodeSplittingNameFunction = (id, context) => {
  const reached = reachedBy(context).get(id);
  if (!reached) return undefined;
  const [only] = reached;
  if (reached.size === 1) return only === 'library' ? undefined : only;
  if (reached.has('start') || reached.has('base')) return 'base';
  return reached.has('harness') ? 'harness' : 'request';
};

let known: Map<string, Set<string>> | undefined;

/** The doors by each module that they import statically, however far. */
function reachedBy(context: Rolldown.ChunkingContext): Map<string, Set<string>> {
  if (known) return known;
  known = new Map();
  for (const [door, files] of Object.entries(doors)) {
    const open = files.map((file) => resolve(source, file));
    for (const id of open) {
      const reached = known.get(id) ?? new Set();
      known.set(id, reached);
      if (reached.has(door)) continue;
      reached.add(door);
      const info = context.getModuleInfo(id);
      if (!info) throw new Error(`${relative(source, id)} is not in the bundle`);
      open.push(...info.importedIds);
    }
  }
  return known;
}

/**
 * A module that is imported lazily and lies in a file with others gets a second file that only hands on its exports.
 * Who imports it takes them from the first one.
 */
export const withoutDetours: Rolldown.Plugin = {
  name: 'without-detours',
  generateBundle(_options, bundle) {
    for (const [detour, direct] of detours(bundle)) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replaceAll(`import("./${detour}")`, direct);
      }
      delete bundle[detour];
    }
  },
};

/** Files that only hand on, and what to write instead of their import. */
function detours(bundle: Rolldown.OutputBundle): [string, string][] {
  return Object.values(bundle).flatMap((file): [string, string][] => {
    if (file.type !== 'chunk' || file.isEntry || file.moduleIds.length > 0 || file.imports.length !== 1) return [];
    const direct = `import("./${file.imports[0]}")`;
    const renamed = /^export \{ (\w+) as (\w+) \};/m.exec(file.code);
    return [
      [file.fileName, renamed ? `${direct}.then(({ ${renamed[1]} }) => ({ ${renamed[2]}: ${renamed[1]} }))` : direct],
    ];
  });
}
