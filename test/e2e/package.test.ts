// What a user gets: the packed package, installed and used outside the repository.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const checkout = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'rein-package-'));
const consumer = join(folder, 'consumer');
const installed = join(consumer, 'node_modules/rein');
let packed: string[] = [];

/** A user's environment: nothing of the npm run that started the tests. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|VITEST)/i.test(name))),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  REIN_HOME: join(folder, 'home'),
};

const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

beforeAll(() => {
  if (!existsSync(join(checkout, 'dist'))) run('npm', ['run', 'build'], checkout);
  mkdirSync(consumer);
  const [info] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], checkout));
  packed = info.files.map((file: { path: string }) => file.path);
  writeFileSync(join(consumer, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, info.filename)], consumer);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the tarball', () => {
  test('holds the program, its licences and nothing of the workshop', () => {
    const expected = ['LICENSE', 'package.json', 'bin/rein.js', 'dist/cli.js', 'dist/index.js', 'dist/index.d.ts'];
    expect(packed).toEqual(expect.arrayContaining([...expected, 'dist/LICENSES.txt', 'dist/tree-sitter-bash.wasm']));
    expect(packed.filter((path) => !/^(bin\/|dist\/|LICENSE$|README\.md$|package\.json$)/.test(path))).toEqual([]);
    expect(packed.filter((path) => /\.test\.|\.map$|__fixtures__/.test(path))).toEqual([]);
  });

  test('names no path of the machine that built it', () => {
    const leaking = filesBelow(installed).filter((file) => readFileSync(file).includes(checkout));
    expect(leaking).toEqual([]);
  });
});

describe('an installation', () => {
  test('is at most 25 MB and 12 packages', () => {
    const modules = join(consumer, 'node_modules');
    const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
    const packages = Object.keys(lock.packages);
    expect(packages.length, packages.join(' ')).toBeLessThanOrEqual(12);
    const bytes = filesBelow(modules).reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThanOrEqual(25e6);
  });

  test('starts, and says its version', () => {
    const rein = join(consumer, 'node_modules/.bin/rein');
    expect(run(rein, ['--version'], folder)).toBe(`${manifest.version}\n`);
  });

  test('every door opens', () => {
    for (const door of Object.keys(manifest.exports).filter((path) => path !== './package.json')) {
      const specifier = door.replace('.', manifest.name);
      run(process.execPath, ['--input-type=module', '-e', `await import('${specifier}')`], consumer);
    }
  });

  test('a door hands out what its source does, and nothing of what lies in the same file', async () => {
    const sources = {
      rein: await import('../../src/index.ts'),
      'rein/testing': await import('../../src/testing/index.ts'),
    };
    for (const [door, source] of Object.entries(sources)) {
      const script = `console.log(JSON.stringify(Object.keys(await import('${door}')).sort()))`;
      const names = JSON.parse(run(process.execPath, ['--input-type=module', '-e', script], consumer));
      expect(names).toEqual(Object.keys(source).sort());
    }
  });

  test('every part of the bundle loads', () => {
    const parts = filesBelow(join(installed, 'dist')).filter(
      (file) => file.endsWith('.js') && !file.endsWith('/cli.js'),
    );
    const imports = parts.map((file) => `await import(${JSON.stringify(file)});`);
    run(process.execPath, ['--input-type=module', '-e', imports.join('\n')], consumer);
  });

  test('importing the library loads no user interface, HTTP server, MCP or database code', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      const before = new Set(process.moduleLoadList);
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      await import('rein');
      const builtin = process.moduleLoadList.filter((name) => !before.has(name));
      console.log(JSON.stringify({ loaded, builtin }));`;
    const { loaded, builtin } = JSON.parse(run(process.execPath, ['--input-type=module', '-e', script], consumer)) as {
      loaded: string[];
      builtin: string[];
    };
    expect(
      builtin.filter((name) => /^NativeModule (_http_|http|https|http2|sqlite|readline|repl)\b/.test(name)),
    ).toEqual([]);

    // The bundle is not minified: each module in it stands below a line with its path.
    const own = loaded.filter((url) => url.includes('/node_modules/rein/'));
    expect(own.length).toBeGreaterThan(0);
    const regions = own.flatMap((url) => {
      const text = readFileSync(new URL(url), 'utf8');
      return [...text.matchAll(/^\/\/#region (.*)$/gm)].map(([, path]) => path!);
    });
    const unwanted =
      /^src\/(apps|testing|services\/mcp)\/|sql-(sqlite|postgres)|node_modules\/(commander|hono|@hono|pg|@modelcontextprotocol|@earendil-works)\//;
    expect(regions.filter((path) => unwanted.test(path))).toEqual([]);
  });

  test('zod is loaded when it is used, from one file, and is the same for all who import it', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      const { createHarness, defineTool, z } = await import('rein');
      const before = loaded.filter((url) => url.includes('zod')).length;
      const schema = z.object({ a: z.string() });
      const after = loaded.filter((url) => url.includes('zod')).map((url) => url.replace(/.*node_modules/, ''));
      const own = await import(new URL('zod.js', import.meta.resolve('rein')));
      const { string } = z;
      console.log(JSON.stringify({
        before, after, same: z.object === own.z.object && string === own.string && schema instanceof z.ZodObject,
        names: Object.keys(z).length === Object.keys((await import('zod')).z).length && 'int' in z && !('nothing' in z),
        parsed: schema.parse({ a: 'x', b: 1 }),
      }));`;
    expect(JSON.parse(run(process.execPath, ['--input-type=module', '-e', script], consumer))).toEqual({
      before: 0,
      after: ['/rein/dist/zod.js'],
      same: true,
      names: true,
      parsed: { a: 'x' },
    });
  });

  test('its types resolve without any package but zod and @types/node', () => {
    const doors = Object.keys(manifest.exports).filter((path) => path !== './package.json');
    const imports = doors.map((door, index) => `import * as door${index} from '${door.replace('.', manifest.name)}';`);
    const uses = doors.map((_door, index) => `void door${index};`);
    writeFileSync(join(consumer, 'use.ts'), [...imports, ...uses].join('\n'));
    const options = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(checkout, 'node_modules/@types')],
    };
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.ts'] }));
    const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', consumer], { encoding: 'utf8', env });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  }, 60_000);
});

test('a checkout without development packages installs without a build', () => {
  const bare = join(folder, 'bare');
  for (const path of ['package.json', 'package-lock.json', '.npmrc', 'bin', 'scripts/prepare.js', 'src']) {
    cpSync(join(checkout, path), join(bare, path), { recursive: true });
  }
  run('npm', ['ci', '--omit=dev', '--prefer-offline'], bare);
  expect(existsSync(join(bare, 'node_modules/zod'))).toBe(true);
  expect(existsSync(join(bare, 'dist'))).toBe(false);
}, 120_000);
