// Plans, checks and answers by schema on the command line: what is printed, and the exit codes.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempHome, runCli } from 'rein/testing';
import { describe, expect, test } from 'vitest';
import { plan, planOf, respondTo, review } from '../../src/testing/plan/plan-script.ts';
import { createCliHome, jsonLines } from './cli-home.ts';

const missing = { criterion: 'it is there', file_exists: 'a.txt' };

describe('rein plan', () => {
  test('the offline model writes a report that a check finds, with no key', async () => {
    await using temp = await createTempHome({ 'big.ts': 'let a = 1;\n'.repeat(90), 'small.py': 'a = 1\n' });
    const task = 'list the largest source files into report.md';
    const args = ['plan', task, '--permission-mode', 'acceptEdits', '--output-format', 'json'];
    const { exit, stdout, stderr } = await runCli(args, { home: temp.home, cwd: temp.workspace });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(jsonLines(stdout)).toMatchObject([
      {
        subtype: 'success',
        is_error: false,
        verification: {
          status: 'verified',
          checks: [{ criterion: 'report.md is there', ok: true }],
          evidence: { files: expect.stringMatching(/^[0-9a-f]{64}$/) },
        },
        permission_denials: [],
      },
    ]);
    expect(await temp.read('report.md')).toMatch(/big\.ts.*90[\s\S]*small\.py/);
  });

  test('prints the result alone; --verbose tells how it goes on and what each role took', async () => {
    const answers = { planner: [plan({}, {})], reviewer: [review('retry_actor'), review()] };
    const quiet = await createCliHome({ respond: respondTo(answers) });
    expect(await quiet.run(['plan', 'Do it.'])).toMatchObject({
      exit: 0,
      stderr: 'Not verified: there was nothing to check it by.\n',
    });
    await quiet.remove();
    await using cli = await createCliHome({ respond: respondTo(answers) });
    const { exit, stdout, stderr } = await cli.run(['-p', 'Do it.', '--plan', '--verbose']);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '**do part 1**\n\ndone\n\n**do part 2**\n\ndone\n' });
    expect(stderr.replace(/\d[\d,.]* tokens, .*/g, 'tokens')).toBe(
      [
        'Plan: the goal',
        '  1. do part 1 (none)',
        '  2. do part 2 (none)',
        'Step 1 of 2: do part 1',
        'Step 2 of 2: do part 2',
        'Review: to be revised (0.85)',
        'Retry 1 of 3',
        'Step 2 of 2: do part 2',
        'Review: passed (0.85)',
        'planner: tokens',
        'executor: tokens',
        'reviewer: tokens',
        'Not verified: there was nothing to check it by.',
        '',
      ].join('\n'),
    );
  });

  test('ends with 56 when a check failed, and says which', async () => {
    await using cli = await createCliHome({ respond: respondTo({ planner: [planOf({ checks: [missing] })] }) });
    const { exit, stdout, stderr } = await cli.run(['plan', 'Do it.', '--output-format', 'json']);
    expect(exit).toBe(56);
    expect(jsonLines(stdout)).toMatchObject([
      { subtype: 'success', is_error: false, verification: { status: 'failed', reason: 'check-failed' } },
    ]);
    expect(stderr).toBe('Check failed: it is there\n  a.txt does not exist\nFailed: a check failed.\n');
  });

  test('ends with 56 and the question when the reviewer asks and nobody is there', async () => {
    const asks = { reviewer: [review('ask_user', { question: 'Which one?' })] };
    await using cli = await createCliHome({ respond: respondTo(asks) });
    expect(await cli.run(['plan', 'Do it.'])).toMatchObject({ exit: 56, stdout: 'Which one?\n' });
  });

  test('ends with 55 and the plan when it needs confirmation and nobody is there', async () => {
    await using cli = await createCliHome({ respond: respondTo({ planner: [plan({ risk_level: 'high' })] }) });
    const { exit, stdout } = await cli.run(['plan', 'Do it.']);
    expect({ exit, stdout }).toEqual({
      exit: 55,
      stdout: '# the goal\n\n1. do part 1 (none, high)\n\n- ✓ it is there\n',
    });
  });

  test('the mode plan shows the plan, ends with 0 and does nothing', async () => {
    await using cli = await createCliHome({ respond: respondTo({}) });
    const { exit, stdout } = await cli.run(['plan', 'Do it.', '--permission-mode', 'plan']);
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: '# the goal\n\n1. do part 1 (none, low)\n\n- ✓ it is there\n',
    });
    expect(cli.server.requests).toHaveLength(1);
  });

  test('tells each edge as an event, and what each agent used', async () => {
    await using cli = await createCliHome({ respond: respondTo({}) });
    const { stdout } = await cli.run(['plan', 'Do it.', '--output-format', 'events']);
    const updates = jsonLines(stdout).filter(({ type, edge }) => type === 'plan-update' && edge);
    expect(updates.map(({ node, edge }) => `${node} ${edge}`)).toEqual([
      ...['START planner', 'planner executor', 'executor reviewer', 'reviewer finalize', 'finalize END'],
    ]);
    expect(updates[1]).toMatchObject({ child: expect.stringMatching(/\.1$/), usage: { output: 10 } });
  });

  test('money and time count for all agents together, before the next call', async () => {
    const answer = respondTo({ planner: [plan({}, {}, {})] });
    const priced = (request: Parameters<typeof answer>[0]) => ({
      ...answer(request),
      usage: { input: 1000, output: 0 },
    });
    await using cli = await createCliHome({ respond: priced });
    const models = { scripted: { prices: { input: 10, output: 0 } } };
    await writeFile(join(cli.home, 'config.json'), JSON.stringify({ models }));
    const args = ['plan', 'Do it.', '--output-format', 'json'];
    const spent = await cli.run([...args, '--max-budget-usd', '0.02']);
    expect({ exit: spent.exit, requests: cli.server.requests.length }).toEqual({ exit: 54, requests: 2 });
    expect(jsonLines(spent.stdout)).toMatchObject([{ subtype: 'error_max_budget_usd', total_cost_usd: 0.02 }]);
    const late = await cli.run([...args, '--timeout', '0.001']);
    expect({ exit: late.exit, requests: cli.server.requests.length }).toEqual({ exit: 124, requests: 2 });
  });

  test('draws the graph', async () => {
    await using temp = await createTempHome();
    const { exit, stdout } = await runCli(['plan', '--graph'], { home: temp.home, cwd: temp.workspace });
    expect({ exit, first: stdout.split('\n')[0] }).toEqual({ exit: 0, first: 'flowchart TD' });
    expect(stdout).toContain('  reviewer -->|question| ask_user\n');
  });
});

