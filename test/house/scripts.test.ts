import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { licences } from '../../scripts/bundle/licences.ts';
import { findTooBig } from '../../scripts/check-sizes.ts';
import { generateIndexes } from '../../scripts/generate-indexes.ts';
import { createExtension } from '../../scripts/new.ts';
import { readmeCommands } from '../../scripts/readme-commands.ts';
import { templates } from '../../scripts/templates.ts';

const checkout = resolve(import.meta.dirname, '../..');
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rein-scripts-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('indexes', () => {
  test('hold every extension and nothing else', () => {
    const others = ['_shared.ts', 'read-file.test.ts', 'read-file.test-d.ts', 'types.d.ts', 'notes.md', '.hidden.ts'];
    for (const file of ['read-file.ts', 'ls.ts', ...others]) write(`src/extensions/tools/${file}`, '');
    write('src/extensions/providers/open-ai.ts', '');
    write('src/services/i18n/locales/zh-TW.ts', '');
    expect(generateIndexes(root, { check: true })).toContain('src/extensions/tools/index.ts');
    expect(existsSync(join(root, 'src/extensions/tools/index.ts'))).toBe(false);
    generateIndexes(root);
    expect(generateIndexes(root, { check: true })).toEqual([]);

    const head = '// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.\n\n';
    const tools = read('src/extensions/tools/index.ts');
    expect(tools).toBe(
      `${head}import ls from './ls.ts';\nimport readFile from './read-file.ts';\n\n` +
        `export const tools = [\n  ls,\n  readFile,\n] as const;\n\nexport type ToolName = 'ls' | 'read_file';\n`,
    );
    const providers = read('src/extensions/providers/index.ts');
    expect(providers).toBe(
      `${head}import openAi from './open-ai.ts';\n\nexport const providers = [\n  openAi,\n] as const;\n`,
    );
    expect(read('src/services/i18n/locales/index.ts')).toContain(`'zh-TW': () => import('./zh-TW.ts'),`);
    const all = read('src/services/i18n/locales/_all.ts');
    expect(all).toBe(
      `${head}import zhTW from './zh-TW.ts';\n\nexport const locales = {\n  'zh-TW': zhTW,\n} as const;\n`,
    );
  });

  test('a name that is a word of the language is imported under another', () => {
    for (const name of ['class', 'import', 'await', 'void']) write(`src/extensions/tools/${name}.ts`, '');
    generateIndexes(root);
    for (const name of ['class', 'import', 'await', 'void']) {
      expect(read('src/extensions/tools/index.ts')).toContain(`import ${name}_ from './${name}.ts';`);
    }
  });

  test('a file that is gone makes its index stale', () => {
    write('src/extensions/hooks/log.ts', '');
    generateIndexes(root);
    rmSync(join(root, 'src/extensions/hooks/log.ts'));
    expect(generateIndexes(root, { check: true })).toEqual(['src/extensions/hooks/index.ts']);
  });
});

describe('new', () => {
  test('what it writes for each kind passes types, lint, layers and its own test', { timeout: 60_000 }, () => {
    const filter = (path: string) => !path.includes('.test.');
    for (const entry of ['src/protocol', 'src/lib', ...'package.json tsconfig.json biome.json'.split(' ')]) {
      cpSync(join(checkout, entry), join(root, entry), { recursive: true, filter });
    }
    cpSync(join(checkout, '.dependency-cruiser.cjs'), join(root, '.dependency-cruiser.cjs'));
    symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
    const dictionaries = ['en', 'zh-CN', 'zh-TW'].map((tag) => `src/services/i18n/locales/${tag}/commands.ts`);
    for (const path of dictionaries) write(path, "export const commands = {\n  help: 'x',\n};\n");
    const written = Object.keys(templates).flatMap((kind) => createExtension(root, kind, 'demo-thing'));
    expect(written).toContain('src/extensions/tools/demo-thing.ts');
    expect(written).toContain('skills/demo-thing/SKILL.md');
    for (const path of dictionaries) expect(read(path)).toMatch(/^ {2}help: 'x',\n {2}demoThing: '.+',\n};$/m);
    expect(generateIndexes(root, { check: true })).toEqual([]);

    const run = (tool: string, ...args: string[]) => {
      const bin = join(root, 'node_modules/.bin', tool);
      const { status, stdout, stderr } = spawnSync(bin, args, { cwd: root, encoding: 'utf8' });
      expect(`${tool} ${status} ${status === 0 ? '' : stdout + stderr}`).toBe(`${tool} 0 `);
    };
    run('tsc', '--noEmit');
    run('biome', 'check', 'src/extensions');
    run('depcruise', 'src/extensions', '--config', '.dependency-cruiser.cjs');
    run('vitest', 'run', 'src/extensions', '--root', '.');
  });

  test('refuses what exists, a strange name and an unknown kind, and then writes nothing', () => {
    write('src/extensions/tools/ls.ts', 'mine');
    expect(() => createExtension(root, 'tool', 'ls')).toThrow('src/extensions/tools/ls.ts exists already.');
    expect(read('src/extensions/tools/ls.ts')).toBe('mine');
    expect(existsSync(join(root, 'src/extensions/tools/ls.test.ts'))).toBe(false);
    for (const name of ['', 'Ls', '../x', 'a b', '-a', 'a/b']) {
      expect(() => createExtension(root, 'tool', name)).toThrow('A name is lower case letters');
    }
    expect(() => createExtension(root, 'widget', 'x')).toThrow('No such kind: widget');
  });
});

test('sizes: long files, long tests and full folders are named; generated and extension files are not', () => {
  write('src/a/long.ts', 'x\n'.repeat(301));
  write('src/a/ok.ts', 'x\n'.repeat(300));
  write('src/a/long.test.ts', 'x\n'.repeat(501));
  write('src/a/ok.test.ts', 'x\n'.repeat(500));
  write('src/a/generated.ts', `// Written by scripts/x.ts\n${'x\n'.repeat(400)}`);
  for (let index = 0; index < 16; index += 1) {
    write(`src/full/file-${index}.ts`, '');
    write(`src/extensions/tools/file-${index}.ts`, '');
  }
  expect(findTooBig(root)).toEqual([
    'src/a/long.test.ts has 501 lines, at most 500 are allowed: split it',
    'src/a/long.ts has 301 lines, at most 300 are allowed: split it',
    'src/full/ holds 16 source files, at most 15 are allowed: make a subfolder',
  ]);
});

test('licences: each bundled package once, with its text', () => {
  write('node_modules/@a/b/package.json', '{"name":"@a/b","version":"1.0.0","license":"MIT"}');
  write('node_modules/@a/b/LICENSE', 'Do as you like.');
  write('node_modules/c/package.json', '{"name":"c","version":"2.0.0","license":"ISC"}');
  const text = licences(
    ['node_modules/@a/b/x.js', 'node_modules/@a/b/lib/y.js', 'node_modules/c/z.js', 'src/own.ts'].map((path) =>
      join(root, path),
    ),
  );
  expect(text.match(/@a\/b 1\.0\.0 \(MIT\)\n\nDo as you like\./g)).toHaveLength(1);
  expect(text).toContain('c 2.0.0 (ISC)\n\nLicence: ISC');
  expect(text).not.toContain('own');
});

test('README commands: the lines of marked shell blocks, and only those', () => {
  const readme =
    '```sh\nnot run\n```\n<!-- checked -->\n```sh\n# a comment\nnpx rein analyze .\n\nnpx rein --version # why\n```\ntext';
  expect(readmeCommands(readme)).toEqual(['npx rein analyze .', 'npx rein --version # why']);
});
