/** The profile as text: nobody has run it on a Mac yet. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createSeatbelt } from './seatbelt.ts';

function prepare(network: boolean, guarded: readonly string[] = []) {
  const driver = createSeatbelt({
    ...{
      roots: ['/Users/u/a.b (c)', '/Users/u'],
      userHome: '/Users/u',
      secrets: ['/Users/u/.ssh'],
      visible: [],
      aside: '/x',
      guarded,
    },
  });
  const environment = { PATH: '/bin' };
  const program = driver.prepare({ command: 'echo "x"', cwd: '/Users/u/a.b (c)', environment, network });
  if (program instanceof Promise) throw new Error('it is made at once');
  return { driver, program };
}

it('makes a profile that denies writing but where it is allowed, and the network unless it is', () => {
  const { driver, program } = prepare(false);
  const [flag, profile = '', ...rest] = program.args;
  const temporary = program.environment.TMPDIR as string;
  expect([program.file, flag, ...rest]).toEqual([
    ...['/usr/bin/sandbox-exec', '-p', '/bin/bash', '--noprofile', '--norc', '-c', '--', 'echo "x"'],
  ]);
  const lines = profile.split('\n');
  expect(lines.slice(0, 4)).toEqual([
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* (literal "/dev/null") (literal "/dev/tty") (subpath "/Users/u/a.b (c)") (subpath "${temporary}"))`,
  ]);
  expect(lines[4]).toMatch(/^\(deny file-write\* \(regex #"\^\/Users\/u\/a\\\.b \\\(c\\\)\/\(\.\*\/\)\?/);
  expect(lines.slice(6)).toEqual([
    '(deny file-read* file-write* (subpath "/Users/u/.ssh"))',
    '(deny network*)',
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    '(deny system-socket)',
  ]);
  driver.close?.();
  expect(existsSync(temporary)).toBe(false);
});

it('security C7: files that commands in force name are not to be written, nor taken along with a folder', () => {
  const { driver, program } = prepare(true, ['/Users/u/a.b (c)/tools/x/check.sh']);
  expect((program.args[1] as string).split('\n').filter((line) => line.includes('literal "/Users'))).toEqual([
    '(deny file-write* (literal "/Users/u/a.b (c)/tools/x/check.sh"))',
    '(deny file-write-unlink (literal "/Users/u/a.b (c)/tools/x"))',
    '(deny file-write-unlink (literal "/Users/u/a.b (c)/tools"))',
  ]);
  driver.close?.();
});

it('protects names wherever they lie, existing or not', () => {
  const { driver, program } = prepare(true);
  const [line = ''] = (program.args[1] as string)
    .split('\n')
    .filter((each) => each.startsWith('(deny file-write* (regex'));
  const pattern = new RegExp(/#"(.*)"\)\)$/.exec(line)?.[1] as string);
  const at = (name: string) => pattern.test(`/Users/u/a.b (c)/${name}`);
  for (const name of [
    '.git/config',
    'sub/.git/hooks/x',
    '.rein/config.json',
    '.mcp.json',
    'a/.npmrc',
    '.github/workflows/x',
  ]) {
    expect([name, at(name)]).toEqual([name, true]);
  }
  for (const name of ['.git/HEAD', '.gitignore', 'src/config', '.github/README', 'my.mcp.json2']) {
    expect([name, at(name)]).toEqual([name, false]);
  }
  expect(program.args[1]).not.toContain('(deny network*)');
  driver.close?.();
});
