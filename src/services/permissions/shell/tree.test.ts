import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('parsing commands takes no memory that a small machine has not', { timeout: 60_000 }, async () => {
  const script = `
    const { loadShellParser } = await import(${JSON.stringify(join(import.meta.dirname, 'tree.ts'))});
    const parse = await loadShellParser();
    const end = Date.now() + 1500;
    while (Date.now() < end) {
      for (let n = 0; n < 50; n++) parse('git log | head && for i in a b; do echo "$i $(date)"; done');
      // Where V8 optimises, it does so beside the code that runs.
      await new Promise((next) => setImmediate(next));
    }
    console.log(process.resourceUsage().maxRSS / 1024);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(Number(stdout)).toBeGreaterThan(20);
  expect(Number(stdout)).toBeLessThan(300);
});
