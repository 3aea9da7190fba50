// An import of a module of Node's reads every export it has, and some of those load whole other modules: 40 ms for an
// HTTP client that nobody asked for behind `node:http`. Asked for by name, a module loads itself alone.
import type { Rolldown } from 'tsdown';

/** What takes milliseconds to load, and much of what is started never needs: loaded at the first call. */
const late = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:module',
  'node:timers/promises',
  'node:v8',
  'node:vm',
  'node:zlib',
]);

/** The first look at `performance` loads the module it belongs to; this is the same clock. */
export const clockWithoutModule = { 'performance.now': '(() => globalThis.process.uptime() * 1000)' };

/** Rewrites the imports of Node's own modules in what was bundled. */
export const nodeModulesByName: Rolldown.Plugin = {
  name: 'node-modules-by-name',
  renderChunk(code, { fileName }) {
    if (fileName.endsWith('.d.ts')) return null;
    const imports = this.parse(code).body.filter((node) => node.type === 'ImportDeclaration');
    return imports
      .filter(({ source }) => source.value.startsWith('node:'))
      .reduceRight((text, node) => text.slice(0, node.start) + byName(node) + text.slice(node.end), code);
  },
};

type Import = Extract<ReturnType<Rolldown.PluginContext['parse']>['body'][number], { type: 'ImportDeclaration' }>;

function byName({ source, specifiers }: Import): string {
  const asked = `globalThis.process.getBuiltinModule("${source.value}")`;
  const isLate = late.has(source.value);
  return specifiers
    .map((one) => {
      const local = one.local.name;
      if (one.type !== 'ImportSpecifier') return `const ${local} = ${isLate ? standIn(asked) : asked};`;
      const name = 'name' in one.imported ? one.imported.name : one.imported.value;
      if (isLate) return lateFunction(name, local, asked);
      return `const { ${name === local ? name : `${name}: ${local}`} } = ${asked};`;
    })
    .join(' ');
}

function standIn(asked: string): string {
  return `new Proxy({}, { get: (_, name) => ${asked}[name] })`;
}

/** Works for functions and classes; what is neither cannot be imported by name from a module that loads late. */
function lateFunction(name: string, local: string, asked: string): string {
  return /^[A-Z]/.test(name)
    ? `function ${local}(...args) { return Reflect.construct(${asked}.${name}, args); }`
    : `function ${local}(...args) { return ${asked}.${name}(...args); }`;
}
