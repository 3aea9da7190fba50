// `npm test [-- filters and vitest flags]`: builds what the end-to-end tests drive, runs the tests and ends with one
// line, "N passed, N failed". Without a filter everything runs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestCounts } from './test-reporter.ts';

const root = resolve(import.meta.dirname, '..');
const results = resolve(root, '.cache/test-results.json');
const args = process.argv.slice(2);
const filters = args.filter((arg) => !arg.startsWith('-'));
const run = (script: string, ...rest: string[]) =>
  spawnSync(process.execPath, [resolve(root, script), ...rest], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, REIN_TEST_RESULTS: results },
  }).status;

mkdirSync(resolve(root, '.cache'), { recursive: true });
rmSync(results, { force: true });

const needsBuild = filters.length === 0 || filters.some((filter) => filter.startsWith('test'));
const built = !needsBuild || run('scripts/build.ts') === 0;
const status = run('node_modules/vitest/vitest.mjs', 'run', ...args);

// No results at all means that the runner itself broke.
const counts: TestCounts = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : { passed: 0, failed: 1 };
if (!built) counts.failed += 1;
if (status !== 0 && counts.failed === 0) counts.failed = 1;
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
