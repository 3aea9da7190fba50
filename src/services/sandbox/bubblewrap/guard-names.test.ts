import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandboxPlace, type SandboxPlace } from '../__fixtures__/sandbox-place.ts';

async function run(place: SandboxPlace, command: string) {
  const { exit, output, notes } = await place.commands.run({ command, signal: place.signal });
  return { exit, output, notes };
}

const git = (cwd: string, ...args: string[]) => {
  const named = [
    '-c',
    'user.name=n',
    '-c',
    'user.email=n@n',
    '-c',
    'init.defaultBranch=main',
    '-c',
    'safe.directory=*',
  ];
  return execFileSync('git', [...named, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
};

/** Every path below the folder. */
const tree = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

const appearing: [what: string, command: string, names: string[]][] = [
  ['a hook of a missing repository', 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit', ['.git/hooks']],
  ['a nested hook', 'mkdir -p a/b/.git/hooks; echo x > a/b/.git/hooks/pre-commit', ['a/b/.git/hooks']],
  ['an empty folder', 'mkdir -p .git/hooks', ['.git/hooks']],
  ['settings of git', 'mkdir .git; echo "[core] fsmonitor=x" > .git/config', ['.git/config']],
  ['a git file', 'echo "gitdir: /tmp/x" > .git', ['.git']],
  ['a link instead of a folder', 'ln -s /tmp/evil .git', ['.git']],
  ['other letters', 'mkdir -p .GIT/hooks .Rein; echo x > .Rein/config.json', ['.GIT/hooks', '.Rein']],
  ['settings of ours', 'mkdir .rein; echo {} > .rein/config.json', ['.rein']],
  ['servers', 'echo {} > .mcp.json; echo {} > sub/mcp.json', ['.mcp.json', 'sub/mcp.json']],
  ['something moved over', 'echo {} > x; mv x .mcp.json', ['.mcp.json']],
  ['a hard link', 'echo {} > x; ln x .npmrc', ['.npmrc']],
  ['a folder moved there', 'mkdir -p x/workflows; echo > x/workflows/ci.yml; mv x .github', ['.github/workflows']],
  ['a repository without the name', 'mkdir -p b/objects b/refs; echo x > b/HEAD; echo x > b/config', ['b/HEAD']],
  ['shell and editor settings', 'echo x > .bashrc; mkdir .vscode', ['.bashrc', '.vscode']],
  ['a pipe', 'mkfifo .envrc', ['.envrc']],
];

it.each(appearing)('security Q4: %s is taken away and reported', async (_, command, names) => {
  await using place = await createSandboxPlace({ 'sub/file': '' });
  const { exit, notes } = await run(place, command);
  expect(exit).toBe(0);
  expect(notes.map((note) => note.split(' appeared')[0]).sort()).toEqual([...names].sort());
  for (const name of names) expect(lstatSync(join(place.root, name), { throwIfNoEntry: false })).toBeUndefined();
  expect((await run(place, 'true')).notes).toEqual([]);
});

it('security Q4: what was taken away is kept aside, for a person to look at', async () => {
  await using place = await createSandboxPlace();
  const { notes } = await run(place, 'mkdir .rein; echo "{\\"a\\":1}" > .rein/config.json');
  const [kept = ''] = readdirSync(place.aside);
  expect(readFileSync(join(place.aside, kept, 'config.json'), 'utf8')).toBe('{"a":1}\n');
  expect(notes[0]).toContain(join(place.aside, kept));
});

it('security Q4: an ordinary command leaves nothing on the host', async () => {
  await using place = await createSandboxPlace({ 'a/x': '' });
  const before = [tree(place.root), tree(place.home), tree(place.outside)];
  expect(await run(place, 'echo hello; ls .git .mcp.json')).toMatchObject({ notes: [] });
  expect([tree(place.root), tree(place.home), tree(place.outside)]).toEqual(before);
});

describe('what is there', () => {
  const files = {
    ...{ '.git/config': '[core]\n\thooksPath = tools/hooks\n', '.git/hooks/pre-commit': 'old', '.git/HEAD': 'ref' },
    ...{ '.mcp.json': 'old', 'a/b/.git/hooks/post': 'old', 'a/b/.npmrc': 'old', '.rein/config.json': 'old' },
    ...{ '.github/workflows/ci.yml': 'old', 'tools/hooks/pre-push': 'old', '.husky/x': 'old' },
  };

  it.each([
    ...Object.keys(files)
      .filter((name) => name !== '.git/HEAD')
      .flatMap((name) => [
        `echo new > ${name}`,
        `rm -f ${name}`,
        `mv ${name} elsewhere`,
        `echo x > y; mv -f y ${name}`,
      ]),
    ...['mv .git g', 'mv a c', 'mv a/b c', 'rm -rf .git/hooks', 'mv .github x', 'rm -rf .rein', 'mv tools t'],
    'sed -i s/old/new/ .mcp.json',
    'ln -f a/b/.npmrc .mcp.json',
    "python3 -c \"import os; os.rename('.git', 'g')\"",
  ])('security Q4: `%s` changes nothing that is protected', async (command) => {
    await using place = await createSandboxPlace(files);
    await run(place, command);
    for (const [name, text] of Object.entries(files)) {
      expect([name, readFileSync(join(place.root, name), 'utf8')]).toEqual([name, text]);
    }
  });

  it('lets git work: a new repository, commits, branches', async () => {
    await using place = await createSandboxPlace({ f: 'x' });
    const name = 'git config user.name n; git config user.email n@n';
    expect(await run(place, `git init -q -b main . && ${name} && git add f && git commit -qm one`)).toEqual({
      ...{ exit: 0, output: '', notes: [] },
    });
    const more = 'git checkout -q -b next && echo y > f && git commit -qam two && git log --format=%s | cat';
    expect(await run(place, more)).toEqual({ exit: 0, output: 'two\none\n', notes: [] });
    expect((await run(place, 'git config core.fsmonitor ./x')).exit).not.toBe(0);
    expect(git(place.root, 'log', '--format=%s')).toBe('two\none\n');
  });

  it('a linked working tree commits into the repository outside, whose settings and hooks stay as they are', async () => {
    await using place = await createSandboxPlace();
    const main = join(place.outside, 'main');
    git(place.outside, 'init', '-q', '-b', 'main', 'main');
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(main, 'config', 'user.name', 'n');
    git(main, 'config', 'user.email', 'n@n');
    rmdirSync(place.root);
    git(main, 'worktree', 'add', '-q', '-b', 'side', place.root);
    const commit = 'echo x > f && git add f && git commit -qm two && git branch third && git log --format=%s';
    expect(await run(place, commit)).toEqual({ exit: 0, output: 'two\nfirst\n', notes: [] });
    expect(git(main, 'log', '--format=%s', 'side')).toBe('two\nfirst\n');
    const before = readFileSync(join(main, '.git/config'), 'utf8');
    const own = join(main, '.git/worktrees/work');
    for (const command of [
      'git config core.fsmonitor ./x',
      `echo x > ${main}/.git/hooks/post-index-change`,
      `echo x > ${main}/f`,
      `echo /elsewhere > ${own}/commondir`,
      `rm ${own}/commondir`,
      `mv ${own} ${own}-2`,
      `ln -sfn /elsewhere ${own}/gitdir`,
      `mv ${main}/.git/objects ${main}/.git/o`,
    ]) {
      expect([command, (await run(place, command)).exit !== 0]).toEqual([command, true]);
    }
    expect(readFileSync(join(main, '.git/config'), 'utf8')).toBe(before);
  });

  it('a file that only claims to be a linked working tree opens nothing', async () => {
    await using place = await createSandboxPlace();
    git(place.outside, 'init', '-q', 'main');
    const main = join(place.outside, 'main');
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(main, 'worktree', 'add', '-q', '-b', 'side', join(place.outside, 'side'));
    place.put('.git', `gitdir: ${main}/.git/worktrees/side\n`);
    const { exit, notes } = await run(place, 'git commit -q --allow-empty -m two');
    expect([exit !== 0, notes]).toEqual([true, [expect.stringContaining('read-only')]]);
    place.put('.git', `gitdir: ${main}/.git\n`);
    expect((await run(place, `touch ${main}/.git/refs/x`)).exit).not.toBe(0);
  });

  it('a clone is a repository like any other; a hook in it is not', async () => {
    await using place = await createSandboxPlace();
    git(place.root, 'init', '-q', 'one');
    git(join(place.root, 'one'), 'commit', '-q', '--allow-empty', '-m', 'first');
    expect(await run(place, 'git clone -q one two')).toMatchObject({ exit: 0, notes: [] });
    const { notes } = await run(place, 'git clone -q one three; echo x > three/.git/hooks/pre-commit');
    expect(notes.map((note) => note.split(' appeared')[0])).toEqual(['three/.git/hooks']);
    expect(existsSync(join(place.root, 'three/.git/HEAD'))).toBe(true);
  });
});

describe('links', () => {
  it('security Q4: a link under a protected name leads where it led, and what it leads to is held', async () => {
    await using place = await createSandboxPlace({ 'store/config': '[core]\n', 'store/hooks/a': 'old', other: '' });
    symlinkSync('store', join(place.root, '.git'));
    await run(place, 'echo new > store/hooks/a; echo new > .git/config');
    expect(readFileSync(join(place.root, 'store/hooks/a'), 'utf8')).toBe('old');
    const { notes } = await run(place, 'rm .git; ln -s other .git');
    expect(notes).toEqual([expect.stringMatching(/^\.git appeared and was moved to /)]);
    expect(readlinkSync(join(place.root, '.git'))).toBe('store');
    expect(existsSync(join(place.root, 'other'))).toBe(true);
  });

  it('a folder that became a link is not followed out of the workspace', async () => {
    await using place = await createSandboxPlace();
    mkdirSync(join(place.outside, '.git/hooks'), { recursive: true });
    await run(place, `ln -s ${place.outside} sub`);
    expect(existsSync(join(place.outside, '.git/hooks'))).toBe(true);
  });
});

it('holds a background command to the same, also between other commands', async () => {
  await using place = await createSandboxPlace();
  const { id } = await place.commands.start(
    'until [ -e go ]; do sleep 0.02; done; mkdir .rein; touch done; sleep 79.5',
  );
  place.put('go', '');
  while (!existsSync(join(place.root, 'done'))) await new Promise(setImmediate);
  const { notes } = await run(place, 'true');
  const ended = await place.commands.kill(id);
  expect([existsSync(join(place.root, '.rein')), notes.length, ended?.notes]).toEqual([false, 1, []]);
});
