import { beforeAll, describe, expect, test } from 'vitest';
import type { PermissionMode } from '../../protocol/config.ts';
import type { Risk } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { decide, type PermissionQuestion, type SandboxLevel } from './decide.ts';
import { explainRefusal } from './explain.ts';
import { createShellJudge, type ShellJudge } from './shell/judge.ts';
import { loadShellParser } from './shell/tree.ts';

const risks: Record<string, Risk> = {
  ...{ read_file: 'read', ls: 'read', glob: 'read', grep: 'read', write_file: 'write', edit_file: 'write' },
  ...{ bash: 'execute', web_fetch: 'network', write_todos: 'read', task: 'execute', bash_control: 'execute' },
};

let shell: ShellJudge;
beforeAll(async () => {
  shell = createShellJudge({ parse: await loadShellParser() });
});

function ask(
  tool: string,
  input: JsonObject,
  given: Partial<Omit<PermissionQuestion, 'rules' | 'call'>> & {
    allow?: string[];
    ask?: never;
    askRules?: string[];
    deny?: string[];
    risk?: Risk;
  } = {},
) {
  const { allow = [], askRules = [], deny = [], risk = risks[tool] ?? 'read', ...rest } = given;
  return decide({
    shell,
    mode: 'default',
    grants: [],
    sandbox: 'proven',
    interactive: true,
    cwd: '/w/proj',
    home: '/home/u/.rein',
    userHome: '/home/u',
    rules: { allow, ask: askRules, deny },
    call: { tool, risk, input },
    ...rest,
  });
}

const bash = (command: string, given: Parameters<typeof ask>[2] = {}) => ask('bash', { command }, given);
const verdicts = (decisions: { verdict: string }[]) => decisions.map(({ verdict }) => verdict);

describe('modes', () => {
  const calls: [string, string, JsonObject][] = [
    ['read inside', 'read_file', { file_path: 'a.ts' }],
    ['read outside', 'read_file', { file_path: '../x' }],
    ['write inside', 'write_file', { file_path: '/w/proj/a.ts', content: '' }],
    ['write outside', 'edit_file', { file_path: '/w/proj-evil/a' }],
    ['protected', 'write_file', { file_path: '.git/hooks/x' }],
    ['command', 'bash', { command: 'npm test' }],
    ['reading command', 'bash', { command: 'wc -l a.ts' }],
    ['network', 'web_fetch', { url: 'https://x.test/a' }],
    ['mcp', 'mcp__s__t', {}],
    ['todos', 'write_todos', { todos: [] }],
  ];
  const expected: Record<PermissionMode, string> = {
    default: 'allow ask ask ask ask ask ask ask ask allow',
    acceptEdits: 'allow ask allow ask ask allow allow ask ask allow',
    plan: 'allow ask deny deny deny deny allow ask deny allow',
    dontAsk: 'allow deny deny deny deny deny deny deny deny allow',
    bypassPermissions: 'allow allow allow allow ask allow allow allow allow allow',
  };

  test.each(Object.entries(expected))('%s', (mode, row) => {
    const given = { mode: mode as PermissionMode };
    expect(verdicts(calls.map(([, tool, input]) => ask(tool, input, given))).join(' ')).toBe(row);
    // Headless, what would ask is refused, for want of somebody to ask.
    const headless = calls.map(([, tool, input]) => ask(tool, input, { ...given, interactive: false }));
    expect(verdicts(headless).join(' ')).toBe(row.replaceAll('ask', 'deny'));
    for (const [index, word] of row.split(' ').entries()) {
      const refusal = word === 'ask' ? 'nobody' : word === 'deny' ? 'rule' : undefined;
      expect(headless[index]!.refusal, calls[index]![0]).toBe(refusal);
    }
  });

  test('security I4: the text of a refusal says that nobody can be asked and what to do', () => {
    const decision = bash('npm test', { interactive: false });
    expect(explainRefusal('bash', decision)).toBe(
      'bash was not run: it needs approval, and nobody can be asked in this run. Do not try it again or in another form; do what is possible without it and say at the end what was left out.',
    );
  });

  test('tools without effects pass unless a rule names them', () => {
    for (const tool of ['write_todos', 'use_skill', 'task', 'task_control', 'ask_user', 'bash_control']) {
      for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const) {
        const given = { mode, risk: 'execute' as const };
        expect(ask(tool, {}, given)).toMatchObject({ verdict: 'allow' });
        expect(ask(tool, {}, { ...given, deny: [tool] })).toMatchObject({
          verdict: 'deny',
          why: 'denyRule',
          rule: tool,
        });
      }
      expect(ask(tool, {}, { askRules: [tool] }).verdict).toBe('ask');
    }
  });
});

