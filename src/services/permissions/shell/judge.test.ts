import { beforeAll, describe, expect, test } from 'vitest';
import { closedJudge, createShellJudge, needsMark, type ShellJudge } from './judge.ts';
import { exactPattern, isExact } from './patterns.ts';
import { loadShellParser } from './tree.ts';

const place = { cwd: '/w/proj', home: '/home/u/.rein', userHome: '/home/u' };
let judge: ShellJudge;
beforeAll(async () => {
  judge = createShellJudge({ parse: await loadShellParser() });
});

const covered = (commands: readonly string[], ...patterns: string[]) =>
  commands.filter((command) => judge.cover(command, patterns) !== undefined);
const untouched = (commands: readonly string[], pattern: string) =>
  commands.filter((command) => judge.touches(command, pattern) !== 'yes');

describe('what an allow rule covers', () => {
  test('case P22, security B1, B2, B6, B7: a command with anything added is not covered', () => {
    const commands = [
      ...['wc -l n.txt && rm -rf build', 'wc n.txt; rm -rf build', 'wc n.txt | sh', 'wc n.txt\nrm -rf build'],
      ...['wc $(rm -rf build)', 'wc n.txt & rm x', 'wc `rm x`', 'wc "$(rm x)"', 'wc <(rm x)', 'wc >(rm x)'],
      ...[`wc \${A:-$(rm x)}`, 'wc <<E\n$(rm x)\nE', 'wc <<E\n`rm x`\nE', 'wc || rm x', 'wc $A', 'A=1 wc n.txt'],
      ...['LD_PRELOAD=x wc n', 'export A=1; wc', 'A=1; wc', 'wc() { rm x; }; wc', "wc 'open", 'wc {a,b}', 'wc a{1..3}'],
      ...[
        'wc n.txt\r\nrm x',
        'wc\u2028rm',
        'wc \u202e',
        'wc\u00a0x',
        'wc \x08',
        '',
        '   ',
        '# wc',
        'sudo wc x',
        'xargs wc',
      ],
      ...['"wc" x', "'wc' x", 'w\\c x', 'WC x', '/bin/wc x', './wc x', 'wcx', 'wcx n.txt', 'wc-l', 'xwc', '$W x'],
      ...[
        'find . -exec wc {} +',
        'watch wc x',
        'eval "wc $A"',
        'bash -i -c "wc x"',
        'zsh -c "wc x"',
        'wc </dev/tcp/h/1',
      ],
    ];
    for (const pattern of ['wc *', 'wc:*']) expect(covered(commands, pattern), pattern).toEqual([]);
    expect(covered(commands, 'wc*').filter((command) => !command.startsWith('wc'))).toEqual([]);
  });

  test('each part may have a rule of its own; what only wraps is taken off', () => {
    const fine = [
      ...['wc', ' wc  -l\tn.txt ', 'wc "two words" x', "wc 'a' # note", 'wc \\\n x', '(wc x)', '{ wc x; }', '! wc x'],
      ...['wc a && wc b', 'wc a | npm test', 'if wc a; then npm test; fi', 'for f in a b; do wc x; done', 'wc *.ts'],
      ...[
        'timeout 5 wc x',
        'nice -n 5 nohup wc x',
        'bash -c "wc x; npm test"',
        'env wc x',
        'time wc x',
        'command wc x',
      ],
      ...['wc x 2>&1 >/dev/null', 'while wc x; do npm test; done', 'case a in a) wc x;; esac', "wc <<'E'\n$(rm)\nE"],
      ...['wc x & npm test', 'wc x |& wc', 'echo() { wc; }'].slice(0, 2),
    ];
    expect(fine.filter((command) => !judge.cover(command, ['wc *', 'npm test']))).toEqual([]);
    expect(covered(['wc a && npm testx', 'wc a; npm test y'], 'wc *', 'npm test')).toEqual([]);
  });

  test('a star spans words, but no word can imitate several', () => {
    expect(covered(['git push origin', 'git push b origin', 'git push "b c" origin'], 'git * origin')).toHaveLength(3);
    expect(covered(['git push', 'git push "x origin"', 'git push origin2'], 'git * origin')).toEqual([]);
    expect(covered(['ab*', 'abc'], 'ab\\*')).toEqual(['ab*']);
  });

  test('security B3: interpreters have no rule with a star unless it is marked; wrappers have none at all', () => {
    const programs = [
      'python',
      'python3.12',
      'node',
      'perl',
      'ruby',
      'sh',
      'bash',
      'awk',
      'npx',
      'docker',
      'ssh',
      'vim',
    ];
    for (const program of programs) {
      expect(covered([`${program} x`, `${program} -c x`, `${program} -e x`], `${program} *`), program).toEqual([]);
      expect(covered([`${program} x`], `dangerous:${program} *`), program).toHaveLength(1);
      expect([needsMark(`${program} *`), needsMark(`${program} x.py *`)]).toEqual([true, false]);
    }
    expect(covered(['python x', 'node -e x', 'awk x', 'bash x', 'docker run x'], '*')).toEqual([]);
    expect(covered(['python x.py a', 'python -m pytest a'], 'python x.py *', 'python -m pytest *')).toHaveLength(2);
    expect(covered(['python -c x', 'python y.py'], 'python x.py *', 'python -c *', 'python -m *')).toEqual([]);
    for (const program of ['env', 'xargs', 'timeout 5', 'nohup', 'nice', 'sudo', 'command', 'time']) {
      expect(covered([`${program} rm x`, `${program} sh -c 'rm x'`], `${program} *`), program).toEqual([]);
    }
  });

  test('security B4: options that make a harmless program another one', () => {
    const cases: Record<string, string[]> = {
      find: ['find . -exec rm {} +', 'find . -delete', 'find . -fprint x', 'find . -ok rm {} \\;', 'find *'],
      git: [
        ...[
          'git -c alias.x=!sh x',
          'git grep -O x',
          'git log --output=f',
          'git x',
          'git --exec-path=. log',
          'git config a b',
        ],
        ...['git fetch ext::sh', 'git fetch --upload-pack=x', 'git diff --ext-diff', 'git bisect run x', 'git -Cx y'],
      ],
      sort: ['sort -o f a', 'sort --output=f a', 'sort -uo f a', 'sort --compress-program=x a'],
      sed: [
        'sed -n w',
        "sed 's/a/b/e' f",
        "sed 's/a/b/w x' f",
        'sed -i s/a/b/ f',
        'sed -f x f',
        "sed '1e rm' f",
        'sed -n -e p -e "w x" f',
      ],
      rg: ['rg --pre x a', 'rg --pre=x a', 'rg -z a'],
      tar: ['tar --checkpoint-action=exec=x cf a b', 'tar xIf x a', 'tar --to-command=x xf a', 'tar cf a *'],
      npm: ['npm test --script-shell=x', 'npm exec x', 'npm config set x y'],
      curl: ['curl -o f x', 'curl -sSLo f x', 'curl --output f x', 'curl -K f', 'curl -d @f x', 'curl -T f x'],
    };
    for (const [program, commands] of Object.entries(cases)) {
      expect(covered(commands, `${program} *`, '*'), program).toEqual([]);
    }
    const fine = [
      'find . -name "*.ts"',
      'git log -5',
      'sort -u a',
      'sed -n 5,9p f',
      'sed s/a/b/g f',
      'rg x',
      'tar tf a',
      'npm test',
      'curl -sS x',
    ];
    expect(covered(fine, ...Object.keys(cases).map((program) => `${program} *`))).toEqual(fine);
    // Who writes the option into the rule means it.
    expect(covered(['find . -delete', 'sort -o f a'], 'find * -delete', 'sort -o *')).toHaveLength(2);
  });

  test('an exact pattern is the text itself, also with operators', () => {
    for (const command of ['a && b', 'ls *.ts', 'x \\* y', 'echo "$A"', 'a\nb', '*', '\\', 'python -c x > f']) {
      expect(isExact(exactPattern(command))).toBe(true);
      expect(judge.cover(command, [exactPattern(command)])?.exact, command).toBe(true);
      expect(judge.cover(`${command}x`, [exactPattern(command)])).toBeUndefined();
      expect(closedJudge.cover(command, [exactPattern(command)])?.exact).toBe(true);
    }
    expect(isExact('a *') || isExact('\\\\*')).toBe(false);
  });

  test('security B5: what does not parse, has no name or too many parts is unclear and covered by nothing', () => {
    const many = (count: number) => Array(count).fill('wc x').join('; ');
    const commands = [
      "wc 'a",
      'wc ((',
      '$W x',
      '"$W" x',
      "$'wc' x",
      '{wc,x}',
      '`wc` x',
      many(51),
      many(500),
      'eval $A',
      'bash -c "$A"',
    ];
    expect(commands.filter((command) => !judge.isUnclear(command))).toEqual([]);
    expect(covered(commands, 'wc *', '*')).toEqual([]);
    expect(judge.touches(`${many(500)}; rm x`, 'rm *')).toBe('yes');
    expect(judge.touches(many(51), 'rm *')).toBe('maybe');
    expect([judge.isUnclear(many(50)), covered([many(50)], 'wc *')]).toEqual([false, [many(50)]]);
  });

  test('security B10: a program that is not the system’s is not covered', async () => {
    const shadowed = createShellJudge({ parse: await loadShellParser(), isShadowed: (name) => name === 'git' });
    expect(shadowed.cover('git log', ['git log'])).toMatchObject({ exact: true });
    expect(shadowed.cover('git log -5', ['git log *'])).toBeUndefined();
    expect(shadowed.cover('wc x; git log', ['wc *', 'git *'])).toBeUndefined();
    expect(shadowed.isReadOnly('git log', place)).toBe(false);
  });
});

