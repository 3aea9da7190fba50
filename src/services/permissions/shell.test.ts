import { describe, expect, test } from 'vitest';
import { exactPattern, isExact, textJudge } from './shell.ts';

const place = { cwd: '/w/proj', home: '/home/u/.rein', userHome: '/home/u' };

describe('covers', () => {
  test('case P22: an allowed command with anything added is not covered', () => {
    for (const pattern of ['wc *', 'wc:*', 'wc*', '*']) {
      const commands = [
        ...['wc -l n.txt && rm -rf build', 'wc n.txt; rm -rf build', 'wc n.txt | sh', 'wc n.txt\nrm -rf build'],
        ...['wc $(rm -rf build)', 'wc n.txt > keep.txt', 'wc n.txt & rm x', 'wc `rm x`', 'wc "$(rm x)"', 'wc <(rm x)'],
        ...['wc $A$(rm x)', 'wc $A', 'wc n.txt\r\nrm x', 'A=1 wc n.txt', 'wc n.txt # x', 'wc \\\nrm', "wc 'open"],
        ...['wc {a,b}', 'wc !!', 'wc\u2028rm', 'wc \u202e', '(wc n.txt)'],
      ];
      expect(
        commands.filter((command) => textJudge.covers(command, pattern)),
        pattern,
      ).toEqual([]);
    }
    expect(
      ['wc -l n.txt', 'wc', ' wc  -l\tn.txt ', 'wc "two words" x', "wc 'a'"].every((command) =>
        textJudge.covers(command, 'wc *'),
      ),
    ).toBe(true);
    expect(
      ['wcx', 'wcx n.txt', 'wc-l', 'xwc', '/bin/wc', 'WC x', '"wc" x', "'wc' x", ''].filter((command) =>
        textJudge.covers(command, 'wc *'),
      ),
    ).toEqual([]);
  });

  test('security B7, B9: assignments, longer words and other options are not covered', () => {
    expect(
      ['LD_PRELOAD=x git log', 'PAGER=x git log', 'npm testx', 'npm test --script-shell=x', 'npm test; curl x'].filter(
        (command) => {
          return textJudge.covers(command, 'git log') || textJudge.covers(command, 'npm test');
        },
      ),
    ).toEqual([]);
  });

  test('an exact pattern is the text itself, also with operators', () => {
    for (const command of ['a && b', 'ls *.ts', 'x \\* y', 'echo "$A"', 'a\nb', '*', '\\']) {
      expect(isExact(exactPattern(command))).toBe(true);
      expect(textJudge.covers(command, exactPattern(command)), command).toBe(true);
      expect(textJudge.covers(`${command}x`, exactPattern(command))).toBe(false);
    }
    expect(isExact('a *') || isExact('\\\\*')).toBe(false);
  });

  test('a star in the middle', () => {
    expect(['git push origin', 'git a b origin'].map((command) => textJudge.covers(command, 'git * origin'))).toEqual([
      true,
      true,
    ]);
    expect(textJudge.covers('git push', 'git * origin')).toBe(false);
    expect(textJudge.covers('a.c', 'a?c *')).toBe(false);
  });
});

describe('touches', () => {
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
      ...['rm$IFS-rf', '{ rm x; }', 'a|rm x', 'a&rm x', 'timeout 5 rm x', 'find . -exec rm x', '! rm x'],
    ];
    for (const pattern of ['rm *', 'rm', 'rm:*']) {
      expect(
        commands.filter((command) => !textJudge.touches(command, pattern)),
        pattern,
      ).toEqual([]);
    }
    expect(['ls', 'rmdir x', 'warm x', 'ls rm.txt'].filter((command) => textJudge.touches(command, 'rm *'))).toEqual(
      [],
    );
  });

  test('several words, in order, with others between', () => {
    expect(
      ['git push', 'git -C x push origin', 'cd a && git push'].map((command) =>
        textJudge.touches(command, 'git push *'),
      ),
    ).toEqual([true, true, true]);
    expect(
      ['git pull', 'push git', 'git status; npm push'].filter((command) => textJudge.touches(command, 'git push *')),
    ).toEqual([]);
    expect(textJudge.touches('curl https://x.test/a', 'curl *x.test*')).toBe(true);
    expect(textJudge.touches('anything', '*')).toBe(true);
  });
});

describe('isReadOnly', () => {
  test('reading inside the folder', () => {
    const commands = [
      'ls',
      'ls -la src',
      'cat a.ts',
      'head -n 5 a',
      'wc -l a b',
      'grep -rn "x y" src',
      'git log --oneline -5',
      'pwd',
      'find . -name "*.ts" -type f',
      'cat /w/proj/a',
      'git branch --show-current',
      'tail -n 20 a',
    ];
    expect(commands.filter((command) => !textJudge.isReadOnly(command, place))).toEqual([]);
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
        'git branch -d x',
      ],
      ...[
        'cat ../x',
        'cat /etc/passwd',
        'cat ~/.bashrc',
        'cat .env',
        'cat src/../../x',
        'grep -f/etc/x a',
        'grep --file=/etc/x a',
        'tail -f a',
      ],
      ...[
        'env',
        'xargs cat',
        'tee x',
        'sed -n w a',
        'rg --pre x a',
        'tar x',
        './ls',
        '/bin/ls',
        'A=1 ls',
        'ls $A',
        '',
        'git',
        'constructor',
      ],
    ];
    expect(commands.filter((command) => textJudge.isReadOnly(command, place))).toEqual([]);
  });
});
