// Each example runs to its end; it asserts by itself.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../examples');
const examples = readdirSync(folder).filter((name) => name.endsWith('.ts'));

test('there are examples', () => {
  expect(examples).toContain('test-a-tool.ts');
});

test.each(examples)('examples/%s', async (name) => {
  await import(join(folder, name));
});