describe('sandbox levels', () => {
  const levels: SandboxLevel[] = ['proven', 'external', 'none', 'off'];
  const row = (given: Parameters<typeof ask>[2]) =>
    levels.map((sandbox) => bash('npm test', { ...given, sandbox }).verdict).join(' ');

  test('what a mode lets run needs a sandbox that holds', () => {
    expect(row({ mode: 'acceptEdits' })).toBe('allow allow ask ask');
    expect(row({ mode: 'bypassPermissions' })).toBe('allow allow ask allow');
    expect(levels.map((sandbox) => bash('ls', { sandbox, mode: 'plan' }).verdict).join(' ')).toBe(
      'allow allow ask ask',
    );
  });

  test('without a proven sandbox only rules for the exact command count, and headless refuses each command', () => {
    expect(row({ allow: ['bash(npm *)'] })).toBe('allow allow ask allow');
    expect(row({ allow: ['bash'] })).toBe('allow allow ask allow');
    expect(row({ allow: ['bash(npm *)', 'bash(npm test)'] })).toBe('allow allow allow allow');
    expect(row({ grants: ['bash(npm test)'] })).toBe('allow allow allow allow');
    const headless = { allow: ['bash(npm test)'], interactive: false };
    expect(row(headless)).toBe('allow allow deny allow');
    expect(bash('npm test', { ...headless, sandbox: 'none' })).toMatchObject({ refusal: 'nobody', why: 'noSandbox' });
    expect(row({ ...headless, mode: 'bypassPermissions' })).toBe('allow allow deny allow');
  });
});

