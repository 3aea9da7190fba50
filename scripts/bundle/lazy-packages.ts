// Packages of which a start uses nothing. In the bundle each is one file, which its first use loads.
import type { Rolldown } from 'tsdown';

/** `exports`: code of the stand-ins for what is imported; `load()` gives the package. */
function atFirstUse({ name, file, exports }: { name: string; file: string; exports: string }): Rolldown.Plugin {
  const lazy = `\0lazy-${name}`;
  const load = `process.getBuiltinModule('node:module').createRequire(import.meta.url)('./${file}')`;
  return {
    name: `${name}-at-first-use`,
    buildStart() {
      this.emitFile({ type: 'chunk', id: name, fileName: file });
    },
    resolveId: {
      order: 'pre',
      handler: (source, importer) => {
        if (source !== name || importer === undefined) return undefined;
        // Types are the package's own.
        return importer.endsWith('.d.ts') ? { id: source, external: true } : lazy;
      },
    },
    load: (id) => (id === lazy ? `let real;\nconst load = () => (real ??= ${load});\n${exports}` : undefined),
  };
}

/** As a package, zod is 80 files and costs a start 50 ms. `rein` hands on the same `z`: whatever is asked of it. */
const zod = atFirstUse({
  name: 'zod',
  file: 'zod.js',
  exports: `export const z = new Proxy({}, {
    get: (_, name) => load().z[name],
    has: (_, name) => name in load().z,
    ownKeys: () => Reflect.ownKeys(load().z),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(load().z, name);
      return found && { ...found, configurable: true };
    },
  });`,
});

/** The validator of JSON Schemas: the functions of it that are used. */
const jsonSchema = atFirstUse({
  name: '@cfworker/json-schema',
  file: 'json-schema.js',
  exports: `export const dereference = (...args) => load().dereference(...args);
    export const validate = (...args) => load().validate(...args);`,
});

/** What stands for these packages in the bundle. */
export const lazyPackages: readonly Rolldown.Plugin[] = [zod, jsonSchema];
