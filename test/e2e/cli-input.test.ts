// What goes in: prompts, pipes, images, lines of JSON, and flags that are wrong.
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createCliHome, jsonLines } from './cli-home.ts';

const hello = () => ({ respond: () => ({ text: 'Hello.' }) });
/** 1 x 1 pixels. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');

describe('the prompt', () => {
  test.each([
    { what: 'after -p', args: ['-p', 'one'], input: '', prompt: 'one' },
    { what: 'from a pipe without -p', args: [], input: 'two\n', prompt: 'two\n' },
    { what: 'from a pipe with -p -', args: ['-p', '-'], input: 'three', prompt: 'three' },
    { what: 'from a pipe with -p at the end', args: ['--verbose', '-p'], input: 'four', prompt: 'four' },
    {
      what: 'with a pipe as context',
      args: ['-p', 'explain'],
      input: 'a <b>\n',
      prompt: 'explain\n\n<stdin>\na <b>\n</stdin>',
    },
  ])('$what', async ({ args, input, prompt }) => {
    await using cli = await createCliHome(hello());
    expect(await cli.run(args, { input })).toMatchObject({ exit: 0, stdout: 'Hello.\n' });
    expect(cli.server.requests[0]?.userTexts.at(-1)).toContain(prompt);
  });

  test('an empty one is refused before a session is made', async () => {
    await using cli = await createCliHome(hello());
    for (const args of [[], ['-p', '-'], ['-p', ''], ['-p', ' \n']]) {
      expect(await cli.run(args)).toMatchObject({
        exit: 42,
        stdout: '',
        stderr: expect.stringMatching(/^rein: The prompt is empty\.\n {2}.*\n$/),
      });
    }
    expect(jsonLines((await cli.run(['sessions', 'list', '--output-format', 'json'])).stdout)).toEqual([[]]);
  });

  test('a pipe that stays open and silent does not hold up the run for ever', async () => {
    await using cli = await createCliHome(hello());
    const { child, done } = cli.start(['-p', 'hi']);
    expect(await done).toMatchObject({
      exit: 0,
      stdout: 'Hello.\n',
      stderr: expect.stringContaining('standard input'),
    });
    expect(child.exitCode).toBe(0);
  });
});

describe('security C9: a text argument that looks like a flag stays text', () => {
  const evil = '{"permissions":{"mode":"bypassPermissions"},"model":"custom/evil"}';
  const values = [
    '--settings=evil.json',
    '--settings',
    '--model=evil',
    '-c',
    '--version',
    '--help',
    '-h',
    '--',
    '-',
    '--lang=zh-CN',
  ];

  test.each(values.filter((value) => value !== '-'))('-p %s', async (value) => {
    await using cli = await createCliHome(hello(), { 'evil.json': evil });
    expect(await cli.run(['-p', value])).toMatchObject({ exit: 0, stdout: 'Hello.\n', stderr: '' });
    expect(cli.server.requests.map(({ model, userTexts }) => [model, userTexts.at(-1)?.includes(value)])).toEqual([
      ['scripted', true],
    ]);
  });

  test.each(values)('--append-system-prompt %s', async (value) => {
    await using cli = await createCliHome(hello(), { 'evil.json': evil });
    expect(await cli.run(['--append-system-prompt', value, '-p', 'hi'])).toMatchObject({ exit: 0, stdout: 'Hello.\n' });
    expect(cli.server.requests.map(({ model, system }) => [model, system.includes(value)])).toEqual([
      ['scripted', true],
    ]);
  });

  test('in the environment', async () => {
    await using cli = await createCliHome(hello(), { 'evil.json': evil });
    await cli.run(['-p', 'hi'], { env: { CUSTOM_MODEL_NAME: '--settings=evil.json' } });
    expect(cli.server.requests[0]?.model).toBe('--settings=evil.json');
  });
});

describe('case P04: pictures', () => {
  test('what a file is, its first bytes say', async () => {
    await using cli = await createCliHome(hello(), { 'a.png': png, 'jpeg.png': jpeg });
    const { exit } = await cli.run(['-p', 'look', '-i', 'a.png', '-i', 'jpeg.png']);
    expect(exit).toBe(0);
    const body = JSON.stringify(cli.server.requests[0]?.body);
    expect(body).toContain(`data:image/png;base64,${png.toString('base64')}`);
    expect(body).toContain(`data:image/jpeg;base64,${jpeg.toString('base64')}`);
  });

  test.each([
    { name: 'chart.png', content: '{"ok":true}', code: 'E_INPUT_IMAGE' },
    { name: 'empty.png', content: '', code: 'E_INPUT_IMAGE' },
    { name: 'cut.png', content: png.subarray(0, 4), code: 'E_INPUT_IMAGE' },
    { name: 'missing.png', content: undefined, code: 'E_INPUT_FILE' },
  ])('$name is refused before anything is sent', async ({ name, content, code }) => {
    await using cli = await createCliHome(hello(), content === undefined ? {} : { [name]: content });
    const { exit, stdout, stderr } = await cli.run(['-p', 'look', '-i', name, '--output-format', 'json']);
    expect({ exit, requests: cli.server.requests.length }).toEqual({ exit: 42, requests: 0 });
    expect(jsonLines(stdout)).toEqual([
      expect.objectContaining({ is_error: true, error: { code, message: expect.stringContaining(name) } }),
    ]);
    expect(stderr).toContain(name);
  });
});

describe('--input-format stream-json', () => {
  const user = (content: unknown) => JSON.stringify({ type: 'user', message: { role: 'user', content } });

  test('each line is a prompt of the same session; lines end at a line feed only', async () => {
    await using cli = await createCliHome({
      respond: ({ userTexts }) => ({ text: `${userTexts.length - 1}: ${userTexts.at(-1)}` }),
    });
    const lines = [user('one\u2028still one'), '', user([{ type: 'text', text: 'two' }])];
    const { exit, stdout } = await cli.run(
      ['-p', '--input-format', 'stream-json', '--output-format', 'json'].slice(1),
      { input: lines.join('\n') },
    );
    const results = jsonLines(stdout);
    expect(exit).toBe(0);
    expect(results.map(({ result }) => result)).toEqual([expect.stringContaining('one\u2028still one'), '2: two']);
    expect(new Set(results.map(({ session_id }) => session_id)).size).toBe(1);
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another type', '{"type":"control_request"}'],
    ['no content', '{"type":"user","message":{}}'],
    ['an unknown block', user([{ type: 'audio' }])],
    [
      'a picture that is none',
      user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'e30=' } }]),
    ],
  ])('%s: 42, and the line is named', async (_, line) => {
    await using cli = await createCliHome(hello());
    const { exit, stdout, stderr } = await cli.run(['--input-format', 'stream-json', '--output-format', 'json'], {
      input: `\n${line}\n`,
    });
    expect({ exit, requests: cli.server.requests.length }).toEqual({ exit: 42, requests: 0 });
    expect(jsonLines(stdout)[0]).toMatchObject({ is_error: true, error: { code: 'E_INPUT_FORMAT' } });
    expect(stderr).toContain('line 2');
  });
});

describe('wrong arguments: 2, one line and a hint', () => {
  test.each([
    [['--nope'], '--nope'],
    [['-p', '--output-format', 'json'], '-p'],
    [['config', 'get', 'no.such'], 'no.such'],
    [['analyze', '.', '-p', 'x'], '--print'],
  ])('%j names %s', async (args, named) => {
    await using cli = await createCliHome(hello());
    const { exit, stdout, stderr } = await cli.run(args);
    expect({ exit, stdout: args.includes('json') ? '' : stdout, requests: cli.server.requests.length }).toEqual({
      exit: 2,
      stdout: '',
      requests: 0,
    });
    expect(stderr).toMatch(/^rein: [^\n]+\n {2}[^\n]+\n$/);
    expect(stderr.split('\n')[0]).toContain(named);
  });

  test('in other languages too', async () => {
    await using cli = await createCliHome(hello());
    const texts = [];
    for (const [args, env] of [
      [['--lang', 'zh-TW'], {}],
      [[], { LC_ALL: 'zh_CN.UTF-8' }],
      [[], { LC_ALL: 'zh_HK.UTF-8' }],
      [[], { LC_ALL: 'de_DE.UTF-8' }],
    ] as const) {
      texts.push((await cli.run([...args, '--nope'], { env })).stderr.split('\n')[0]);
    }
    expect(texts).toEqual([
      'rein: 沒有選項 --nope。',
      'rein: 没有选项 --nope。',
      'rein: 沒有選項 --nope。',
      'rein: There is no flag --nope.',
    ]);
  });
});

test('--cd works in another folder; one that is missing is 42', async () => {
  await using cli = await createCliHome(
    { script: [{ calls: [{ name: 'ls' }] }, { text: 'Done.' }] },
    { 'sub/inner.txt': 'x' },
  );
  expect(await cli.run(['-C', 'sub', '-p', 'look'])).toMatchObject({ exit: 0 });
  expect(cli.server.requests[1]?.results[0]?.text).toContain('inner.txt');
  expect(await cli.run(['-C', 'missing', '-p', 'look'])).toMatchObject({
    exit: 42,
    stderr: expect.stringContaining('missing'),
  });
});

test('--allowedTools and its other spelling add up', async () => {
  const write = (file_path: string) => ({ name: 'write_file', input: { file_path, content: 'x' } });
  await using cli = await createCliHome({
    script: [{ calls: [write('a.txt'), write('b.txt'), write('c.txt')] }, { text: 'Done.' }],
  });
  const { exit } = await cli.run([
    '-p',
    'go',
    '--allowedTools',
    'write_file(a.txt), Bash(git log *)',
    '--allowed-tools',
    'Write(b.txt)',
  ]);
  expect(exit).toBe(55);
  expect(await Promise.all(['a.txt', 'b.txt', 'c.txt'].map((file) => cli.read(file).catch(() => undefined)))).toEqual([
    'x',
    'x',
    undefined,
  ]);
});

test('login takes the key from standard input and keeps it for the owner alone', async () => {
  await using cli = await createCliHome(hello());
  const key = 'sk-secret-value-1234';
  const { exit, stdout, stderr } = await cli.run(['login', 'openai'], { input: `${key}\n` });
  expect({ exit, stdout, told: (stdout + stderr).includes(key) }).toEqual({ exit: 0, stdout: '', told: false });
  expect(await readFile(`${cli.home}/.env`, 'utf8')).toBe(`OPENAI_API_KEY=${key}\n`);
  const { mode } = await import('node:fs/promises').then(({ stat }) => stat(`${cli.home}/.env`));
  expect(mode & 0o777).toBe(0o600);
  expect(await cli.run(['login', 'nobody'], { input: 'x' })).toMatchObject({
    exit: 52,
    stderr: expect.stringContaining('openai'),
  });
  expect(await cli.run(['login', 'openai'], { input: '\n' })).toMatchObject({ exit: 42 });
});

test('a configuration file that is damaged is named with its place', async () => {
  await using cli = await createCliHome(hello());
  await writeFile(`${cli.home}/config.json`, '{ "model": }');
  const { exit, stderr } = await cli.run(['-p', 'hi']);
  expect({ exit, named: stderr.includes('config.json, line 1, column 12') }).toEqual({ exit: 52, named: true });
});
