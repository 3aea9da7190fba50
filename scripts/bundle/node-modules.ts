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

const statement = /^import (?:\* as )?([\w$]+)?(?:, )?(\{[^}]*\})? ?from "(node:[^"]+)";$/gm;

/** Rewrites the imports of Node's own modules in what was bundled. */
export const nodeModulesByName: Rolldown.Plugin = {
  name: 'node-modules-by-name',
  renderChunk: (code, { fileName }) =>
    fileName.endsWith('.d.ts')
      ? null
      : code
          .replace(statement, (_, whole: string | undefined, named: string | undefined, name: string) => {
            const asked = `globalThis.process.getBuiltinModule("${name}")`;
            const lines = [whole && `const ${whole} = ${late.has(name) ? standIn(asked) : asked};`];
            if (named && late.has(name))
              lines.push(
                ...named
                  .slice(1, -1)
                  .split(',')
                  .map((one) => lateFunction(one, asked)),
              );
            else if (named) lines.push(`const ${named.replaceAll(' as ', ': ')} = ${asked};`);
            return lines.filter(Boolean).join(' ');
          })
          // The first look at `performance` loads the module it belongs to; this is the same clock.
          .replaceAll('performance.now()', '(globalThis.process.uptime() * 1000)'),
};

function standIn(asked: string): string {
  return `new Proxy({}, { get: (_, name) => ${asked}[name] })`;
}

/** Works for functions and classes; what is neither cannot be imported by name from a module that loads late. */
function lateFunction(imported: string, asked: string): string {
  const [name = '', local = name] = imported.trim().split(' as ');
  const isClass = /^[A-Z]/.test(name);
  return isClass
    ? `function ${local}(...args) { return Reflect.construct(${asked}.${name}, args); }`
    : `function ${local}(...args) { return ${asked}.${name}(...args); }`;
}
