// The threat model names tests, and they are there.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| T\d+ /.test(line));
const cells = (row: string) => row.split('|').map((cell) => cell.trim());

/** Ids in titles of tests; some suites are run for every tool and lie in the test kit. */
const proven = new Set(
  globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'src/testing/*-suite.ts'], { cwd: root }).flatMap((file) => {
    const titles = readFileSync(join(root, file), 'utf8').matchAll(/security ((?:[A-R]\d+)(?:(?:, | and )[A-R]\d+)*)/g);
    return [...titles].flatMap(([, ids]) => ids!.split(/, | and /));
  }),
);

test('every threat has a row, in order', () => {
  expect(rows.map((row) => /^\| (T\d+)/.exec(row)?.[1])).toEqual(
    Array.from({ length: 27 }, (_, index) => `T${index + 1}`),
  );
});

test.each(rows)('%.60s', (row) => {
  const [, , , main, , state = '', ids = ''] = cells(row);
  const named = ids.split(' ').filter(Boolean);
  expect(named.filter((id) => !proven.has(id))).toEqual([]);
  const isLater = state.startsWith('later');
  // What is held has a control, and a test unless it is held by people.
  expect([isLater || main !== '', isLater || state.endsWith('by review') || named.length > 0]).toEqual([true, true]);
});
