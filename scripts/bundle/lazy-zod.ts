// zod, as a package, is 80 files and costs a start 50 ms; a start that reads no configuration and calls no tool needs
// none of it. In the bundle it is one file, which the first use of `z` loads. `rein` hands on the same `z`.
import type { Rolldown } from 'tsdown';

const lazy = '\0lazy-zod';

/** Stands for the namespace: whatever is asked of it is asked of the real one. */
const code = `
let real;
const load = () =>
  (real ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('./zod.js').z);
export const z = new Proxy({}, {
  get: (_, name) => load()[name],
  has: (_, name) => name in load(),
  ownKeys: () => Reflect.ownKeys(load()),
  getOwnPropertyDescriptor: (_, name) => {
    const found = Reflect.getOwnPropertyDescriptor(load(), name);
    return found && { ...found, configurable: true };
  },
});
`;

/** All of zod in `zod.js`; what imports it gets a stand-in that loads it at its first use. Types are the package's own. */
export const zodAtFirstUse: Rolldown.Plugin = {
  name: 'zod-at-first-use',
  buildStart() {
    this.emitFile({ type: 'chunk', id: 'zod', fileName: 'zod.js' });
  },
  resolveId: {
    order: 'pre',
    filter: { id: /^zod$/ },
    handler: (source, importer) => {
      if (importer === undefined) return undefined;
      return importer.endsWith('.d.ts') ? { id: source, external: true } : lazy;
    },
  },
  load: { filter: { id: new RegExp(`^${lazy}$`) }, handler: () => code },
};
