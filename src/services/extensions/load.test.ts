import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';

// Loading hooks are Node's own: each case runs in a process of its own, as the program does.
const loader = resolve(import.meta.dirname, 'load.ts');
const script = `
  const { loadUserExtensions } = await import(${JSON.stringify(loader)});
  const warnings = [];
  const found = await loadUserExtensions(process.argv.slice(1).map((path) => ({ path })), (warning) => warnings.push(warning));
  const name = (one) => one.name;
  const results = await Promise.all(found.tools.map(({ tool }) => tool.execute?.({})));
  console.log(JSON.stringify({
    tools: found.tools.map(({ tool, source }) => [tool.name, source]),
    middleware: found.middleware.map(name), hooks: found.hooks.map(name),
    providers: found.providers.map(name), commands: found.commands.map(name),
    brokenHooks: found.brokenHooks.map(({ code, params }) => [code, params.file, params.detail]),
    results, warnings: warnings.map(({ code, params }) => [code, params.file, params.detail ?? params.kind]),
  }));
`;

let root: string;
let home: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'rein-extensions-')));
  home = join(root, 'home');
  await mkdir(home);
});

async function write(path: string, text: string): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

function load(...folders: string[]) {
  const args = ['--no-warnings', '--input-type=module', '-e', script, ...(folders.length > 0 ? folders : [home])];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: root }));
}

const lists = { tools: [], middleware: [], hooks: [], brokenHooks: [], providers: [], commands: [] };
const nothing = { ...lists, results: [], warnings: [] };
const tool = (name: string, body = "'ok'") => `
import { z } from 'zod';
const brand = Symbol.for('rein.tool');
interface Input { a?: string }
export default { [brand]: true, name: '${name}', description: 'x', input: z.object({}), risk: 'read', execute: (input: Input): unknown => ${body} };
`;

test('no folders, empty folders and other files: nothing is loaded', async () => {
  expect(load()).toEqual(nothing);
  await mkdir(join(home, 'tools'));
  await write('tools/README.md', 'x');
  await write('tools/types.d.ts', 'export {};');
  await write('tools/x.test.ts', 'throw new Error("ran");');
  await write('hooks', 'a file');
  expect(load()).toEqual(nothing);
  expect(load(join(root, 'nowhere'))).toEqual(nothing);
});

test('each kind is known by its brand; TypeScript and JavaScript, one or a list', async () => {
  const a = await write('tools/a.ts', tool('a'));
  await write('tools/package.json', '{"type": "commonjs"}');
  const b = await write(
    'tools/b.js',
    "const b = Symbol.for('rein.tool'); export default [{ [b]: true, name: 'b1' }, { [b]: true, name: 'b2' }];",
  );
  for (const [folder, kind] of [
    ['middleware', 'middleware'],
    ['hooks', 'hook'],
    ['providers', 'provider'],
    ['commands', 'command'],
  ]) {
    await write(`${folder}/x.mjs`, `export default { [Symbol.for('rein.${kind}')]: true, name: '${kind}-x' };`);
  }
  expect(load()).toEqual({
    ...nothing,
    tools: [
      ['a', a],
      ['b1', b],
      ['b2', b],
    ],
    middleware: ['middleware-x'],
    hooks: ['hook-x'],
    providers: ['provider-x'],
    commands: ['command-x'],
    results: ['ok', null, null],
  });
});

test('rein and zod are the running package’s, from anywhere, also beside other copies', async () => {
  await write('tools/node_modules/zod/index.js', 'throw new Error("wrong zod");');
  await write('tools/node_modules/zod/package.json', '{"name": "zod", "main": "index.js"}');
  await write('tools/shared/name.ts', "export const name: string = 'shared';");
  const file = await write(
    'tools/a.ts',
    `import * as rein from 'rein';\nimport { basename } from 'node:path';\nimport { name } from './shared/name.ts';\n${tool('a', "[typeof rein, typeof z.object, name, basename('/x/y')]")}`,
  );
  expect(load()).toEqual({ ...nothing, tools: [['a', file]], results: [['object', 'function', 'shared', 'y']] });
});

test('a home that is a link works; roots are compared by real path', async () => {
  await write('tools/a.ts', tool('a'));
  await symlink('home', join(root, 'link'));
  expect(load(join(root, 'link')).tools).toEqual([['a', join(root, 'link/tools/a.ts')]]);
});