describe('what a deny rule touches', () => {
  test('security B8, B2, B3: a denied command is found wherever it may run', () => {
    const commands = [
      ...[
        'rm x',
        'rm',
        'a && (b; echo $(rm x))',
        'if true; then rm x; fi',
        'echo `rm x`',
        'echo "$(rm x)"',
        'cat <(rm x)',
      ],
      ...[
        'env sh -c "rm x"',
        'xargs rm',
        'sudo rm x',
        'A=1 rm x',
        '/bin/rm x',
        'r\\m x',
        "'rm' x",
        '"r"m x',
        'RM x',
        'a\nrm x',
      ],
      ...[
        'rm$IFS-rf',
        '{ rm x; }',
        'a|rm x',
        'a&rm x',
        'timeout 5 rm x',
        'find . -exec rm x',
        '! rm x',
        '>f rm x',
        'foo rm x',
      ],
      ...[
        'cat <<E\n$(rm x)\nE',
        'cat <<E\n`rm x`\nE',
        'cat <<E | rm x\nE',
        "bash <<'E'\nrm x\nE",
        'eval "rm x"',
        'trap "rm x" EXIT',
      ],
      ...[
        'f() { rm x; }; f',
        'while read x; do rm $x; done',
        'case a in a) rm x;; esac',
        `\${A:-$(rm x)}`,
        'coproc rm x',
        'rm\t-rf x',
      ],
      ...[
        'python -c \'os.system("rm x")\'',
        "git -c alias.x='!rm x' x",
        'busybox rm x',
        'parallel rm ::: x',
        'env -S "rm x"',
        'exec rm x',
      ],
      ...[
        "bash -lc 'rm x'",
        'find . -ok rm {} \\;',
        'ssh host rm x',
        'docker run x rm y',
        "[[ -v 'a[$(rm x)]' ]]",
        "printf -v 'a[$(rm x)]' 1",
      ],
      ...[
        'rm\\\n x',
        'npx rm x',
        'command rm x',
        'stdbuf -o0 rm x',
        'strace -f rm x',
        'su -c "rm x"',
        'watch rm x',
        'bash -c \'bash -c "rm x"\'',
      ],
    ];
    for (const pattern of ['rm *', 'rm', 'rm:*', 'r*']) expect(untouched(commands, pattern), pattern).toEqual([]);
  });

  test('security B2: what is only text is no command', () => {
    const commands = [
      'ls',
      'rmdir x',
      'warm x',
      'ls rm.txt',
      'echo rm',
      'echo "rm x"',
      "cat <<'E'\n$(rm x)\nE",
      'git commit -m "rm x"',
    ];
    expect(commands.filter((command) => judge.touches(command, 'rm *') !== 'no')).toEqual([]);
  });

  test('several words, in order, with others between', () => {
    expect(untouched(['git push', 'git -C x push origin', 'cd a && git push', 'git push'], 'git push *')).toEqual([]);
    expect(
      ['git pull', 'push git', 'git status; npm push'].map((command) => judge.touches(command, 'git push *')),
    ).toEqual(Array(3).fill('no'));
    expect(untouched(['curl https://x.test/a'], 'curl *x.test*')).toEqual([]);
    expect(untouched(['anything'], '*')).toEqual([]);
    expect(judge.touches('git $A origin', 'git push *')).toBe('maybe');
    expect(untouched(['timeout 5 ls', 'sudo ls'], 'timeout *')).toEqual(['sudo ls']);
  });
});

