// A conversation line by line, as somebody or a pipe has it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCliHome } from './cli-home.ts';

const write = (file_path: string) => ({ calls: [{ name: 'write_file', input: { file_path, content: 'x' } }] });
/** Writes each file that a prompt names, then answers. */
const writer = {
  respond: ({
    userTexts,
    results,
    calls,
  }: {
    userTexts: readonly string[];
    results: readonly unknown[];
    calls: readonly unknown[];
  }) => {
    const name = /^write (\S+)$/.exec(userTexts.at(-1) ?? '')?.[1];
    const prompts = userTexts.filter((text) => /^write \S+$/.test(text)).length;
    return name !== undefined && calls.length < prompts ? write(name) : { text: `Said, ${results.length} results.` };
  },
};

test('lines are prompts of one session; answers are on stdout alone', async () => {
  await using cli = await createCliHome({
    respond: ({ userTexts }) => ({ text: ['Answer to ', userTexts.at(-1) ?? ''] }),
  });
  const { exit, stdout, stderr } = await cli.run(['chat', '.'], { input: 'one\n\n  \ntwo\n' });
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: 'Answer to one\nAnswer to two\n', stderr: '' });
  expect(cli.server.prefixReport().map(({ requests }) => requests)).toEqual([2]);
});

describe('approvals', () => {
  test.each([
    { line: 'y', written: true },
    { line: 'yes', written: true },
    { line: 's', written: true },
    { line: 'a', written: true },
    { line: 'n', written: false },
    { line: 'not this file', written: false },
  ])('$line', async ({ line, written }) => {
    await using cli = await createCliHome(writer);
    await cli.run(['trust', '.', '--yes']);
    const { exit, stderr } = await cli.run(['chat', '.'], { input: `write a.txt\n${line}\n` });
    expect(exit).toBe(0);
    expect(stderr).toContain('write_file');
    expect(stderr).toContain('file_path: a.txt');
    expect(await cli.read('a.txt').catch(() => undefined)).toBe(written ? 'x' : undefined);
  });

  test('each of several questions is asked once, and takes the one answer that is meant for it', async () => {
    const calls = ['a.txt', 'b.txt', 'c.txt'].flatMap((name) => write(name).calls);
    await using cli = await createCliHome({
      respond: ({ results }) => (results.length > 0 ? { text: 'End.' } : { calls }),
    });
    const { exit, stdout, stderr } = await cli.run(['chat', '.'], { input: 'go\ny\nnot this file\ny\n' });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'End.\n' });
    expect(stderr.match(/file_path: .*/g)).toEqual(['file_path: a.txt', 'file_path: b.txt', 'file_path: c.txt']);
    expect(stderr).not.toContain('rein:');
    const written = ['a.txt', 'b.txt', 'c.txt'].map((name) => cli.read(name).catch(() => undefined));
    expect(await Promise.all(written)).toEqual(['x', undefined, 'x']);
  });

  test('what means nothing is asked again', async () => {
    await using cli = await createCliHome(writer);
    await cli.run(['chat', '.'], { input: 'write a.txt\n\nq\n?\ny\n' });
    expect(await cli.read('a.txt')).toBe('x');
  });

  test('at the end of the input nobody says yes', async () => {
    await using cli = await createCliHome(writer);
    expect(await cli.run(['chat', '.'], { input: 'write a.txt\n' })).toMatchObject({ exit: 0 });
    await expect(cli.read('a.txt')).rejects.toThrow('ENOENT');
  });

  test('a reason goes to the model, and the run goes on', async () => {
    await using cli = await createCliHome(writer);
    const { stdout } = await cli.run(['chat', '.'], { input: 'write a.txt\nuse another name\n' });
    expect(stdout).toBe('Said, 1 results.\n');
    expect(JSON.stringify(cli.server.requests.at(-1)?.body)).toContain('use another name');
  });

  test('"always" goes to the configuration of the user', async () => {
    await using cli = await createCliHome(writer);
    await cli.run(['trust', '.', '--yes']);
    await cli.run(['chat', '.'], { input: 'write a.txt\na\n' });
    const config = JSON.parse(await readFile(join(cli.home, 'config.json'), 'utf8'));
    expect(config.permissions.allow).toHaveLength(1);
    expect(await cli.run(['-p', 'write a.txt'])).toMatchObject({ exit: 0 });
  });

  test('what hides in a call is shown', async () => {
    await using cli = await createCliHome({
      script: [{ calls: [{ name: 'bash', input: { command: 'echo \u202eevil\u200b\x1b[2J' } }] }, { text: 'No.' }],
    });
    const { stderr } = await cli.run(['chat', '.', '--sandbox', 'external'], { input: 'go\nn\n' });
    expect(stderr).toContain('echo \\u{202e}evil\\u{200b}\\u{1b}[2J');
    expect(stderr).not.toMatch(/[\u202e\u200b\x1b]/);
  });
});

