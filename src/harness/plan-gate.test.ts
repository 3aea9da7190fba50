import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type DefinedHook, defineHook } from '../protocol/define/hook.ts';
import { defineTool } from '../protocol/define/tool.ts';
import type { Decision } from '../protocol/interrupt.ts';
import { planRigs } from '../testing/plan/plan-rig.ts';
import { planOf, report, review } from '../testing/plan/plan-script.ts';
import { waitFor } from '../testing/time.ts';

const start = planRigs(afterEach);

const write = (file_path: string, content = 'text') => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
});
const exists = (path: string) => ({ criterion: `${path} is there`, file_exists: path });
const writes = (...checks: object[]) => planOf({ checks }, { required_tool: 'write_file' });

describe('the gate that wants evidence', () => {
  it('is verified by checks that pass, with the place of the log and the state of the files', async () => {
    const matches = { criterion: 'it says so', file_matches: { path: 'a.txt', pattern: '^te' } };
    const { session, state } = await start({
      planner: [writes(exists('a.txt'), matches)],
      executor: { step_1: [write('a.txt'), report()] },
    });
    const outcome = await session.run('Write it.');
    expect(outcome.verification).toEqual({
      status: 'verified',
      checks: [
        { criterion: 'a.txt is there', ok: true, output: 'a.txt: file, 4 bytes' },
        { criterion: 'it says so', ok: true, output: 'a.txt:1: text' },
      ],
      evidence: { seq: expect.any(Number), files: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(state().evidence).toEqual(outcome.verification?.evidence);
  });

  it('has failed when the executor claims success and the reviewer passes it, but the check fails', async () => {
    const { session, roles } = await start({ planner: [writes(exists('a.txt'))] });
    expect(await session.run('Write it.')).toMatchObject({
      stop: 'completed',
      verification: {
        status: 'failed',
        reason: 'check-failed',
        checks: [{ criterion: 'a.txt is there', ok: false, output: 'a.txt does not exist' }],
      },
    });
    expect(roles().filter((role) => role === 'executor step_1')).toHaveLength(4);
  });

  it('lets a check that failed mend the work, and runs it again', async () => {
    const { session, seen } = await start({
      planner: [writes(exists('a.txt'))],
      executor: { step_1: [report(), write('a.txt'), report()] },
    });
    expect(await session.run('Write it.')).toMatchObject({ verification: { status: 'verified' } });
    expect(seen[3]?.request.userTexts.at(-1)).toContain('The check of "a.txt is there" failed: a.txt does not exist');
  });

  const launch = defineTool({
    name: 'launch',
    description: 'Leaves no trace in the files.',
    input: z.object({}),
    risk: 'execute',
    execute: () => 'launched',
  });

  it.each([
    ['writes', 'write_file', write('b.txt'), true],
    ['executes', 'launch', { calls: [{ name: 'launch', input: {} }] }, false],
  ])('is voided by a call that %s after the checks', async (_name, tool, call, isThere) => {
    const script = {
      planner: [writes(exists('a.txt'))],
      executor: { step_1: [write('a.txt'), report()] },
      reviewer: [call, review()],
    };
    const { place, harness, session } = await start(script, { tools: [launch] });
    // A reviewer of the user's own may have more tools than ours.
    const own = '---\ndescription: Reviews.\n---\nYou are the reviewer of Rein.';
    ((await harness.agents()) as Map<string, object>).set('reviewer', { name: 'reviewer', prompt: own.slice(28) });
    expect((await session.run('Write it.')).verification).toMatchObject({
      status: 'failed',
      reason: 'voided',
      evidence: { voided: tool },
    });
    expect(existsSync(join(place.workspace, 'b.txt'))).toBe(isThere);
  });

  it('is voided when the files are others at the end than they were at the checks', async () => {
    const { place, session } = await start({
      planner: [writes(exists('a.txt'))],
      executor: { step_1: [write('a.txt'), report()] },
    });
    session.listen((event) => {
      const isReviewed = event.type === 'run-end' && event.agent.startsWith('main/reviewer');
      if (isReviewed) void writeFile(join(place.workspace, 'late.txt'), 'late');
    });
    expect((await session.run('Write it.')).verification).toMatchObject({
      status: 'failed',
      reason: 'voided',
      evidence: { voided: 'files' },
    });
  });

  const changing = { criterion: 'lint', command: 'echo broken > a.txt' };
  const own = { criterion: 'a.txt says yes', command: 'grep -q yes a.txt' };
  const settled = { gated: true, flags: { permissionMode: 'acceptEdits', sandbox: 'external' } } as const;

  it('runs the user’s own checks last, so that no other has a say after them', async () => {
    const options = { ...settled, files: { 'a.txt': 'yes\n' }, open: { verify: [own] } };
    const { session } = await start({ planner: [planOf({ checks: [changing] })] }, options);
    expect((await session.run('Do it.')).verification).toMatchObject({
      status: 'failed',
      reason: 'check-failed',
      checks: [
        { criterion: 'lint', ok: true },
        { criterion: 'a.txt says yes', ok: false },
      ],
    });
  });

  it.each([
    ['changes', 'echo more >> a.txt', ['a.txt']],
    ['makes', 'touch b.txt sub/c.txt', ['b.txt', 'sub/c.txt']],
    ['removes', 'rm sub/d.txt', ['sub/d.txt']],
    ['changes the mode of', 'chmod +x a.txt', ['a.txt']],
  ])('is voided by a check that %s files, and names them', async (_name, command, changed) => {
    const files = { 'a.txt': 'yes\n', 'sub/d.txt': 'd' };
    const verify = [{ criterion: 'first', command }, own];
    const { session } = await start({}, { ...settled, files, open: { verify } });
    expect((await session.run('Do it.')).verification).toMatchObject({
      status: 'failed',
      reason: 'voided',
      checks: [{ ok: true }, { ok: true }],
      evidence: { voided: 'files', changed },
    });
  });

  it('lets a check write what is ignored', async () => {
    const files = { 'a.txt': 'yes\n', '.gitignore': 'dist\n' };
    const verify = [{ criterion: 'it builds', command: 'mkdir dist && cp a.txt dist' }, own];
    const { session } = await start({}, { ...settled, files, open: { verify } });
    expect((await session.run('Do it.')).verification).toMatchObject({ status: 'verified' });
  });

  it('runs the user’s own checks unasked, with exit code and the tail of the output', async () => {
    const own = { criterion: 'the tests', command: 'seq 1 9999; exit 3' };
    const { session } = await start({}, { gated: true, open: { verify: [own] } });
    const { verification } = await session.run('Do it.');
    expect(verification).toMatchObject({ status: 'failed', reason: 'check-failed', checks: [{ ok: false, exit: 3 }] });
    expect(verification?.checks[0]?.output).toMatch(/^\.\.\. [\s\S]{0,4000}\n9999$/);
  });

  it('runs the checks of the user’s configuration for every plan', async () => {
    const { place, harness } = await start({});
    const checks = [{ criterion: 'a', file_exists: 'a.txt' }];
    await writeFile(join(place.home, 'config.json'), JSON.stringify({ checks }));
    await harness.close();
    const again = await start({}, { home: place.home });
    expect((await again.session.run('Do it.')).verification).toMatchObject({
      status: 'failed',
      checks: [{ ok: false }],
    });
  });
});

describe('a check that a model proposes', () => {
  it.each([
    ['a command', { command: 'touch harm.txt' }],
    ['a file outside', { file_exists: '/etc/passwd' }],
    ['a secret', { file_matches: { path: '.env', pattern: 'KEY' } }],
  ])('%s that may not run is refused, and the plan has failed', async (_name, check) => {
    const { session, place } = await start(
      { planner: [planOf({ checks: [{ criterion: 'harm', ...check }] })] },
      { gated: true, files: { '.env': 'KEY=1' } },
    );
    const { verification } = await session.run('Do it.');
    expect(verification).toMatchObject({ status: 'failed', reason: 'check-not-run', checks: [{ notRun: true }] });
    expect(JSON.stringify(verification)).not.toContain('KEY=1');
    expect(existsSync(join(place.workspace, 'harm.txt'))).toBe(false);
  });

  const ask = async (hooks: DefinedHook[] = []) => {
    const rig = await start(
      { planner: [planOf({ checks: [{ criterion: 'c', command: 'touch seen.txt' }] })] },
      { gated: true, interactive: true, hooks, files: { '.gitignore': '*.txt' } },
    );
    const done = rig.session.run('Do it.');
    const interrupt = await waitFor(async () => (await rig.session.interrupts())[0]);
    const answer = (decision: Omit<Decision, 'digest'>) =>
      rig.session.answer(interrupt.id, { ...decision, digest: interrupt.digest });
    return { ...rig, done, interrupt, answer };
  };

  it('is asked for where somebody can answer, and runs as it was shown', async () => {
    const { done, interrupt, answer, place } = await ask();
    expect(interrupt).toMatchObject({
      kind: 'approval',
      agent: 'main',
      call: { tool: 'bash', input: { command: 'touch seen.txt' } },
    });
    await answer({ decision: 'approve' });
    expect((await done).verification).toMatchObject({ status: 'verified', checks: [{ ok: true, exit: 0 }] });
    expect(existsSync(join(place.workspace, 'seen.txt'))).toBe(true);
  });

  it.each<[string, Omit<Decision, 'digest'>, string]>([
    ['approved', { decision: 'approve' }, 'touch other.txt'],
    ['edited', { decision: 'edit', input: { command: 'touch third.txt' } }, 'touch third.txt'],
  ])('security I1: rewritten by a hook and %s, it runs as it was shown', async (_, decision, command) => {
    const seen: unknown[] = [];
    const rewrite = defineHook({
      name: 'rewrite',
      event: 'PreToolUse',
      run({ input }) {
        seen.push(input.command);
        return { decision: 'allow', input: { command: 'touch other.txt' } };
      },
    });
    const { done, interrupt, answer, place } = await ask([rewrite]);
    expect(interrupt.call?.input).toEqual({ command: 'touch other.txt' });
    await answer(decision);
    expect((await done).verification).toMatchObject({ status: 'verified' });
    const made = ['seen.txt', 'other.txt', 'third.txt'].filter((name) => existsSync(join(place.workspace, name)));
    expect(made).toEqual([command.split(' ')[1]]);
    expect(seen).toEqual(['touch seen.txt', ...(seen.length > 1 ? ['touch seen.txt'] : [])]);
  });

  it('does not run when a person says no', async () => {
    const { done, answer, place } = await ask();
    await answer({ decision: 'reject', reason: 'not here' });
    const { verification } = await done;
    expect(verification).toMatchObject({ status: 'failed', reason: 'check-not-run', checks: [{ output: 'not here' }] });
    expect(existsSync(join(place.workspace, 'seen.txt'))).toBe(false);
  });
});