describe('what only reads', () => {
  test('reading inside the folder', () => {
    const commands = [
      ...[
        'ls',
        'ls -la src',
        'cat a.ts',
        'head -n 5 a',
        'wc -l a b',
        'grep -rn "x y" src',
        'git log --oneline -5',
        'pwd',
      ],
      ...['find . -name "*.ts" -type f', 'cat /w/proj/a', 'git branch --show-current', 'tail -n 20 a', 'ls | wc -l'],
      ...[
        'cat a && head b',
        'for f in a; do cat a; done',
        'timeout 5 cat a',
        'sort -u a',
        'ls *.ts',
        'cat a 2>/dev/null',
      ],
    ];
    expect(commands.filter((command) => !judge.isReadOnly(command, place))).toEqual([]);
  });

  test('security B4, P6: what writes, runs, leaves the folder or cannot be told is not', () => {
    const commands = [
      ...[
        'rm x',
        'ls; rm x',
        'cat a > b',
        'find . -delete',
        'find . -exec rm x',
        'find . -fprint x',
        'sort -o f a',
        'uniq a b',
      ],
      ...[
        'git push',
        'git -c alias.x=!sh x',
        'git log --output=f',
        'git log --ext-diff',
        'git grep -O x',
        'git branch new',
      ],
      ...[
        'git branch -d x',
        'cat ../x',
        'cat /etc/passwd',
        'cat ~/.bashrc',
        'cat .env',
        'cat src/../../x',
        'grep -f/etc/x a',
      ],
      ...[
        'grep --file=/etc/x a',
        'tail -f a',
        'env',
        'xargs cat',
        'tee x',
        'sed -n w a',
        'rg --pre x a',
        'tar x',
        './ls',
      ],
      ...[
        '/bin/ls',
        'A=1 ls',
        'ls $A',
        '',
        'git',
        'constructor',
        'ls $(rm x)',
        'cat <(rm x)',
        'sudo ls',
        'cat < /etc/x',
        'ls ../*',
      ],
    ];
    expect(commands.filter((command) => judge.isReadOnly(command, place))).toEqual([]);
  });
});

