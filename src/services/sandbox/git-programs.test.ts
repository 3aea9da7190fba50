import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTempWorkspace } from '../../testing/temp-workspace.ts';
import { findGitPrograms, namesProgram } from './git-programs.ts';

const who = ['-c', 'user.name=n', '-c', 'user.email=n@n', '-c', 'protocol.file.allow=always'];
const git = (cwd: string, ...args: string[]) => execFileSync('git', [...who, ...args], { cwd, stdio: 'pipe' });
const look = ['status', 'diff', 'log -p', 'show', 'blame a.txt', 'grep b', 'log --show-signature'];

/** A repository with a changed file, and a program in it that leaves a mark when it is run. */
async function createRepository() {
  const host = createTempWorkspace({ 'a.txt': 'a\n', '.gitattributes': '*.txt diff=x filter=x\n' });
  host.put('run', `#!/bin/sh\ntouch ${host.path('ran')}\ncat\n`);
  execFileSync('chmod', ['+x', host.path('run')]);
  git(host.root, 'init', '-q');
  git(host.root, 'add', '.');
  git(host.root, 'commit', '-qm', 'first');
  host.put('a.txt', 'b\n');
  return host;
}

/** Whether one of the commands that only look ran the program. */
function runs(cwd: string, mark: string): boolean {
  for (const command of look)
    spawnSync('git', ['-c', 'core.pager=cat', ...command.split(' ')], { cwd, stdio: 'ignore', timeout: 5000 });
  return existsSync(mark);
}

describe('security C4, B4: what a repository can make git run when it only looks', () => {
  it.each([
    'core.fsmonitor',
    'diff.external',
    'diff.x.textconv',
    'diff.x.command',
    'filter.x.clean',
    'filter.x.process',
    'include.path',
  ])('%s', async (key) => {
    await using host = await createRepository();
    expect([findGitPrograms(host.root), runs(host.root, host.path('ran'))]).toEqual([undefined, false]);
    host.put('more', `[core]\n\tfsmonitor = ${host.path('run')}\n`);
    git(host.root, 'config', key, key === 'include.path' ? host.path('more') : host.path('run'));
    expect([findGitPrograms(host.root), runs(host.root, host.path('ran'))]).toEqual([host.path('.git/config'), true]);
  });

  it('a hook that reading runs, and the settings above, within and beside a repository', async () => {
    await using host = await createRepository();
    mkdirSync(host.path('deep/er'), { recursive: true });
    writeFileSync(host.path('.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${host.path('ran')}\n`, { mode: 0o755 });
    // Git writes its index again only where the time of a file is another.
    utimesSync(host.path('.gitattributes'), 1, 1);
    expect([findGitPrograms(host.path('deep/er')), runs(host.path('deep/er'), host.path('ran'))]).toEqual([
      ...[host.path('.git/hooks/post-index-change'), true],
    ]);
    rmSync(host.path('.git/hooks/post-index-change'));
    expect(findGitPrograms(host.path('deep/er'))).toBeUndefined();
  });

  it('a repository in the repository, declared or not, and one that is linked', async () => {
    await using other = await createRepository();
    await using host = await createRepository();
    git(host.root, 'submodule', 'add', '-q', other.root, 'sub');
    git(host.root, 'commit', '-qm', 'second', '--', 'sub', '.gitmodules');
    expect(findGitPrograms(host.root)).toBeUndefined();
    git(host.path('sub'), 'config', 'core.fsmonitor', host.path('run'));
    expect([findGitPrograms(host.root), runs(host.root, host.path('ran'))]).toEqual([
      ...[host.path('.git/modules/sub/config'), true],
    ]);
    const linked = join(other.root, 'linked');
    git(other.root, 'worktree', 'add', '-q', linked);
    expect(findGitPrograms(linked)).toBeUndefined();
    git(other.root, 'config', 'diff.external', other.path('run'));
    expect(findGitPrograms(linked)).toBe(other.path('.git/config'));
  });
});

describe('security C4, B4: a repository whose files are those of another folder', () => {
  it.each(['config', 'config.worktree'])('core.worktree in %s', async (file) => {
    await using victim = createTempWorkspace({});
    await using host = await createRepository();
    if (file === 'config.worktree') git(host.root, 'config', 'extensions.worktreeConfig', 'true');
    expect(findGitPrograms(host.root)).toBeUndefined();
    git(host.root, 'config', '--file', host.path(`.git/${file}`), 'core.worktree', victim.root);
    expect(findGitPrograms(host.root)).toBe(host.path(`.git/${file}`));
    // That is what it does.
    git(host.root, 'checkout', '.');
    expect(existsSync(victim.path('a.txt'))).toBe(true);
  });

  it('also by a way up, through a link, and for a repository without a folder around it', async () => {
    await using victim = createTempWorkspace({});
    await using host = await createRepository();
    symlinkSync(victim.root, host.path('link'));
    await using bareHost = await createRepository();
    const ways = [['../..'], ['../link'], ['../not-there'], ['..', true], ['../sub', true]] as const;
    mkdirSync(host.path('sub'));
    for (const [way, isOwn = false] of ways) {
      host.put('.git/config', `[core]\n\tworktree = ${way}\n`);
      expect(findGitPrograms(host.root), way).toBe(isOwn ? undefined : host.path('.git/config'));
    }
    const bare = victim.path('bare');
    git(bareHost.root, 'clone', '-q', '--bare', bareHost.root, bare);
    expect(findGitPrograms(bare)).toBeUndefined();
    git(bare, 'config', 'core.bare', 'false');
    git(bare, 'config', 'core.worktree', host.root);
    expect(findGitPrograms(bare)).toBe(join(bare, 'config'));
  });

  it('a folder of git that lies apart names the folder it belongs to', async () => {
    await using host = createTempWorkspace({});
    mkdirSync(host.path('w'));
    git(host.path('w'), 'init', '-q', `--separate-git-dir=${host.path('apart')}`);
    git(host.path('w'), 'config', 'core.worktree', host.path('w'));
    expect(findGitPrograms(host.path('w'))).toBeUndefined();
  });
});

it.each([
  '[core]worktree=/x',
  '[CORE]\n\tWorkTree = "../x"',
  '[core]fsmonitor=./x',
  '[CORE]\n FsMonitor = "./x"',
  '[core] # note\n\tfsmon\\\nitor = x',
  '[filter "lfs"]\n\tclean = "git-lfs clean -- %f; ./x"',
  '[alias]\n\tst = !./x',
  '[diff "a.b"]\n\tcommand = x',
  '[gpg "ssh"]\n\tprogram = x',
  '[credential]\n\thelper = x',
  '[includeIf "gitdir:/"]\n\tpath = x',
  '[core]\n\tpager = x',
  '[core]\n\tsshCommand = x',
  'no section = x',
  '[core\n\tx = y',
  '[remote "o"]\n\turl = ext::sh -c x',
])('takes %j for settings that name a program', (text) => {
  expect(namesProgram(text)).toBe(true);
});

it.each([
  '',
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n[remote "origin"]\n\turl = git@host:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  '[branch "main"]\n\trebase = true # always\n[pull]\n\tff = only\n',
  '[core]\n\tfsmonitor = true\n\tpager = less\n[alias]\n\tst = status\n',
  '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n',
  '[submodule "a"]\n\tactive = true\n\turl = https://host/a\n',
])('leaves %j alone', (text) => {
  expect(namesProgram(text)).toBe(false);
});
