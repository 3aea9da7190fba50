// `npm run build [-- --fast]`: bundles src into dist as unminified ESM, split where a file is imported lazily.
// What stands in `optionalDependencies` stays outside; all else is bundled, zod too, in a file of its own. `--fast` keeps the
// declarations of the last full build.
import { cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { build, type Rolldown } from 'tsdown';
import { chunkOf, withoutDetours } from './bundle/chunks.ts';
import { lazyPackages } from './bundle/lazy-packages.ts';
import { licences } from './bundle/licences.ts';
import { clockWithoutModule, nodeModulesByName } from './bundle/node-modules.ts';
import { entryPoints } from './entry-points.ts';

const root = resolve(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const started = performance.now();
const fast = process.argv.includes('--fast');

/** Files that code in the bundle opens at run time, from packages that are bundled. They land beside the bundle. */
const assets = ['tree-sitter-bash/tree-sitter-bash.wasm', 'web-tree-sitter/web-tree-sitter.wasm'];
/** Folders of the repository that the program reads at run time. */
const folders = ['agents', 'skills'];

const entry = Object.fromEntries(entryPoints().map(({ name, source }) => [name, resolve(root, source)]));
entry.cli = resolve(root, 'src/apps/main.ts');

// Built aside and moved into place: whoever runs the old dist meanwhile finds a whole one.
const target = resolve(root, 'dist');
const aside = resolve(root, `.cache/build-${process.pid}`);
const bundledFiles = new Set<string>();

const collectModules: Rolldown.Plugin = {
  name: 'collect-modules',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') for (const id of file.moduleIds) bundledFiles.add(id);
    }
  },
};

try {
  await build({
    cwd: root,
    config: false,
    entry,
    outDir: aside,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    dts: !fast,
    minify: false,
    fixedExtension: false,
    hash: false,
    clean: false,
    treeshake: true,
    define: clockWithoutModule,
    deps: { onlyBundle: false, alwaysBundle: ['zod'] },
    plugins: [...lazyPackages, nodeModulesByName, withoutDetours, collectModules],
    // jsonc-parser's `main` requires its parts by computed names, which no bundler can follow.
    inputOptions: { preserveEntrySignatures: 'allow-extension', resolve: { mainFields: ['module', 'main'] } },
    outputOptions: {
      minifyInternalExports: false,
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf }] },
    },
    // web-tree-sitter's loader uses `eval`; what is imported lazily may lie with what is loaded anyway.
    checks: { eval: false, ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });

  for (const file of fast && existsSync(target) ? readdirSync(target) : []) {
    if (file.endsWith('.d.ts')) cpSync(resolve(target, file), resolve(aside, file));
  }
  for (const asset of assets) {
    const path = require.resolve(asset);
    cpSync(path, resolve(aside, basename(path)));
    bundledFiles.add(path);
  }
  for (const folder of folders) {
    if (existsSync(resolve(root, folder))) cpSync(resolve(root, folder), resolve(aside, folder), { recursive: true });
  }
  writeFileSync(resolve(aside, 'LICENSES.txt'), licences(bundledFiles));

  const old = `${aside}-old`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(aside, target);
  rmSync(old, { recursive: true, force: true });
} finally {
  rmSync(aside, { recursive: true, force: true });
}

console.log(`built dist in ${((performance.now() - started) / 1000).toFixed(1)} s`);