describe('rules', () => {
  test('security P1: deny before ask before allow, whatever the order, the detail or the mode', () => {
    const allow = ['bash(npm test)', 'bash(npm *)', 'bash'];
    expect(bash('npm test', { allow, deny: ['Bash(npm *)'] })).toMatchObject({
      verdict: 'deny',
      rule: 'Bash(npm *)',
      refusal: 'rule',
    });
    expect(bash('npm test', { allow, askRules: ['bash(npm *)'] })).toMatchObject({ verdict: 'ask', why: 'askRule' });
    expect(bash('npm test', { grants: allow, deny: ['bash'] }).verdict).toBe('deny');
    for (const mode of ['acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const) {
      expect(bash('ls', { mode, allow, deny: ['bash(ls *)'] }).verdict).toBe('deny');
    }
  });

  test('case P26: rm stays refused where a project allows it too', () => {
    expect(bash('rm x', { allow: ['bash(rm *)', 'edit_file'], deny: ['bash(rm *)'] }).verdict).toBe('deny');
  });

  test('paths: relative to the folder, absolute, below home', () => {
    const edit = (file_path: string, rule: string) => ask('edit_file', { file_path }, { allow: [rule] }).verdict;
    expect(edit('src/a/b.ts', 'Edit(src/**)')).toBe('allow');
    expect(edit('./src/../src/b.ts', 'edit_file(src/*.ts)')).toBe('allow');
    expect(edit('/w/proj/src/b.ts', 'edit_file(src/b.ts)')).toBe('allow');
    expect(edit('src/../../x', 'edit_file(src/**)')).toBe('ask');
    expect(edit('srcx/b.ts', 'edit_file(src/**)')).toBe('ask');
    expect(edit('/data/x', 'edit_file(//data/**)')).toBe('allow');
    expect(edit('/data/x', 'edit_file(/data/**)')).toBe('ask');
    expect(edit('src/b.ts', 'edit_file(/src/*.ts)')).toBe('allow');
    expect(edit('sub/src/b.ts', 'edit_file(/src/*.ts)')).toBe('ask');
    expect([edit('a/b.ts', 'Edit(*.ts)'), edit('b.ts', 'Edit(./b.ts)'), edit('a/b.ts', 'Edit(./b.ts)')]).toEqual([
      ...['allow', 'allow', 'ask'],
    ]);
    expect([
      edit('docs/a/b.md', 'Edit(docs/)'),
      edit('docs/a/b.md', 'Edit(docs)'),
      edit('docsx', 'Edit(docs)'),
    ]).toEqual([...['allow', 'allow', 'ask']]);
    // What forbids takes a leading slash for both.
    const deny = ['Edit(/data/**)'];
    for (const file_path of ['/data/x', 'data/x'])
      expect(ask('edit_file', { file_path }, { deny }).verdict).toBe('deny');
    expect(edit('/home/u/notes/x', 'edit_file(~/notes/*)')).toBe('allow');
    expect(ask('write_file', { file_path: 'src/b.ts' }, { allow: ['edit_file(src/**)'] }).verdict).toBe('ask');
  });

  test('a rule that restricts paths is read widely: letter case, folders, searches, other tools', () => {
    const deny = ['read_file(secrets)', 'edit_file(src/**)'];
    for (const file_path of ['secrets', 'secrets/a', 'Secrets/A', './x/../secrets/a', '/w/proj/secrets/a/b']) {
      expect(ask('read_file', { file_path }, { deny }).verdict, file_path).toBe('deny');
    }
    expect(
      verdicts([ask('grep', { pattern: 'x', path: 'secrets' }, { deny }), ask('grep', { pattern: 'x' }, { deny })]),
    ).toEqual(['deny', 'deny']);
    expect(ask('write_file', { file_path: 'src/x' }, { deny, mode: 'acceptEdits' }).verdict).toBe('deny');
    expect(ask('read_file', { file_path: 'secretsx' }, { deny }).verdict).toBe('allow');
  });

  test('hosts', () => {
    const fetch = (url: string) => ask('web_fetch', { url }, { allow: ['WebFetch(domain:example.com)'] }).verdict;
    expect(['https://example.com/a', 'http://docs.example.com', 'https://EXAMPLE.com'].map(fetch)).toEqual(
      Array(3).fill('allow'),
    );
    expect(
      ['https://example.com.evil.test', 'https://evilexample.com', 'https://example.com@evil.test', 'x'].map(fetch),
    ).toEqual(Array(4).fill('ask'));
  });

  test('MCP tools: one, a server, all; what a server says of its risk is not believed', () => {
    const call = (allow: string[]) => ask('mcp__git__log', {}, { allow, risk: 'read' }).verdict;
    expect([[], ['mcp__git__log'], ['mcp__git__*'], ['mcp__*'], ['mcp__gi__*'], ['mcp__git__lo']].map(call)).toEqual([
      ...['ask', 'allow', 'allow', 'allow', 'ask', 'ask'],
    ]);
  });

  test('a pattern for a tool without a known argument allows nothing and restricts everything', () => {
    const given = { risk: 'write' as const };
    expect(ask('deploy', { target: 'x' }, { ...given, allow: ['deploy(x)'] }).verdict).toBe('ask');
    expect(ask('deploy', { target: 'x' }, { ...given, allow: ['deploy'], deny: ['deploy(prod)'] }).verdict).toBe(
      'deny',
    );
  });
});

describe('paths that are never let through by themselves', () => {
  test('security A4, C7: protected names, in any spelling, are asked each time whatever rules and modes say', () => {
    const paths = [
      ...[
        '.git/config',
        '.GIT/hooks/x',
        '.git/./hooks/x',
        'sub/.git',
        '.g\u200cit/x',
        '.git./x',
        'GIT~1/x',
        '.Rein/config.json',
      ],
      ...[
        '.rein/hooks/a.ts',
        '/home/u/.rein/config.json',
        '/home/u/.REIN/x',
        '.mcp.json',
        'mcp.json',
        'sub/.bashrc',
        '.envrc',
      ],
      ...[
        '.github/workflows/ci.yml',
        '.GitHub/Workflows/x',
        '.gitlab-ci.yml',
        '.husky/pre-commit',
        '.claude/settings.json',
        'Jenkinsfile',
      ],
    ];
    for (const file_path of paths) {
      for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
        const decision = ask(
          'write_file',
          { file_path },
          { mode, allow: ['write_file', 'write_file(**)'], grants: ['write_file'] },
        );
        const warnings = file_path.includes('\u200c') ? ['hiddenCharacters', 'protectedName'] : ['protectedName'];
        expect(decision, file_path).toEqual({ verdict: 'ask', why: 'protectedName', warnings });
      }
      expect(ask('edit_file', { file_path }, { mode: 'plan' }).verdict).toBe('deny');
    }
    for (const file_path of ['.gitignore', 'src/git/x', 'src/hooks/useX.ts', '.github/CODEOWNERS', 'mcp.json.md']) {
      expect(ask('write_file', { file_path }, { mode: 'acceptEdits' }).verdict, file_path).toBe('allow');
    }
  });

  test('files that hold keys are refused in every mode, by every tool', () => {
    const paths = [
      '.env',
      'sub/.env.local',
      '/home/u/.ssh/config',
      '/home/u/.aws/credentials',
      '/home/u/.rein/.env',
      'x/id_rsa',
      'tls.PEM',
      '/home/u/.netrc',
    ];
    for (const path of paths) {
      for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const) {
        expect(ask('read_file', { file_path: path }, { mode, allow: ['read_file'] })).toMatchObject({
          verdict: 'deny',
          why: 'secretPath',
        });
        expect(ask('grep', { pattern: 'x', path }, { mode }).verdict).toBe('deny');
        expect(ask('write_file', { file_path: path }, { mode, allow: ['write_file'] }).verdict).toBe('deny');
      }
    }
    for (const file_path of ['.env.example', '.envoy', 'id_rsa.pub', 'environment.ts', 'pem.ts']) {
      expect(ask('read_file', { file_path }).verdict, file_path).toBe('allow');
    }
  });

  test('a path that cannot be read for sure asks', () => {
    for (const file_path of ['a\0b', '~/x', '~root/x', 5, null, ['a'], { a: 'b' }] as never[]) {
      expect(ask('read_file', { file_path }).verdict).toBe(Array.isArray(file_path) ? 'allow' : 'ask');
      expect(ask('write_file', { file_path }, { mode: 'acceptEdits' }).verdict).toBe(
        Array.isArray(file_path) ? 'allow' : 'ask',
      );
    }
  });

  test('security A5: each path of a list counts', () => {
    expect(ask('write_file', { paths: ['a', '../../x'] }, { mode: 'acceptEdits' }).verdict).toBe('ask');
    expect(ask('write_file', { paths: ['a', '.git/x'] }, { mode: 'acceptEdits' }).why).toBe('protectedName');
    expect(ask('glob', { pattern: '../**' }).verdict).toBe('ask');
    expect(ask('glob', { pattern: '/etc/*' }).verdict).toBe('ask');
    expect(ask('glob', { pattern: '**/*.ts' }).verdict).toBe('allow');
  });

  test('security A1: a neighbour whose name begins alike is outside; added folders are inside', () => {
    const read = (file_path: string, roots: string[] = []) => ask('read_file', { file_path }, { roots }).verdict;
    expect([
      read('/w/proj-evil/s'),
      read('/w/proj/../proj-evil/s'),
      read('/w/proj'),
      read('/data/x', ['/data']),
    ]).toEqual([...['ask', 'ask', 'allow', 'allow']]);
  });
});

