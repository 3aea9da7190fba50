// The line that ends a test run tells the truth: planted failures of every kind are counted.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const checkout = resolve(import.meta.dirname, '../..');

function countsOf(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'rein-counts-'));
  try {
    symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, body] of Object.entries(files)) {
      writeFileSync(join(folder, name), `import { beforeAll, describe, expect, test } from 'vitest';\n${body}\n`);
    }
    const args = [join(checkout, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
    const env = { ...process.env, REIN_TEST_RESULTS: join(folder, 'results.json') };
    const reporter = `--reporter=${join(checkout, 'scripts/test-reporter.ts')}`;
    const { status } = spawnSync(process.execPath, [...args, reporter], { cwd: folder, env });
    return { ...JSON.parse(readFileSync(env.REIN_TEST_RESULTS, 'utf8')), status };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const good = `test('one', () => {}); describe('group', () => { test('two', () => {}); });`;

test('all passed', () => {
  expect(countsOf({ 'a.test.ts': good })).toEqual({ passed: 2, failed: 0, status: 0 });
});

test('a failing test, a skipped one, a file that does not load, a failing hook, an unhandled error', () => {
  const files = {
    'good.test.ts': good,
    'failing.test.ts': `test('no', () => { expect(1).toBe(2); }); test('yes', () => {});`,
    'skipped.test.ts': `test.skip('later', () => {}); test.todo('never');`,
    'no-load.test.ts': `import './missing.ts';`,
    'syntax.test.ts': `test('x', () => {`,
    'hook.test.ts': `beforeAll(() => { throw new Error('no'); }); test('a', () => {}); test('b', () => {});`,
    'unhandled.test.ts': `test('a', async () => { Promise.reject(new Error('lost')); await new Promise((done) => setTimeout(done, 20)); });`,
    'empty.test.ts': '',
  };
  // passed: 2 in good, 1 in failing, 1 in unhandled. failed: 1 failing, 2 skipped, 2 files, 2 behind the hook,
  // 1 unhandled, 1 file without a test.
  expect(countsOf(files)).toEqual({ passed: 4, failed: 9, status: 1 });
});
