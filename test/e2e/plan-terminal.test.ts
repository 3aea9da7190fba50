// A plan at a terminal: what it asks is put to the person, once, and goes on as they say.
import { describe, expect, test } from 'vitest';
import { plan, planOf, report, respondTo, review } from '../../src/testing/plan/plan-script.ts';
import { type CliHome, createCliHome } from './cli-home.ts';
import { startTerminal } from './terminal.ts';

const risky = plan({ risk_level: 'high' });
const choices = /\[y\]es, \[e\]dit, \[n\]o, or say why not: /;
const clear = '\x05\x15';

const open = (cli: CliHome, ...args: string[]) => startTerminal(cli, ['plan', 'Do it.', ...args]);

describe('a plan that needs a yes', () => {
  test('is shown, whole before it is approved, and carried out; each question is put once', {
    timeout: 40_000,
  }, async () => {
    await using cli = await createCliHome({ respond: respondTo({ planner: [risky] }) });
    await using terminal = open(cli);
    const asked = await terminal.until(choices);
    expect(asked).toContain('main proposes a plan:');
    expect(asked).toContain('\n  1. do part 1 (none, high)\n  You are asked because of the risk: high in step 1.\n');
    expect(asked).toContain('task_goal: the goal');
    expect(cli.server.requests).toHaveLength(1);
    expect(asked).toContain('[v]iew all of it;');
    terminal.type('y\r');
    expect(await terminal.until(choices)).toContain('"risk_level": "high"');
    terminal.type('y\r');
    const rest = await terminal.until(/Step 1 of 1: do part 1[\s\S]*Review: passed \(0.85\)[\s\S]*^done$/m);
    expect(rest).not.toMatch(choices);
    expect(await terminal.ended).toBe(0);
  });

  test('is carried out as it was edited; what is no plan is asked about again, and why', {
    timeout: 40_000,
  }, async () => {
    await using cli = await createCliHome({ respond: respondTo({ planner: [risky] }) });
    await using terminal = open(cli);
    const change = async (text: string) => {
      await terminal.until(choices);
      terminal.type('e\r');
      await terminal.until(/Change it: \{"task_goal"/);
      terminal.type(`${clear}${text}\r`);
    };
    await change('no json');
    await terminal.until(/That is no JSON object/);
    await change('{"task_goal":"other"}');
    await terminal.until(/! It does not have the shape that is asked for\.[\s\S]*- steps: /);
    await change(JSON.stringify(planOf({}, { id: 'mine', description: 'do it my way', risk_level: 'high' })));
    await terminal.until(/Step 1 of 1: do it my way/);
    expect(await terminal.ended).toBe(0);
    expect(cli.server.requests[1]?.userTexts.at(-1)).toContain('"id": "mine"');
  });

  test('goes back to the planner with the reason it was rejected for', { timeout: 40_000 }, async () => {
    await using cli = await createCliHome({ respond: respondTo({ planner: [risky, plan()] }) });
    await using terminal = open(cli);
    await terminal.until(choices);
    terminal.type('without deleting anything\r');
    expect(await terminal.ended).toBe(0);
    expect(cli.server.requests[1]?.userTexts.at(-1)).toContain('Do it.\n\nwithout deleting anything');
  });

  test.each([
    ['n', 'n\r', 55],
    ['Ctrl-D', '\x04', 55],
    ['Ctrl-C', '\x03', 130],
  ])('ends at %s, and nothing ran', { timeout: 40_000 }, async (_name, keys, exit) => {
    await using cli = await createCliHome({ respond: respondTo({ planner: [risky] }) });
    await using terminal = open(cli);
    await terminal.until(choices);
    terminal.type(keys);
    expect(await terminal.ended).toBe(exit);
    expect(cli.server.requests).toHaveLength(1);
  });

  test('is asked about again after an answer that means nothing', { timeout: 40_000 }, async () => {
    await using cli = await createCliHome({ respond: respondTo({ planner: [risky] }) });
    await using terminal = open(cli);
    await terminal.until(choices);
    for (const answer of ['x', 'v']) {
      terminal.type(`${answer}\r`);
      await terminal.until(choices);
    }
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
  });
});

describe('questions', () => {
  test('of the reviewer: the answer joins the request and the planner goes on', { timeout: 40_000 }, async () => {
    const asks = { reviewer: [review('ask_user', { question: 'Which one?' }), review()] };
    await using cli = await createCliHome({ respond: respondTo(asks) });
    await using terminal = open(cli);
    await terminal.until(/Which one\?[\s\S]*\? $/);
    terminal.type('The left one.\r');
    expect(await terminal.ended).toBe(0);
    const planned = cli.server.requests.filter(({ system }) => system.includes('You are the planner'));
    expect(planned.at(-1)?.userTexts.at(-1)).toContain('Do it.\n\nWhich one?\nThe left one.');
  });

  test('of an executor, with options to choose by number', { timeout: 40_000 }, async () => {
    const call = { calls: [{ name: 'ask_user', input: { question: 'Left or right?', options: ['left', 'right'] } }] };
    const asks = { executor: { step_1: [call, report({ result_summary: 'asked' })] } };
    await using cli = await createCliHome({ respond: respondTo(asks) });
    await using terminal = open(cli);
    await terminal.until(/Left or right\?\s+1\. left\s+2\. right[\s\S]*\? $/);
    terminal.type('2\r');
    expect(await terminal.ended).toBe(0);
    const results = cli.server.requests.flatMap((request) => request.results.map(({ text }) => text));
    expect(results).toContain('right');
  });

  test('of a call and of a check: two, one after the other', { timeout: 40_000 }, async () => {
    const write = { calls: [{ name: 'write_file', input: { file_path: 'a.txt', content: 'x' } }] };
    const planned = planOf({ checks: [{ criterion: 'c', command: 'grep x a.txt' }] }, { required_tool: 'write_file' });
    const script = { planner: [planned], executor: { step_1: [write, report()] } };
    await using cli = await createCliHome({ respond: respondTo(script) });
    await using terminal = open(cli, '--sandbox', 'external');
    await terminal.until(/file_path: a\.txt[\s\S]*or say why not: /);
    terminal.type('y\r');
    await terminal.until(/command: grep x a\.txt[\s\S]*or say why not: /);
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    expect(await cli.read('a.txt')).toBe('x');
  });
});
