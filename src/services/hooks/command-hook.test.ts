import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookEvent, HookInputs } from '../../protocol/define/hook.ts';
import { waitFor } from '../../testing/time.ts';
import { readClaudeHooks } from './claude-settings.ts';
import { createCommandHooks, type Strictness } from './command-hook.ts';
import { HookRunner } from './hook-runner.ts';
import { runHookCommand } from './run-hook-command.ts';

let folder: string;
let warnings: string[];
let ended: number[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rein-hooks-'));
  warnings = [];
  ended = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const end = async (leader: number) => {
  ended.push(leader);
  process.kill(-leader, 'SIGKILL');
};

interface Given {
  event?: HookEvent;
  strictness?: Strictness;
  timeout?: number;
  policy?: boolean;
  matcher?: string;
  changed?: string;
}

function runner(command: string, given: Given = {}) {
  const { event = 'PreToolUse', strictness = 'closed', timeout, policy, matcher } = given;
  const host = {
    environment: { PATH: process.env.PATH ?? '' },
    mode: 'default',
    run: (request: Parameters<typeof runHookCommand>[0]) => runHookCommand(request, end),
    findChanged: async () => given.changed,
    warn: (hook: string, detail: string) => warnings.push(`${hook}: ${detail}`),
  };
  const hooks = createCommandHooks({ [event]: [{ matcher, hooks: [{ command, timeout, policy }] }] }, strictness, host);
  return new HookRunner(hooks, ({ params }) => warnings.push(`${params?.hook}: ${params?.detail}`));
}

const context = () => ({ session: 's1', cwd: folder, agent: 'main', signal: new AbortController().signal });
const call = { tool: 'bash', input: { command: 'ls' }, callId: 'c1' };
const ask = async (command: string, given: Given = {}, input: object = call) => {
  const event = given.event ?? 'PreToolUse';
  return (await runner(command, given).ask(event, input as HookInputs[HookEvent], context())).map(
    ({ answer }) => answer,
  );
};
const says = (value: object) => `echo '${JSON.stringify(value)}'`;

describe('what a command is told', () => {
  it('the call, under the names that hooks of this format know', async () => {
    await ask(`cat > "$CLAUDE_PROJECT_DIR/in.json"; env > "$CLAUDE_PROJECT_DIR/env"`);
    expect(JSON.parse(await readFile(join(folder, 'in.json'), 'utf8'))).toEqual({
      ...{ session_id: 's1', transcript_path: '', cwd: folder, permission_mode: 'default', agent: 'main' },
      ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c1' },
    });
    const names = (await readFile(join(folder, 'env'), 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_', ''].includes(name!)).sort()).toEqual([
      'CLAUDE_PROJECT_DIR',
      'PATH',
    ]);
  });

  it.each<[HookEvent, object, object]>([
    ['SessionStart', { source: 'resume' }, { source: 'resume' }],
    ['SessionEnd', { reason: 'other' }, { reason: 'other' }],
    ['UserPromptSubmit', { prompt: 'hi' }, { prompt: 'hi' }],
    ['PreCompact', { trigger: 'manual' }, { trigger: 'manual', custom_instructions: '' }],
    [
      'Notification',
      { kind: 'approval', message: 'bash waits' },
      { kind: 'approval', message: 'bash waits', notification_type: 'permission_prompt' },
    ],
    [
      'PostToolUse',
      { ...call, output: 'a', status: 'ok' },
      { tool_name: 'Bash', tool_input: call.input, tool_use_id: 'c1', tool_response: 'a', status: 'ok' },
    ],
    [
      'SubagentStop',
      { agent: 'main/general-1', session: 's1.1', stop: 'completed' },
      {
        ...{ agent: 'main/general-1', session: 's1.1', agent_id: 's1.1', agent_type: 'general' },
        ...{ stop: 'completed', stop_hook_active: false },
      },
    ],
    ['Stop', { stop: 'completed' }, { stop: 'completed', stop_hook_active: false }],
  ])('of %s', async (event, input, fields) => {
    const hooks = runner('cat > "$CLAUDE_PROJECT_DIR/in.json"', { event });
    const told = event === 'UserPromptSubmit' ? hooks.ask.bind(hooks) : hooks.tell.bind(hooks);
    await told(event, input as HookInputs[HookEvent], context());
    expect(JSON.parse(await readFile(join(folder, 'in.json'), 'utf8'))).toEqual({
      ...{ session_id: 's1', transcript_path: '', cwd: folder, permission_mode: 'default', agent: 'main' },
      ...{ hook_event_name: event, ...fields },
    });
  });

  it.each<[HookEvent, object, string[], string[]]>([
    ['SessionStart', { source: 'resume' }, ['resume', 'startup|resume', ''], ['startup', 'res']],
    ['PreCompact', { trigger: 'manual' }, ['manual', '*'], ['auto']],
    ['Notification', { kind: 'plan', message: 'm' }, ['permission_prompt', 'plan'], ['elicitation_dialog']],
    ['SubagentStart', { agent: 'main/my-agent-2', session: 's' }, ['my-agent'], ['general', 'main']],
    ['Stop', { stop: 'completed' }, ['anything'], []],
  ])('of %s only the kinds it is for', async (event, input, wanted, others) => {
    const told = async (matcher: string) => {
      await runner('echo told >> "$CLAUDE_PROJECT_DIR/told"', { event, matcher }).tell(
        event,
        input as HookInputs[HookEvent],
        context(),
      );
    };
    for (const matcher of [...wanted, ...others]) await told(matcher);
    expect(await readFile(join(folder, 'told'), 'utf8')).toBe('told\n'.repeat(wanted.length));
  });

  it('only for the tools it is for, by their own names and the usual ones', async () => {
    const deny = says({ decision: 'block', reason: 'no' });
    for (const matcher of ['Bash', 'bash', 'Edit|Bash', 'B.*', '*', '', '(Bash)']) {
      expect(await ask(deny, { matcher }), matcher).toHaveLength(1);
    }
    for (const matcher of ['Edit', 'Bas', 'ash', '(B+)+ash']) expect(await ask(deny, { matcher }), matcher).toEqual([]);
  });
});

describe('what its answer means', () => {
  const specific = (fields: object) => says({ hookSpecificOutput: { hookEventName: 'x', ...fields } });
  it.each([
    ['nothing', 'true', []],
    ['block', says({ decision: 'block', reason: 'no' }), [{ decision: 'deny', reason: 'no' }]],
    ['approve', says({ decision: 'approve' }), [{ decision: 'allow' }]],
    ['stop', says({ continue: false, stopReason: 'enough' }), [{ decision: 'deny', reason: 'enough' }]],
    [
      'deny',
      specific({ permissionDecision: 'deny', permissionDecisionReason: 'r' }),
      [{ decision: 'deny', reason: 'r' }],
    ],
    ['ask', specific({ permissionDecision: 'ask' }), [{ decision: 'ask' }]],
    ['defer', specific({ permissionDecision: 'defer' }), []],
    ['rewrite', specific({ updatedInput: { command: 'pwd' } }), [{ decision: 'allow', input: { command: 'pwd' } }]],
    ['exit 2', 'echo "not here" >&2; exit 2', [{ decision: 'deny', reason: 'not here' }]],
  ])('%s', async (_, command, answers) => {
    expect(await ask(command)).toEqual(answers);
  });

  it('a permission request is answered for the person', async () => {
    const event = 'PermissionRequest';
    expect(await ask(specific({ decision: { behavior: 'allow' } }), { event })).toEqual([{ decision: 'allow' }]);
    expect(await ask(specific({ decision: { behavior: 'deny', message: 'm' } }), { event })).toEqual([
      { decision: 'deny', reason: 'm' },
    ]);
    expect(await ask('true', { event })).toEqual([]);
  });

  it('a prompt gets what is printed as context, or is refused', async () => {
    const event = 'UserPromptSubmit';
    const prompt = { prompt: 'hi' };
    expect(await ask('echo the branch is main', { event }, prompt)).toEqual([
      { decision: 'allow', context: 'the branch is main' },
    ]);
    expect(await ask(specific({ additionalContext: 'c' }), { event }, prompt)).toEqual([
      { decision: 'allow', context: 'c' },
    ]);
    expect(await ask('exit 2', { event }, prompt)).toMatchObject([{ decision: 'deny' }]);
  });
});

describe('security C5: a file that its command names is not what was agreed to', () => {
  it.each<[Strictness, boolean | undefined]>([
    ['closed', undefined],
    ['closed', false],
    ['usual', undefined],
  ])('nothing runs: a policy hook (%s, policy %s) refuses and says what to do', async (strictness, policy) => {
    expect(await ask('touch ran', { changed: 'check.sh', strictness, policy })).toEqual([
      {
        decision: 'deny',
        reason:
          'check.sh, which it names, is not what was agreed to; the user has to look at it, say `rein trust` and begin anew',
      },
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('one that watches is passed over with a warning', async () => {
    await runner('touch ran', { event: 'Stop', changed: 'check.sh' }).tell('Stop', { stop: 'completed' }, context());
    expect([await readdir(folder), warnings.length, warnings[0]]).toEqual([
      [],
      1,
      expect.stringContaining('touch ran: check.sh, which it names, is not what was agreed to'),
    ]);
  });
});

describe('security P2: what fails', () => {
  const failures = {
    code: 'exit 1',
    missing: './no-such-hook',
    notExecutable: './plain',
    crash: 'kill -SEGV $$',
    garbage: 'echo hello',
    cutJson: `echo '{"decision":'`,
    wrongDecision: says({ decision: 'maybe' }),
    wrongShape: says({ hookSpecificOutput: { permissionDecision: 'yes' } }),
    tooMuch: 'yes',
    late: 'sleep 60',
  };
  const outcome = async (strictness: Strictness, policy?: boolean) => {
    await writeFile(join(folder, 'plain'), '#!/bin/sh\n');
    await chmod(join(folder, 'plain'), 0o644);
    const refused: string[] = [];
    for (const [name, command] of Object.entries(failures)) {
      const answers = await ask(command, { strictness, policy, timeout: 0.5 });
      if (answers.some((answer) => answer.decision === 'deny')) refused.push(name);
    }
    return refused;
  };

  it('refuses in the user’s own configuration, whatever it was', async () => {
    expect(await outcome('closed')).toEqual(Object.keys(failures));
    expect(ended).toHaveLength(2);
  });

  it('keeps the usual meaning in settings written for that world: a crash and a timeout refuse', async () => {
    expect(await outcome('usual')).toEqual(['crash', 'tooMuch', 'late']);
    expect(warnings).toHaveLength(Object.keys(failures).length - 3);
  });

  it('is only reported with `policy: false`', async () => {
    expect(await outcome('closed', false)).toEqual([]);
    expect(warnings).toHaveLength(Object.keys(failures).length);
    expect(await ask('exit 2', { policy: false })).toMatchObject([{ decision: 'deny' }]);
  });

  it('security P3: an observer is isolated, and its hang is bounded', async () => {
    const input = { tool: 'bash', input: {}, callId: 'c', output: 'x', status: 'ok' };
    for (const command of ['exit 2', 'sleep 60', './no-such-hook']) {
      await runner(command, { event: 'PostToolUse', timeout: 0.3 }).tell('PostToolUse', input, context());
    }
    expect(warnings).toHaveLength(3);
  });
});

it('a hook that takes too long leaves no process behind', async () => {
  const marker = `${Date.now()}${Math.random()}`.replace('.', '');
  await ask(`sleep 1000.${marker} & sleep 1000.${marker}`, { timeout: 0.3 });
  expect(ended).toHaveLength(1);
  await waitFor(() => {
    try {
      return !process.kill(-ended[0]!, 0);
    } catch {
      return true;
    }
  });
});

describe('.claude/settings.json', () => {
  const settings = async (text: string) => {
    await mkdir(join(folder, '.claude'), { recursive: true });
    await writeFile(join(folder, '.claude', 'settings.json'), text);
    return readClaudeHooks(folder);
  };
  it('a pipe in its place is an error, and nobody waits for it', async () => {
    await mkdir(join(folder, '.claude'), { recursive: true });
    execFileSync('mkfifo', [join(folder, '.claude', 'settings.json')]);
    await expect(readClaudeHooks(folder)).rejects.toThrow('not a regular file');
  });
  it('its command hooks are read, what is not known is passed over', async () => {
    expect(await readClaudeHooks(folder)).toEqual({});
    const hooks = {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            { type: 'command', command: 'a', timeout: 5 },
            { type: 'prompt', prompt: 'x' },
          ],
        },
        5,
      ],
      Stop: [{ hooks: [{ type: 'command', command: 'b' }] }],
      Elicitation: [{ hooks: [{ type: 'command', command: 'c' }] }],
      Notification: 'x',
    };
    expect(await settings(JSON.stringify({ model: 'x', hooks }))).toEqual({
      PreToolUse: [{ matcher: 'Bash', hooks: [{ command: 'a', timeout: 5 }] }],
      Stop: [{ hooks: [{ command: 'b' }] }],
    });
    expect(await settings('{}')).toEqual({});
  });
  it('a file that is no JSON is an error, not a missing guard', async () => {
    await expect(settings('{')).rejects.toThrow();
  });
});