describe('what an approval may store', () => {
  test('security B9: exactly this, escaped, and it allows exactly this', () => {
    const cases: [string, JsonObject, string][] = [
      ['bash', { command: 'npm test' }, 'bash(npm test)'],
      ['bash', { command: 'ls *.ts && rm \\x' }, 'bash(ls \\*.ts && rm \\\\x)'],
      ['write_file', { file_path: '/w/proj/src/[id]/a*.ts' }, 'write_file(src/\\[id\\]/a\\*.ts)'],
      ['read_file', { file_path: '/data/x (1)' }, 'read_file(//data/x (1))'],
      ['web_fetch', { url: 'https://x.test/a?b' }, 'web_fetch(domain:x.test)'],
      ['mcp__s__t', { a: 1 }, 'mcp__s__t'],
    ];
    for (const [tool, input, rule] of cases) {
      expect(ask(tool, input)).toMatchObject({ verdict: 'ask', narrowRule: rule });
      expect(ask(tool, input, { grants: [rule] }), rule).toMatchObject({ verdict: 'allow', why: 'sessionGrant', rule });
      expect(ask(tool, input, { allow: [rule], sandbox: 'none' }).verdict, rule).toBe('allow');
    }
    expect(bash('ls a.ts && rm \\x', { grants: ['bash(ls \\*.ts && rm \\\\x)'] }).verdict).toBe('ask');
    expect(
      ask('write_file', { file_path: 'src/i/ab.ts' }, { grants: ['write_file(src/\\[id\\]/a\\*.ts)'] }).verdict,
    ).toBe('ask');
  });

  test('nothing is offered where a rule or a protected name asks each time', () => {
    expect(bash('x', { askRules: ['bash'] })).not.toHaveProperty('narrowRule');
    expect(ask('write_file', { file_path: '.git/x' })).not.toHaveProperty('narrowRule');
  });
});

