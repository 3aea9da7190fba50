import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempHome } from '../../testing/temp-home.ts';
import { addRule } from './edit.ts';
import { withFileLock } from './file-lock.ts';

const worker = `
  import { addRule } from ${JSON.stringify(join(import.meta.dirname, 'edit.ts'))};
  import { saveVariable } from ${JSON.stringify(join(import.meta.dirname, 'environment.ts'))};
  const [home, name, count] = process.argv.slice(2);
  for (let at = 0; at < Number(count); at++) {
    await addRule(home + '/config.json', 'deny', 'bash(' + name + '-' + at + ')');
    await saveVariable(home, 'V_' + name + '_' + at, 'x');
  }`;

test('security M3: many processes change the same files, and nothing is lost or torn', async () => {
  await using place = await createTempHome({ 'worker.ts': worker });
  const [processes, count] = [8, 6];
  const ended = Array.from({ length: processes }, (_, index) => {
    const child = fork(join(place.workspace, 'worker.ts'), [place.home, `p${index}`, String(count)], {
      execArgv: ['--no-warnings'],
    });
    return new Promise((resolve) => child.once('exit', resolve));
  });
  expect(await Promise.all(ended)).toEqual(Array(processes).fill(0));
  const { permissions } = JSON.parse(await readFile(join(place.home, 'config.json'), 'utf8')) as {
    permissions: { deny: string[] };
  };
  const variables = (await readFile(join(place.home, '.env'), 'utf8')).trim().split('\n');
  const names = Array.from({ length: processes }, (_, index) =>
    Array.from({ length: count }, (_each, at) => [`p${index}`, at] as const),
  ).flat();
  expect(permissions.deny.toSorted()).toEqual(names.map(([name, at]) => `bash(${name}-${at})`).sort());
  expect(variables.toSorted()).toEqual(names.map(([name, at]) => `V_${name}_${at}=x`).sort());
}, 60_000);

test('security M5: a lock that a killed process left, or whose number another one has now, is taken over', async () => {
  await using place = await createTempHome();
  const file = join(place.home, 'config.json');
  await writeFile(`${file}.lock`, '999999999');
  await addRule(file, 'deny', 'bash(a)');
  await writeFile(`${file}.lock`, String(process.ppid));
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(`${file}.lock`, longAgo, longAgo);
  await addRule(file, 'deny', 'bash(b)');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ permissions: { deny: ['bash(a)', 'bash(b)'] } });
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test('work that fails gives the lock up', async () => {
  await using place = await createTempHome();
  const file = join(place.home, 'x');
  await expect(withFileLock(file, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  expect(await withFileLock(file, async () => 'done')).toBe('done');
});