describe('files', () => {
  const files = (command: string) => judge.files(command, place);
  test('security B6: targets of redirections, and what programs that write are given', () => {
    expect(files('echo x > ~/.bashrc').writes).toEqual(['/home/u/.bashrc']);
    expect(files('cd .git && echo x >> config').writes).toContain('/w/proj/.git/config');
    expect(files('bash -c "echo x > .git/hooks/y"').writes).toEqual(['/w/proj/.git/hooks/y']);
    expect(files('x 2>f &>g <h').redirects).toEqual([
      { path: '/w/proj/f', writes: true },
      { path: '/w/proj/g', writes: true },
      { path: '/w/proj/h', writes: false },
    ]);
    expect(files('git log >&2 2>&1 > /dev/null').redirects).toEqual([]);
    expect(files('x > $F').redirects).toEqual([{ path: undefined, writes: true }]);
    for (const command of [
      'cp a .git/x',
      'tee .git/x',
      'dd of=.git/x',
      'sed -i s/a/b/ .git/x',
      'mv a .git/x',
      'rm .git/x',
    ]) {
      expect(files(command).writes, command).toContain('/w/proj/.git/x');
    }
  });

  test('what is read, also behind an option or a pattern', () => {
    for (const command of [
      'cat .env',
      'cat ./.env',
      'cat .en?',
      'cat .e*',
      'grep x --file=.env',
      'source .env',
      'cp .env x',
      'foo -f.env',
    ]) {
      expect(files(command).reads, command).toContain('/w/proj/.env');
    }
    expect(files('npm test').reads).toEqual([]);
    expect(files('echo .env').reads).toEqual([]);
  });
});

test('without a parser only what is written out is allowed, and nothing is sure', () => {
  expect(closedJudge.cover('wc x', ['wc *'])).toBeUndefined();
  expect([closedJudge.touches('a; rm x', 'rm *'), closedJudge.touches('wc', 'rm *')]).toEqual(['yes', 'maybe']);
  expect([closedJudge.isReadOnly('ls', place), closedJudge.isUnclear('ls')]).toEqual([false, true]);
});

test('security L5: no pattern makes a long command slow to judge', () => {
  const command = `echo ${'a'.repeat(50_000)}`;
  const started = performance.now();
  expect(judge.cover(command, ['echo *a*a*a*a*a*a*a*b'])).toBeUndefined();
  expect(judge.touches(command, 'echo *a*a*a*a*a*a*a*b')).toBe('no');
  expect(performance.now() - started).toBeLessThan(1000);
});
