import { expect, it } from 'vitest';
import { bindTool, callTool } from '../../testing/call-tool.ts';
import { createTempWorkspace } from '../../testing/temp-workspace.ts';
import askUser from './ask-user.ts';
import bash from './bash.ts';
import bashControl from './bash-control.ts';

it('bash shows output and what became of the command', async () => {
  await using host = createTempWorkspace({ f: '' });
  const run = async (command: string, more = {}) => {
    const { status, text } = await callTool(bash, host, { command, ...more });
    return [status, text];
  };
  expect(await run('ls; echo oops >&2')).toEqual(['ok', 'f\noops']);
  expect(await run('true')).toEqual(['ok', '[no output]']);
  expect(await run('echo no; exit 7')).toEqual(['ok', 'no\n[exit code 7]']);
  expect(await run('kill -TERM $$')).toEqual(['ok', '[ended by signal SIGTERM]']);
  expect(await run('echo begin; sleep 9', { timeout_seconds: 0.3 })).toEqual([
    'error',
    'begin\n[timed out after 0.3 s; it was ended with everything it had started]',
  ]);
});

it('bash shows progress and ends when it is aborted', async () => {
  await using host = createTempWorkspace();
  const abort = new AbortController();
  const { status, text } = await callTool(
    bash,
    host,
    { command: 'echo hi; sleep 9' },
    { signal: abort.signal, emit: () => abort.abort() },
  );
  expect([status, text]).toEqual(['cancelled', 'hi\n[aborted]']);
});

it('bash_control looks at and ends what runs in the background', async () => {
  await using host = createTempWorkspace();
  const control = async (input: Record<string, unknown>) => (await callTool(bashControl, host, input)).text;
  expect(await control({ action: 'list' })).toBe('There are no background commands.');
  expect((await callTool(bash, host, { command: 'sleep 65.5', background: true })).text).toContain('id 1');
  expect(await control({ action: 'list' })).toBe('1: running: sleep 65.5');
  expect(await control({ action: 'output', id: '1' })).toBe('1: running: sleep 65.5\n[no new output]');
  expect(await control({ action: 'output', id: '7' })).toBe(
    'There is no background command with id "7". Known ids: 1.',
  );
  expect(await control({ action: 'kill', id: '1' })).toBe('1: ended by a signal: sleep 65.5\n[no new output]');
});

it('ask_user hands a question over', () => {
  const { ask } = bindTool(askUser, {} as never);
  expect(ask?.({ question: 'Which?', options: ['a', 'b'] })).toEqual({ question: 'Which?', options: ['a', 'b'] });
  expect(ask?.({ question: 'Why?' })).toEqual({ question: 'Why?' });
});
