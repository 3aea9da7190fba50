/** Bundles what is measured, so that no process spends time or memory on TypeScript, and installs the peers apart. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'tsdown';

const root = resolve(import.meta.dirname, '..');
const peersFolder = resolve(root, '.cache/peers');
const own = ['floor-inc', 'floor', 'rein', 'full-stack'];
const peers = ['ai', 'pi-agent'];

/** Installs the pinned packages of the peers into a folder of their own. Throws when that fails. */
export function installPeers(): void {
  mkdirSync(peersFolder, { recursive: true });
  const dependencies = JSON.parse(readFileSync(resolve(import.meta.dirname, 'peers.json'), 'utf8'));
  writeFileSync(resolve(peersFolder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const { status } = spawnSync('npm', ['install', '--ignore-scripts'], { cwd: peersFolder, stdio: 'inherit' });
  if (status !== 0) throw new Error('the peers could not be installed');
}

export interface Prepared {
  readonly server: string;
  readonly measure: string;
  /** Files of the loops by name; those of peers that are not installed are missing. */
  readonly loops: ReadonlyMap<string, string>;
}

/**
 * Builds server, measurement and loops. Rein itself is taken from `dist`. `name` is the caller's own: what two build at
 * once lies in two folders.
 */
export async function prepare(name: string): Promise<Prepared> {
  const out = resolve(root, '.cache/bench', name);
  const peersOut = resolve(peersFolder, 'loops', name);
  const installed = existsSync(resolve(peersFolder, 'node_modules')) ? peers : [];
  await bundle(out, { server: 'server.ts', measure: 'measure.ts', ...entriesOf(own) });
  await bundle(peersOut, entriesOf(installed));
  return {
    server: resolve(out, 'server.js'),
    measure: resolve(out, 'measure.js'),
    loops: new Map([
      ...own.map((loop) => [loop, resolve(out, `${loop}.js`)] as const),
      ...installed.map((loop) => [loop, resolve(peersOut, `${loop}.js`)] as const),
    ]),
  };
}

function entriesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `loops/${name}.ts`]));
}

async function bundle(outDir: string, files: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(files).length === 0) return;
  const entry = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, resolve(import.meta.dirname, file)]),
  );
  await build({
    cwd: root,
    config: false,
    tsconfig: false,
    entry,
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    fixedExtension: false,
    dts: false,
    deps: { neverBundle: [/^[^./]/] },
    logLevel: 'warn',
  });
}