describe('--verify', () => {
  test('sends what failed back to the model, and ends with 56 when it stays so', async () => {
    await using cli = await createCliHome({ respond: () => ({ text: 'Done.' }) });
    const { exit, stdout } = await cli.run(['-p', 'Do it.', '--verify', 'echo no; exit 3', '--output-format', 'json']);
    expect(exit).toBe(56);
    expect(jsonLines(stdout)).toMatchObject([
      { num_turns: 4, verification: { checks: [{ criterion: 'echo no; exit 3', ok: false, exit: 3, output: 'no' }] } },
    ]);
  });

  test('ends with 0 when it passes', async () => {
    await using cli = await createCliHome({ respond: () => ({ text: 'Done.' }) });
    const { exit, stderr } = await cli.run(['-p', 'Do it.', '--verify', 'true', '--verbose']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'Verified: every check passed.\n' });
  });
});

describe('--json-schema', () => {
  const schema = '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}';

  test('prints the value alone, from a schema as text or in a file', async () => {
    await using cli = await createCliHome({ respond: () => ({ text: 'So: {"n":1}' }) }, { 's.json': schema });
    expect(await cli.run(['-p', 'go', '--json-schema', schema])).toEqual({ exit: 0, stdout: '{"n":1}\n', stderr: '' });
    const { stdout } = await cli.run(['-p', 'go', '--json-schema', 's.json', '--output-format', 'json']);
    expect(jsonLines(stdout)).toMatchObject([{ result: 'So: {"n":1}', structured_output: { n: 1 } }]);
  });

  test('ends with 57 when the answer does not fit, also when asked again', async () => {
    await using cli = await createCliHome({ respond: () => ({ text: 'One.' }) });
    const { exit, stdout, stderr } = await cli.run(['-p', 'go', '--json-schema', schema, '--output-format', 'json']);
    expect(exit).toBe(57);
    expect(jsonLines(stdout)).toMatchObject([
      { subtype: 'error_max_structured_output_retries', is_error: true, error: { code: 'E_SCHEMA_UNMET' } },
    ]);
    expect(stderr).toContain('There is no JSON in it.');
  });

  test('refuses what is no schema', async () => {
    await using cli = await createCliHome({ respond: () => ({ text: 'One.' }) });
    expect(await cli.run(['-p', 'go', '--json-schema', '{"type"'])).toMatchObject({ exit: 2 });
    expect(await cli.run(['-p', 'go', '--json-schema', 'no.json'])).toMatchObject({ exit: 42 });
  });
});