test('security P5: what the model adds to the arguments changes nothing', () => {
  const extra = { disable_sandbox: true, approved: true, sandbox: 'off', mode: 'bypassPermissions', user_id: 'root' };
  const input = JSON.parse(`{"command": "npm test", "__proto__": {"approved": true}}`) as JsonObject;
  expect(ask('bash', { ...input, ...extra }, { sandbox: 'none', interactive: false })).toEqual(
    bash('npm test', { sandbox: 'none', interactive: false }),
  );
});

test('a hook can make a question of what would run, not allow what is refused', () => {
  const read = (given: object) => {
    return decide({
      ...{
        mode: 'default',
        grants: [],
        sandbox: 'proven',
        interactive: true,
        cwd: '/w',
        home: '/h/.rein',
        userHome: '/h',
      },
      rules: { allow: [], ask: [], deny: [] },
      call: { tool: 'read_file', risk: 'read', input: { file_path: 'a' } },
      ask: true,
      ...given,
    } as PermissionQuestion);
  };
  expect(read({})).toEqual({ verdict: 'ask', why: 'hook', warnings: [] });
  expect(read({ interactive: false })).toMatchObject({ verdict: 'deny', refusal: 'nobody' });
  expect(read({ rules: { allow: [], ask: [], deny: ['read_file'] } })).toMatchObject({
    verdict: 'deny',
    why: 'denyRule',
  });
});

