import { beforeAll, describe, expect, test } from 'vitest';
import { createShellJudge, type ShellJudge } from './judge.ts';
import { loadShellParser } from './tree.ts';

let judge: ShellJudge;
beforeAll(async () => {
  judge = createShellJudge({ parse: await loadShellParser() });
});

const programs =
  `git echo npm wc find sort sed tar rg grep make curl wget rsync env xargs time timeout command ls cat cd test printf
  go cargo jq awk man export read zip fd split gcc apt cmake hg ip bundle ssh-keygen openssl select trap set exec enable
  hash mapfile builtin coproc alias function watch flock setsid unshare parallel busybox nohup nice`.split(/\s+/);
const allowed = programs.map((program) => `${program} *`);

function coveredOf(commands: readonly string[]): string[] {
  return commands.filter((command) => judge.cover(command, allowed) !== undefined);
}

function touchesOf(commands: readonly string[]): string[] {
  return commands.filter((command) => judge.touches(command, 'rm *') === 'no');
}

describe('security B1, B2, B3: rm in disguise is covered by no rule for other programs, and no deny rule overlooks it', () => {
  test.each([
    ['line ends', ['echo x\nrm y', 'echo a \\\n&& rm x', 'r\\\nm x', 'echo x &\nrm y', 'ls\r\nrm x\n', 'ls # x\nrm y']],
    ['quotes', ["$'rm' x", "$'\\x72m' x", '$"rm" x', '"r"m x', "r'm' x", '\\rm x', '"$(echo rm)" x', '`echo rm` x']],
    ['patterns', ['r? x', '/bin/r? x', '/bin/r* x', '[r]m x', '@(rm) x', '{rm,x}', 'sudo /bin/r? x', 'xargs r* x']],
    [
      'variables',
      ['a=rm; $a x', 'IFS=m; r$IFS x', `"$\{x:=rm}" x`, 'set -- rm x; "$@"', '$@ x', `a=(rm x); "$\{a[@]}"`],
    ],
    [
      'redefined',
      ['alias ls=rm; ls x', 'ls() { rm "$@"; }; ls x', 'function ls { rm x; }\nls', 'hash -p /bin/rm ls; ls'],
    ],
    ['substituted', ['echo <(rm x)', 'echo >(rm x)', 'echo {a,$(rm x)}', 'echo $((a[$(rm x)]))', 'ls $[ $(rm x) ]']],
    ['evaluated', ["test -v 'a[$(rm x)]'", "printf -v 'a[$(rm x)]' y", "let 'a[$(rm x)]=1'", "read 'a[$(rm x)]'"]],
    [
      'heard',
      ["bash <<< 'rm x'", 'cat <<< "$(rm x)"', 'cat <<A\n$(rm x)\nA', 'cat <<-A\n\t`rm x`\n\tA', 'sh <<A\nrm x\nA'],
    ],
    ['nested', [`sh -c "sh -c 'sh -c \\"rm x\\"'"`, "builtin eval 'rm x'", "trap 'rm x' EXIT", "bash -lc 'rm x'"]],
    ['split', ["env -S 'rm x'", "env -iS 'rm x'", "env --split-string='rm x'", "env -vS'rm x'"]],
    [
      'wrapped',
      ['command rm x', 'busybox rm x', 'coproc rm x', 'time -p rm x', 'nohup rm x', 'sudo -u me rm x', 'exec rm x'],
    ],
    [
      'wrapped more',
      ['setsid -w rm x', "watch 'rm x'", "flock f -c 'rm x'", 'chpst -u x rm x', 'fakeroot rm x', 'nice rm x'],
    ],
    [
      'loaded',
      [
        '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
        'npm exec -- rm x',
        'npx rm x',
        'bundle exec rm',
        'ip netns exec x rm y',
      ],
    ],
    [
      'fed',
      ['echo x | xargs -I{} rm {}', 'xargs -a list rm', 'parallel rm ::: x', 'find . -exec rm {} +', 'fd -Hx rm'],
    ],
    [
      'called back',
      ["mapfile -C 'rm x' -c 1 a", "split --filter='rm x' f", "git -c alias.x='!rm' x", 'make SHELL=/bin/rm'],
    ],
    ['in a value', ['GIT_PAGER=rm git log', "PAGER='rm x' git log", 'export GIT_EDITOR=\'sh -c "rm x"\'; git commit']],
    ['in a value before', ['GIT_EDITOR="rm x"; export GIT_EDITOR; git commit', "declare -x PAGER='rm x'; git log"]],
    ['in loops', ['for i in $(rm x); do echo; done', 'case $(rm x) in *) ls;; esac', 'select x in a; do rm x; done']],
  ])('%s', (_, commands) => {
    expect(coveredOf(commands)).toEqual([]);
    expect(touchesOf(commands)).toEqual([]);
  });

  test('what only looks like it is denied by no rule', () => {
    const plain = [
      "echo '$(rm x)'",
      'echo "\\`rm x\\`"',
      'ls \\; rm x',
      'echo x # rm y',
      "echo 'a\nrm x'",
      'ls {fd}> f',
    ];
    expect(coveredOf(plain)).toEqual(plain);
    expect(touchesOf([...plain, 'CI=1 git commit -m "rm old"', 'A=1 echo rm'])).toHaveLength(8);
  });
});