describe('what does not load is named with its reason and stops no other', () => {
  const cases: [string, string, RegExp | string][] = [
    ['syntax', 'export default {', 'E_EXTENSION_LOAD'],
    ['throws', "throw new Error('at load');", 'E_EXTENSION_LOAD at load'],
    ['enum', 'enum A { B }\nexport default A;', /E_EXTENSION_LOAD .*enum/],
    ['no default', 'export const a = 1;', 'E_EXTENSION_INVALID'],
    ['no brand', "export default { name: 'a', description: 'b' };", 'E_EXTENSION_INVALID'],
    ['null', 'export default null;', 'E_EXTENSION_INVALID'],
    ['wrong kind', "export default { [Symbol.for('rein.hook')]: true, name: 'h' };", 'E_EXTENSION_INVALID'],
    ['package', "import 'vitest';\nexport default 1;", 'E_EXTENSION_LOAD'],
    ['outside', "import '../../outside.ts';\nexport default 1;", /E_EXTENSION_LOAD .*outside the extension folders/],
    ['by link', "import './link.ts';\nexport default 1;", /E_EXTENSION_LOAD .*outside the extension folders/],
    [
      'dynamic',
      "await import('../../outside.ts');\nexport default 1;",
      /E_EXTENSION_LOAD .*outside the extension folders/,
    ],
  ];

  test('all at once', async () => {
    await writeFile(join(root, 'outside.ts'), 'export default 1;');
    await mkdir(join(home, 'tools'));
    await symlink('../../outside.ts', join(home, 'tools', 'link.ts'));
    await write('tools/good.ts', tool('good'));
    const files = await Promise.all(cases.map(([name, text]) => write(`tools/${name.replace(' ', '-')}.ts`, text)));
    const { tools, warnings } = load();
    expect(tools.map(([name]: [string]) => name)).toEqual(['good']);
    for (const [index, [name, , expected]] of cases.entries()) {
      const [code, , detail] = warnings.find(([, file]: [string, string]) => file === files[index]) ?? [];
      expect(`${code} ${detail}`, name).toEqual(expect.stringMatching(expected));
    }
    // The link itself is a file of the folder that leads outside.
    expect(warnings).toHaveLength(cases.length + 1);
  });
});

test('a definition with a field that cannot be used is named with its file and the field', async () => {
  const wrong = [
    ['tools', 'defineTool', "{ name: 'a', description: 'd', input: {}, risk: 'nuke', execute() {} }", '"risk"'],
    ['middleware', 'defineMiddleware', "{ name: 'a', slot: 'last' }", '"slot"'],
    ['providers', 'defineProvider', "{ name: 'a', defaultModel: 'm' }", '"create"'],
    ['commands', 'defineCommand', "{ name: 'a', description: 'd' }", '"run"'],
  ] as const;
  const files = await Promise.all(
    wrong.map(([folder, define, fields]) =>
      write(`${folder}/a.js`, `import { ${define} } from 'rein';\nexport default ${define}(${fields});`),
    ),
  );
  expect(load()).toEqual({
    ...nothing,
    warnings: wrong.map(([, , , field], index) => ['E_EXTENSION_LOAD', files[index], expect.stringContaining(field)]),
  });
});

test('security P2: a hook file that does not load is handed back as an error, whatever is wrong with it', async () => {
  const wrong: [string, string | RegExp][] = [
    ['export default {', /./],
    ["throw new Error('at load');", 'at load'],
    ["import 'nowhere';\nexport default 1;", /nowhere/],
    [
      "import { defineHook } from 'rein';\nexport default defineHook({ name: 'a', event: 'preToolUse', run() {} });",
      /"event"/,
    ],
    ['export const a = 1;', 'its default export is no hook'],
    [
      "const hook = Symbol.for('rein.hook'); export default [{ [hook]: true, name: 'h' }, {}];",
      'its default export is no hook',
    ],
    [tool('a'), 'its default export is no hook'],
  ];
  const files = await Promise.all(wrong.map(([text], index) => write(`hooks/${index}.ts`, text)));
  await write('tools/good.ts', tool('good'));
  const { brokenHooks, warnings, tools } = load();
  expect(brokenHooks).toEqual(
    wrong.map(([, detail], index) => ['E_HOOK_FILE', files[index], expect.stringMatching(detail)]),
  );
  expect(warnings).toEqual([]);
  expect(tools).toHaveLength(1);
});
