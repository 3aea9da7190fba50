// The layer rule really bites: violations are planted in a copy of the house and each must be reported by its rule.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const house = mkdtempSync(join(tmpdir(), 'rein-layers-'));
afterAll(() => rmSync(house, { recursive: true, force: true }));

const plain = (name: string) => `export const ${name} = 1;\nexport type ${name}Type = number;\n`;

const legal: Record<string, string> = {
  'src/lib/text.ts': plain('text'),
  'src/lib/path.ts': `export { join } from 'node:path';\n`,
  'src/protocol/message.ts': `import type { ZodType } from 'zod';\nimport { text } from '../lib/text.ts';\nexport const message: [ZodType?, number?] = [undefined, text];\n`,
  'src/engine/ports.ts': plain('ports'),
  'src/services/files/files.ts': `import 'node:fs';\nimport '../../engine/ports.ts';\n${plain('files')}`,
  'src/services/prompt/prompt.ts': plain('prompt'),
  'src/services/i18n/t.ts': plain('t'),
  'src/extensions/tools/_shared.ts': plain('shared'),
  'src/extensions/tools/read.ts': `import 'diff';\nimport './_shared.ts';\nimport '../../services/files/files.ts';\n${plain('read')}`,
  'src/extensions/tools/read.test.ts': `import 'vitest';\nimport './read.ts';\nimport '../../testing/kit.ts';\n`,
  'src/extensions/tools/index.ts': `import './read.ts';\n`,
  'src/extensions/hooks/watch.ts': plain('watch'),
  'src/harness/harness.ts': `import '../extensions/tools/index.ts';\nimport '../services/files/files.ts';\n${plain('harness')}`,
  'src/apps/cli/cli.ts': `import 'commander';\nimport '../../harness/harness.ts';\nimport '../../services/i18n/t.ts';\n${plain('cli')}`,
  'src/apps/server/server.ts': plain('server'),
  'src/apps/main.ts': `import('./cli/cli.ts');\nimport('./server/server.ts');\n`,
  'src/testing/kit.ts': `import '../harness/harness.ts';\n${plain('kit')}`,
  'src/index.ts': `export { harness } from './harness/harness.ts';\n`,
};

/** Rule, file that breaks it, what the file imports. */
const planted: [rule: string, path: string, text: string][] = [
  ['protocol-imports-upward', 'src/protocol/a.ts', `import type { portsType } from '../engine/ports.ts';`],
  ['engine-imports-upward', 'src/engine/a.ts', `import '../services/prompt/prompt.ts';`],
  ['lib-imports-upward', 'src/lib/a.ts', `import '../protocol/message.ts';`],
  ['services-imports-upward', 'src/services/files/a.ts', `import '../../extensions/hooks/watch.ts';`],
  ['extensions-imports-upward', 'src/extensions/hooks/a.ts', `import '../../harness/harness.ts';`],
  ['harness-imports-upward', 'src/harness/a.ts', `import '../apps/cli/cli.ts';`],
  ['siblings-do-not-know-each-other', 'src/services/files/b.ts', `import '../prompt/prompt.ts';`],
  ['siblings-do-not-know-each-other', 'src/services/files/c.ts', `import '../i18n/t.ts';`],
  ['siblings-do-not-know-each-other', 'src/apps/server/b.ts', `import '../cli/cli.ts';`],
  ['extensions-do-not-know-each-other', 'src/extensions/tools/b.ts', `import './read.ts';`],
  ['extensions-do-not-know-each-other', 'src/extensions/tools/c.ts', `import '../hooks/watch.ts';`],
  ['apps-go-through-harness', 'src/apps/cli/b.ts', `import '../../services/files/files.ts';`],
  ['apps-go-through-harness', 'src/apps/cli/c.ts', `import type { portsType } from '../../engine/ports.ts';`],
  ['testing-is-leaf', 'src/harness/b.ts', `import '../testing/kit.ts';`],
  ['testing-knows-no-app', 'src/testing/b.ts', `import '../apps/cli/cli.ts';`],
  ['no-io-in-core', 'src/engine/b.ts', `import 'node:fs';`],
  ['no-io-in-core', 'src/lib/b.ts', `import 'node:fs/promises';`],
  ['no-io-in-core', 'src/protocol/b.ts', `import 'node:sqlite';`],
  ['lib-is-bare', 'src/lib/c.ts', `import 'zod';`],
  ['no-npm-in-core', 'src/engine/c.ts', `import 'diff';`],
  ['commander-only-in-apps-cli', 'src/services/files/d.ts', `import 'commander';`],
  ['jsoncparser-only-in-services-config', 'src/extensions/tools/d.ts', `import 'jsonc-parser';`],
  ['no-circular', 'src/protocol/c.ts', `import type { d } from './d.ts';\nexport type c = d | 1;`],
  // The other half of that cycle; it is reported once.
  ['', 'src/protocol/d.ts', `import type { c } from './c.ts';\nexport type d = c | 2;`],
  ['resolvable', 'src/services/files/e.ts', `import 'no-such-package';`],
];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), `${text}\nexport {};\n`);
}

/** Runs the real configuration over the copy; returns "rule path" lines. */
function cruise(): string[] {
  const bin = join(root, 'node_modules/.bin/depcruise');
  const args = [bin, 'src', '--config', '.dependency-cruiser.cjs', '-T', 'json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: house, encoding: 'utf8', maxBuffer: 1e8 });
  expect(stderr).toBe('');
  const violations: { rule: { name: string }; from: string }[] = JSON.parse(stdout).summary.violations;
  return violations.map(({ rule, from }) => `${rule.name} ${from}`).sort();
}

test('the layer rule reports each violation once, by its own rule, and nothing that is legal', () => {
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) cpSync(join(root, file), join(house, file));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  for (const [path, text] of Object.entries(legal)) write(path, text);
  expect(cruise()).toEqual([]);
  for (const [, path, text] of planted) write(path, text);
  expect(cruise()).toEqual(
    planted
      .filter(([rule]) => rule)
      .map(([rule, path]) => `${rule} ${path}`)
      .sort(),
  );
});