describe('security B4: an option counts under each name the program knows it by', () => {
  test('shortened, with one dash, among other letters', () => {
    expect(
      coveredOf([
        ...[
          'git grep --open=rm x',
          'git log --outp=x',
          'git fetch --upload-p=rm x',
          'git diff --ext-d',
          'git --exec-p=. log',
        ],
        ...['sort --compress-prog=x y', 'sort --outp=x y', 'tar --checkpoint-act=exec=x -cf a b', 'tar --to-c=x -xf a'],
        ...[
          'sed --in-pl s/a/b/ x',
          'sed --fil=x y',
          'curl --outp x y',
          'wget --exec=x y',
          'rsync --rs=x a b:',
          'make --eva=x',
        ],
        ...[
          'npm test --script-she=x',
          'npm test -script-shell=x',
          'npm --pre=/o test',
          'npm test -C /o',
          'jq --from-f=x',
        ],
        ...['go build --toolexec=x', 'go test -exec x', 'go env -w GOFLAGS=x', 'gcc -wrapper x,y a.c', 'gcc @file'],
        ...[
          'apt -o APT::x=y update',
          'cmake -P x',
          'cmake -E rm x',
          "hg --config alias.x='!y' x",
          'ssh-keygen -D ./x.so',
        ],
        ...[
          'openssl engine ./x.so',
          'curl file:///etc/passwd',
          'curl FILE:///etc/passwd',
          'git cat-file --filters HEAD:x',
        ],
      ]),
    ).toEqual([]);
  });

  test('git in another folder takes that folder’s settings', () => {
    expect(
      coveredOf(['git -C sub status', 'cd sub && git status', 'cd sub; ls; git log', 'git clone -c a.b=c x']),
    ).toEqual([]);
    expect(judge.cover('cd sub && git status', ['cd *', 'dangerous:git *'])).toBeDefined();
    expect(judge.cover('git -C sub status', ['git -C sub *'])).toBeDefined();
  });

  test('usual options pass', () => {
    const usual = [
      ...[
        'git switch -c new',
        'git log -C -p',
        'git commit -C HEAD',
        'git --no-pager log --oneline',
        'git merge --continue',
      ],
      ...[
        'git diff --stat --exit-code',
        'rg --pretty x',
        'curl -sS -d a=b https://x.test',
        'sort -u --reverse a',
        'tar tf a',
      ],
      ...[
        'npm run build -- --watch',
        'make -j4 test',
        'go test ./...',
        'cargo test',
        'gcc -O2 -o a a.c',
        'cd sub && ls',
      ],
    ];
    expect(coveredOf(usual)).toEqual(usual);
  });
});

test('security B8: a deny rule for words counts where a file may be called like one of them', () => {
  expect(judge.touches('git pu?h origin', 'git push *')).toBe('maybe');
  expect(judge.touches('git add *.ts', 'git push *')).toBe('no');
});
