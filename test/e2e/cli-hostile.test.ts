// Whatever is typed, piped in or missing around the program: an error by name, the right exit code, no stack trace.
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createTempHome } from 'rein/testing';
import { describe, expect, test } from 'vitest';

const rein = `'${process.execPath}' '${resolve(import.meta.dirname, '../../bin/rein.js')}'`;

/** A shell in a folder with files of every bad kind; `rein` is the program. */
async function createPlace() {
  const temp = await createTempHome({ 'a.txt': 'hello\n', 'bin.dat': new Uint8Array([0xff, 0xfe, 0, 1]) });
  const { workspace } = temp;
  await Promise.all([
    symlink('loop', join(workspace, 'loop')),
    symlink('/nonexistent', join(workspace, 'dangling')),
    mkdir(join(workspace, 'sub')),
    writeFile(join(workspace, 'bad.json'), '{"a"'),
  ]);
  /** `locale` is the program's own: the system may have none. */
  const sh = (command: string, locale = 'C.UTF-8') =>
    new Promise<{ exit: number; output: string }>((done) => {
      const variables = { PATH: process.env.PATH, HOME: temp.home, REIN_HOME: temp.home, LC_ALL: 'C.UTF-8' };
      const options = { cwd: workspace, env: variables, timeout: 30_000 };
      const child = execFile(
        'bash',
        ['-c', `set -o pipefail; rein() { env LC_ALL=${locale} ${rein} "$@"; }; ${command}`],
        options,
        (error, stdout, stderr) => {
          done({
            exit: error === null ? 0 : typeof error.code === 'number' ? error.code : -1,
            output: stdout + stderr,
          });
        },
      );
      child.stdin!.end();
    });
  return { ...temp, sh };
}

const languages = { en: 'C.UTF-8', 'zh-CN': 'zh_CN.UTF-8', 'zh-TW': 'zh_TW.UTF-8' } as const;

describe.each(Object.entries(languages))('in %s', (lang, locale) => {
  test.each([
    ['rein -C a.txt -p hi', 42],
    ['rein -C loop -p hi', 42],
    ['rein -C dangling -p hi', 42],
    [`rein -C ${'x'.repeat(5000)} -p hi`, 42],
    ['rein analyze loop', 42],
    ['rein chat a.txt -p hi', 42],
    ['rein trust loop', 42],
    ['rein --add-dir loop -p hi', 42],
    ['rein --add-dir a.txt -p hi', 42],
    ['rein -i loop -p hi', 42],
    ['rein -i sub -p hi', 42],
    ['rein -i a.txt -p hi', 42],
    ['rein --settings sub -p hi', 42],
    ['rein --settings bad.json -p hi', 52],
    ['rein --json-schema sub -p hi', 42],
    ['rein --json-schema bad.json -p hi', 2],
    [`rein --json-schema '{"type":"nonsense"}' -p hi`, 2],
    [`rein --json-schema '{"$ref":"#/x"}' -p hi`, 2],
    [`rein --allowedTools 'bash(' -p hi`, 2],
    ['rein --allowedTools bsh -p hi', 2],
    [`rein --disallowedTools '(((' -p hi`, 2],
    ['rein --input-format stream-json < bin.dat', 42],
    ['rein sessions import bin.dat', 42],
    ['rein sessions import sub', 42],
    ['rein -r ../../etc -p hi', 42],
    ['rein skills show nope', 42],
    ['rein permissions explain "bash("', 2],
    ['rein config get constructor', 2],
    ['rein sessions fork x --at 99999999999999999999', 2],
    ['mkdir gone && cd gone && rmdir ../gone && rein -p hi', 42],
    ['mkdir gone && cd gone && rmdir ../gone && rein config path', 42],
  ])('%s ends with %i', async (command, exit) => {
    await using place = await createPlace();
    const result = await place.sh(command, locale);
    expect({ command, exit: result.exit, output: result.output }).toEqual({
      command,
      exit,
      output: expect.any(String),
    });
    expect(result.output).toMatch(/^rein: /m);
    expect(result.output).not.toMatch(/^ +at |E_[A-Z]+|node:internal|undefined|\[object/m);
    // All that is said beside names, codes and what the system says is in the language of the person.
    if (lang === 'en') return;
    for (const line of result.output.trim().split('\n')) expect(line).toMatch(/\p{Script=Han}/u);
    expect(result.output).not.toMatch(/no session in it|\bline \d|was not valid/);
  });
});

describe('streams', () => {
  test.each([
    ['rein -p hi <&-', 0],
    ['rein <&-', 42],
    ['rein -p hi 2>&-', 0],
    ['rein -p hi <&- >&- 2>&-', 0],
    ['rein -p hi < bin.dat', 0],
    ['rein -p - < bin.dat', 0],
    ['rein -p - < sub', 42],
    ['rein --help | true', 0],
    ['rein --version | true', 0],
    ['rein tools list --output-format json | head -c 10', 0],
    ["rein -p $'\\xff\\xfe'", 0],
    ['rein -p hi > /dev/full', 1],
    ['rein -p hi --output-format json > /dev/full', 1],
    ['rein --help > /dev/full', 1],
    ['rein --version > /dev/full', 1],
    ['rein tools list > /dev/full', 1],
  ])('%s ends with %i', async (command, exit) => {
    await using place = await createPlace();
    const result = await place.sh(command);
    expect({ exit: result.exit, output: result.output }).toEqual({ exit, output: expect.any(String) });
    expect(result.output).not.toMatch(/^ +at |E_INTERNAL|node:(internal|events)/m);
  });
});

test('a home is never a folder of wherever one is', async () => {
  await using place = await createPlace();
  for (const command of ['HOME= rein config path', 'HOME=rel rein config path', 'unset HOME; rein config path']) {
    const { exit, output } = await place.sh(`unset REIN_HOME; ${command}`);
    expect({ command, exit, output }).toEqual({
      command,
      exit: 0,
      output: expect.stringMatching(/^\/.*config\.json\n/),
    });
  }
});

test('security N3: a file that may not grow is an error that is said once', async () => {
  await using place = await createPlace();
  const said: number[] = [];
  for (let kilobytes = 60; kilobytes <= 200; kilobytes += 10) {
    const { exit, output } = await place.sh(
      `export REIN_HOME=$PWD/home-${kilobytes}; ulimit -f ${kilobytes}; rein -p 'what is this'`,
    );
    said.push(output.match(/^rein: /gm)?.length ?? 0);
    const isWhole = output.includes('I can only search');
    expect({ exit, output }).toEqual({ exit: isWhole ? 0 : 1, output: expect.not.stringMatching(/^ +at /m) });
  }
  expect(Math.max(...said)).toBe(1);
});
