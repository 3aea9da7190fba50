// The validator of JSON Schemas: a start checks nothing against one. In the bundle it is one file, which the first call of
// one of its functions loads.
import type { Rolldown } from 'tsdown';

const name = '@cfworker/json-schema';
const lazy = '\0lazy-json-schema';

const code = `
let real;
const load = () =>
  (real ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('./json-schema.js'));
export const dereference = (...args) => load().dereference(...args);
export const validate = (...args) => load().validate(...args);
`;

/** All of it in `json-schema.js`; what imports it gets stand-ins of the functions that are used. */
export const jsonSchemaAtFirstUse: Rolldown.Plugin = {
  name: 'json-schema-at-first-use',
  buildStart() {
    this.emitFile({ type: 'chunk', id: name, fileName: 'json-schema.js' });
  },
  resolveId: {
    order: 'pre',
    filter: { id: /^@cfworker\/json-schema$/ },
    handler: (source, importer) => {
      if (importer === undefined) return undefined;
      return importer.endsWith('.d.ts') ? { id: source, external: true } : lazy;
    },
  },
  load: { filter: { id: new RegExp(`^${lazy}$`) }, handler: () => code },
};
