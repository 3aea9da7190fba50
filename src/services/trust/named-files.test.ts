import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempHome, type TempHome } from '../../testing/temp-home.ts';
import { findNamedFiles } from './named-files.ts';

const files = {
  'check.sh': 'exit 0',
  'my tests.sh': 'exit 0',
  'scripts/check.sh': 'exit 0',
  'scripts/tool': Buffer.from([0xff, 0xfe, 0x00]),
  'src/a.js': '',
  'café.sh': '',
  run: '',
};

/** Names of the files that are there. */
async function named({ workspace }: TempHome, ...texts: string[]): Promise<string[]> {
  return (await findNamedFiles(workspace, texts)).flatMap(({ name, hash }) => (hash === undefined ? [] : [name]));
}

test.each<[string, string[]]>([
  ['./check.sh', ['check.sh']],
  ['bash ./check.sh --all', ['check.sh']],
  ['node src/a.js', ['src/a.js']],
  ['sh run', ['run']],
  ['sh -c "./check.sh"', ['check.sh']],
  [`sh -c 'bash "./my tests.sh"'`, ['my tests.sh']],
  ['"./my tests.sh"', ['my tests.sh']],
  ['./my\\ tests.sh', ['my tests.sh']],
  ['cd scripts && ./check.sh', ['check.sh', 'scripts/check.sh']],
  ['"$CLAUDE_PROJECT_DIR"/check.sh', ['check.sh']],
  ['"$CLAUDE_PROJECT_DIR/my tests.sh"', ['my tests.sh']],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what people write in a shell
  ['${CLAUDE_PROJECT_DIR:-.}/scripts/tool', ['scripts/tool']],
  ['$(git rev-parse --show-toplevel)/check.sh', ['check.sh']],
  ['node --import=./src/a.js -e 1', ['src/a.js']],
  ['BASH_ENV=./check.sh bash -c true', ['check.sh']],
  ['. ./check.sh; source scripts/check.sh', ['check.sh', 'scripts/check.sh']],
  ['src/../check.sh', ['check.sh']],
  ['true && (./check.sh | ./run)', ['check.sh', 'run']],
  ['./café.sh', ['café.sh']],
  ['jq . >> run; cat > check.sh', []],
  ['echo hello', []],
  ['/bin/sh -c true', []],
  ['../check.sh', []],
])('%s names %j', async (command, names) => {
  await using place = await createTempHome(files);
  expect(await named(place, command)).toEqual(names);
});

test('a path that is written in full, and a folder with its file in another argument', async () => {
  await using place = await createTempHome(files);
  expect(await named(place, `${place.workspace}/check.sh`)).toEqual(['check.sh']);
  expect(await named(place, 'node', 'a.js', 'src')).toEqual(['src/a.js']);
});

test('a link counts for where it leads and for what is there, inside the folder or not', async () => {
  await using place = await createTempHome(files);
  const outside = join(place.home, 'tool.sh');
  await mkdir(place.home, { recursive: true });
  await writeFile(outside, 'one');
  await symlink(outside, join(place.workspace, 'link.sh'));
  await symlink('scripts', join(place.workspace, 'bin'));
  const look = async () =>
    (await findNamedFiles(place.workspace, ['./link.sh && bin/check.sh'])).map(({ hash }) => hash);
  const first = await look();
  expect([first.length, new Set(first).size]).toEqual([2, 2]);
  await writeFile(outside, 'two');
  await rm(join(place.workspace, 'bin'));
  await mkdir(join(place.workspace, 'bin'));
  await place.write({ 'bin/check.sh': 'exit 0' });
  const then = await look();
  expect(then.map((hash, index) => hash === first[index])).toEqual([false, false]);
});

test('what is not there, and reads as a path, is known by its name', async () => {
  await using place = await createTempHome(files);
  const path = join(place.workspace, 'later.sh');
  expect(await findNamedFiles(place.workspace, ['test -f ./later.sh && ./later.sh'])).toEqual([
    { name: 'later.sh', path },
  ]);
});