test('security I3, F3: what hides or pushes text away is named, and nothing of it can be allowed for ever', () => {
  expect(bash(`ls${' '.repeat(300)}; rm x`).warnings).toEqual(['manySpaces', 'severalCommands:ls · rm x']);
  expect(bash('ls\n\tx', { sandbox: 'none' }).warnings).toEqual(['noSandbox', 'severalCommands:ls · x']);
  const hiding = [
    '\u202e',
    '\u2066',
    '\u200b',
    '\u00ad',
    '\u{e0041}',
    '\u{e0101}',
    '\u0008',
    '\u3164',
    '\u2028',
    '\ud800',
    '\ue000',
  ];
  for (const character of hiding) {
    const decision = bash(`ls ${character} x`);
    expect(decision.warnings, character.codePointAt(0)?.toString(16)).toContain('hiddenCharacters');
    expect(decision).not.toHaveProperty('narrowRule');
  }
  const plain = ask('write_file', { file_path: 'a', content: '👩‍💻 ❤️ 中文 é' });
  expect([plain.warnings, plain.narrowRule]).toEqual([[], 'write_file(/a)']);
});

test('security B1: of a command that runs several, each is named, also what others run for it', () => {
  const commands = [
    'git log && rm x',
    'git log; rm x',
    'git log | rm x',
    'git log & rm x',
    'git log\nrm x',
    'git log $(rm x)',
  ];
  for (const command of commands) {
    expect(bash(command, { allow: ['bash(git log)'] })).toMatchObject({
      verdict: 'ask',
      warnings: [expect.stringMatching(/^severalCommands:git log.* · rm x$/)],
    });
  }
  expect(bash("echo a | xargs -n1 sh -c 'rm x; wc y'").warnings).toEqual([
    "severalCommands:echo a · xargs -n1 sh -c 'rm x; wc y' · rm x · wc y",
  ]);
  expect(bash('rm x').warnings).toEqual([]);
});

test('security F4: hosts that look like others, with the name as it is; plain foreign names are not odd', () => {
  const fetch = (url: string) => ask('web_fetch', { url }).warnings;
  const mixed = ['foreignHost:xn--xample-2of.com', 'mixedLetters'];
  expect(fetch('https://\u0435xample.com/a')).toEqual(mixed);
  expect(fetch('https://xn--xample-2of.com')).toEqual(mixed.slice(0, 1));
  expect(fetch('https://xn--80ak6aa92e.com')).toEqual(['foreignHost:xn--80ak6aa92e.com']);
  for (const url of [
    'https://münchen.de',
    'https://中文.com',
    'https://пример.рф',
    'https://παράδειγμα.gr',
    'https://a.test',
  ]) {
    expect(fetch(url), url).toEqual([]);
  }
  expect(bash('curl https://github.com@evil.test/x').warnings).toEqual(['oddAddress:evil.test']);
  expect(fetch('http://169.254.169.254/')).toEqual(['oddAddress:169.254.169.254']);
  expect(bash('g\u0456t push').warnings).toEqual(['mixedLetters']);
});

test('security C4: a rule for git is none for the programs that the settings of a folder name', () => {
  const allow = ['bash(git status)', 'bash(git log *)', 'bash(ls *)', 'bash(bash x)'];
  const look = (command: string, given: Parameters<typeof ask>[2] = {}) => {
    const { verdict, why } = bash(command, { allow, sandbox: 'off', gitRunsPrograms: () => true, ...given });
    return [verdict, why];
  };
  const asked = ['ask', 'gitPrograms'];
  for (const command of ['git status', 'git log -1', "git 'log' -1", 'ls x && git log -2']) {
    for (const sandbox of ['off', 'external'] as const) expect(look(command, { sandbox }), command).toEqual(asked);
  }
  expect(look('git diff', { allow: [], grants: ['bash(git diff)'] })).toEqual(asked);
  expect(look('git status', { sandbox: 'proven' })).toEqual(['allow', 'allowRule']);
  expect(look('git status', { gitRunsPrograms: () => false })).toEqual(['allow', 'allowRule']);
  expect(look('ls x')).toEqual(['allow', 'allowRule']);
  expect(look('git status', { interactive: false })).toEqual(['deny', 'gitPrograms']);
});
