/**
 * Lets the user's files import `rein` and `zod` from anywhere: both are the running package's own copies. All else
 * they may import are Node's modules and files of the extension folders; of a project only files that were agreed to.
 */
import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const roots = new Set<string>();
/** Texts by path, of folders in which nothing else may be loaded. */
const agreed = new Map<string, ReadonlyMap<string, string>>();
let registered = false;

/** From now on, files below `folder` can be imported as extensions; with `files` only those, with exactly that text. */
export function allowExtensionFolder(folder: string, files?: ReadonlyMap<string, string>): void {
  const root = realpathSync(folder) + sep;
  roots.add(root);
  if (files) agreed.set(root, files);
  if (registered) return;
  registered = true;
  const own = ownModules();
  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL;
      if (!parent || !isExtension(parent)) return next(specifier, context);
      const fixed = own.get(specifier);
      if (fixed) return { url: fixed, format: formatOf(fixed), shortCircuit: true };
      const found = next(specifier, context);
      if (found.url.startsWith('node:') || isExtension(found.url)) return found;
      throw new Error(
        `${specifier} lies outside the extension folders; only rein, zod and Node's own modules can be imported from there`,
      );
    },
    load(url, context, next) {
      // Whatever a package.json near the file says, it is an ES module.
      const isCode = /\.m?[tj]s([?#]|$)/.test(url) && isExtension(url);
      const source = agreedText(url);
      // What was agreed to is run, whatever the file holds by now.
      if (source !== undefined) return { source, format: formatOf(url), shortCircuit: true };
      return next(url, isCode ? { ...context, format: formatOf(url) } : context);
    },
  });
}

function formatOf(url: string): string {
  return /\.m?ts([?#]|$)/.test(url) ? 'module-typescript' : 'module';
}

function isExtension(url: string): boolean {
  if (!url.startsWith('file:')) return false;
  try {
    const path = realpathSync(fileURLToPath(url));
    return [...roots].some((root) => path.startsWith(root));
  } catch {
    return false;
  }
}

/** Undefined where everything may be loaded. Throws for a file that nobody has agreed to. */
function agreedText(url: string): string | undefined {
  if (!isExtension(url)) return undefined;
  const path = realpathSync(fileURLToPath(url));
  const [, files] = [...agreed].find(([root]) => path.startsWith(root)) ?? [];
  if (!files) return undefined;
  const text = files.get(path);
  if (text === undefined) throw new Error(`${path} is new or changed since the folder was trusted`);
  return text;
}

/** Where the doors of this package and zod are, seen from this file: in the bundle or in the sources. */
function ownModules(): Map<string, string> {
  const isSource = import.meta.url.endsWith('/src/services/extensions/resolve.ts');
  const door = (source: string, bundled: string) =>
    new URL(isSource ? `../../${source}` : bundled, import.meta.url).href;
  return new Map([
    ['rein', door('index.ts', './index.js')],
    ['rein/testing', door('testing/index.ts', './testing.js')],
    ['zod', isSource ? import.meta.resolve('zod') : new URL('./zod.js', import.meta.url).href],
  ]);
}
