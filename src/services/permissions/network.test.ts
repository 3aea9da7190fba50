import { beforeAll, expect, it } from 'vitest';
import { decide, type PermissionQuestion } from './decide.ts';
import { createShellJudge, type ShellJudge } from './shell/judge.ts';
import { loadShellParser } from './shell/tree.ts';

let shell: ShellJudge;
beforeAll(async () => {
  shell = createShellJudge({ parse: await loadShellParser() });
});

function ask(command: string, allow: string[], more: Partial<PermissionQuestion> = {}) {
  const { verdict, why, rule, narrowRule } = decide({
    ...{ shell, mode: 'default', grants: [], sandbox: 'proven', interactive: true },
    ...{ cwd: '/w/proj', home: '/home/u/.rein', userHome: '/home/u' },
    rules: { allow, ask: [], deny: ['bash(rm *)'] },
    call: { tool: 'bash', risk: 'execute', input: { command, network: true } },
    ...more,
  });
  return [verdict, why, rule ?? narrowRule];
}

it('what lets a command run does not let it out of the sandbox', () => {
  const asked = ['ask', 'network', undefined];
  expect(ask('npm ci', ['bash', 'bash(npm ci)', 'bash(npm *)'])).toEqual(asked);
  expect(ask('npm ci', [], { grants: ['bash(npm ci)'] })).toEqual(asked);
  expect(ask('npm ci', [], { mode: 'acceptEdits' })).toEqual(asked);
  expect(ask('ls', [])).toEqual(['ask', expect.any(String), undefined]);
});

it('a rule for the network does, for that command alone', () => {
  const rules = ['bash(network:npm ci)', 'Bash(network:curl https://x.test/*)'];
  expect(ask('npm ci', rules)).toEqual(['allow', 'allowRule', 'bash(network:npm ci)']);
  expect(ask('npm ci', rules, { interactive: false })[0]).toBe('allow');
  expect(ask('npm ci && rm x', rules)[0]).toBe('deny');
  expect(ask('npm ci && curl y', rules)[0]).toBe('ask');
  expect(ask('npm i', rules, { interactive: false })[0]).toBe('deny');
});

it('plan mode has no network; where no sandbox of ours holds, nothing changes', () => {
  expect(ask('ls', ['bash'], { mode: 'plan' })).toEqual(['deny', 'planMode', undefined]);
  for (const sandbox of ['external', 'off'] as const) {
    expect(ask('npm ci', ['bash(npm ci)'], { sandbox })[0]).toBe('allow');
  }
  expect(ask('npm ci', [], { mode: 'bypassPermissions' })).toEqual(['allow', 'bypass', undefined]);
});