test('a question is answered by text or by number', async () => {
  const ask = { calls: [{ name: 'ask_user', input: { question: 'Which one?', options: ['red', 'blue'] } }] };
  for (const [line, answer] of [
    ['2', 'blue'],
    ['neither', 'neither'],
  ] as const) {
    await using cli = await createCliHome({ script: [ask, { text: 'Good.' }] });
    const { stdout, stderr } = await cli.run(['chat', '.'], { input: `go\n${line}\n` });
    expect(stdout).toBe('Good.\n');
    expect(stderr).toContain('Which one?');
    expect(stderr).toContain('2. blue');
    expect(cli.server.requests[1]?.results[0]?.text).toContain(answer);
  }
});

test('slash commands', async () => {
  await using cli = await createCliHome({
    respond: ({ userTexts, model }) => ({ text: `${model} ${userTexts.length}` }),
  });
  const input = [
    'one',
    '/cost',
    '/nope',
    '/model custom/other',
    'two',
    '/clear',
    'three',
    '/help',
    '/quit',
    'never',
  ].join('\n');
  const { exit, stdout, stderr } = await cli.run(['chat', '.'], { input });
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^scripted 2\nInput .* USD\n.*custom\/other\nother 3\nother 2\n(\/\w+ .*\n)+$/);
  expect(stderr).toMatch(/^rein: There is no command "\/nope"\.\n {2}.*\n$/);
});

test('an error of a run is said, and the conversation goes on', async () => {
  let first = true;
  await using cli = await createCliHome({
    respond: () => {
      const turn = first ? { status: 400 } : { text: 'Now.' };
      first = false;
      return turn;
    },
  });
  expect(await cli.run(['chat', '.'], { input: 'one\ntwo\n' })).toMatchObject({
    exit: 0,
    stdout: 'Now.\n',
    stderr: expect.stringMatching(/^rein: custom/),
  });
});

test('SIGINT ends the run and stays; the second one leaves', async () => {
  let stalled = false;
  await using cli = await createCliHome({
    respond: () => {
      if (stalled) return { text: 'Later.' };
      stalled = true;
      return { text: ['Begun', ' never'], stall: { after: 2 } };
    },
  });
  const { child, done } = cli.start(['chat', '.']);
  const said = (stream: 'stdout' | 'stderr', text: string) =>
    new Promise<void>((resolve) => child[stream]?.on('data', (data: string) => data.includes(text) && resolve()));
  const begun = said('stdout', 'Begun');
  const stopped = said('stderr', 'stopped');
  child.stdin?.write('one\n');
  await begun;
  child.kill('SIGINT');
  await stopped;
  const later = said('stdout', 'Later.');
  child.stdin?.write('two\n');
  await later;
  const asked = said('stderr', 'Once more');
  child.kill('SIGINT');
  await asked;
  child.kill('SIGINT');
  expect(await done).toMatchObject({ exit: 130 });
});

test('chat refuses what belongs to one answer', async () => {
  await using cli = await createCliHome({ script: [] });
  for (const args of [
    ['--output-format', 'json'],
    ['-i', 'a.png'],
  ]) {
    expect(await cli.run(['chat', '.', ...args])).toMatchObject({ exit: 2 });
  }
});
