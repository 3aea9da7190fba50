// One answer: what is printed in each format, and the exit codes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { createCliHome, jsonLines } from './cli-home.ts';

const usage = { input: 100, cacheRead: 20, cacheWrite: 0, output: 7 };
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('text', () => {
  test('stdout is the answer alone, and stderr is silent in a pipe', async () => {
    await using cli = await createCliHome({
      script: [{ text: 'Let me look.', calls: [{ name: 'ls' }] }, { text: 'Two files.' }],
    });
    expect(await cli.run(['-p', 'what is here?'])).toEqual({ exit: 0, stdout: 'Two files.\n', stderr: '' });
    cli.server.assertComplete();
    expect(cli.server.requests[0]?.userTexts.at(-1)).toContain('what is here?');
  });

  test('--verbose says on stderr what happens', async () => {
    await using cli = await createCliHome({
      script: [{ calls: [{ name: 'read_file', input: { file_path: 'no.md' } }] }, { text: 'Done.' }],
    });
    const { stdout, stderr } = await cli.run(['-p', 'go', '--verbose']);
    expect(stdout).toBe('Done.\n');
    expect(stderr).toMatch(/^· read_file no\.md\n {2}failed: .*\n$/);
  });
});

describe('json', () => {
  test('is one object', async () => {
    await using cli = await createCliHome({ script: [{ text: 'Hello.', usage }] });
    const { exit, stdout, stderr } = await cli.run(['-p', 'hi', '--output-format', 'json']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(jsonLines(stdout)).toEqual([
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'Hello.',
        session_id: uuid,
        num_turns: 1,
        duration_ms: expect.any(Number),
        total_cost_usd: 0,
        usage: {
          input_tokens: 100,
          output_tokens: 7,
          cache_read_input_tokens: 20,
          cache_creation_input_tokens: 0,
        },
        permission_denials: [],
      },
    ]);
  });

  test('hidden characters of the answer are escaped, and parse to the same text', async () => {
    const text = 'a\u202eb\u200bc\u2028d\u{e0041}e';
    await using cli = await createCliHome({ script: [{ text }] });
    const { stdout } = await cli.run(['-p', 'hi', '--output-format', 'json']);
    expect(stdout).toMatch(/^[\x20-\x7e]*\n$/);
    expect(jsonLines(stdout)[0]).toMatchObject({ result: text });
  });
});

test('stream-json has the lines of the known format', async () => {
  await using cli = await createCliHome(
    {
      script: [
        { text: 'Looking.', calls: [{ name: 'ls', id: 'call_1' }], usage },
        { text: ['Two ', 'files.'], usage },
      ],
    },
    { 'a.txt': 'a' },
  );
  await mkdir(join(cli.home, 'skills'), { recursive: true });
  await mkdir(join(cli.home, 'agents'), { recursive: true });
  await writeFile(join(cli.home, 'skills/ship.md'), '---\ndescription: Ships.\n---\nShip it.');
  const hidden = '---\ndescription: Ships unseen.\ndisable-model-invocation: true\n---\nShip it.';
  await writeFile(join(cli.home, 'skills/hidden.md'), hidden);
  await writeFile(join(cli.home, 'agents/scout.md'), '---\ndescription: Scouts.\n---\nScout.');
  const { stdout } = await cli.run([
    '-p',
    'look',
    '--output-format',
    'stream-json',
    '--permission-mode',
    'acceptEdits',
  ]);
  const [init, ...rest] = jsonLines(stdout);
  expect(init).toEqual({
    type: 'system',
    subtype: 'init',
    session_id: uuid,
    cwd: cli.workspace,
    tools: expect.arrayContaining(['bash', 'edit_file', 'ls', 'read_file']),
    mcp_servers: [],
    model: 'custom/scripted',
    permissionMode: 'acceptEdits',
    sandbox: 'proven',
    slash_commands: expect.arrayContaining(['help', 'quit']),
    skills: ['analyze', 'review', 'ship'],
    plugins: [],
    agents: ['executor', 'general', 'planner', 'reviewer', 'scout'],
    apiKeySource: 'none',
    output_style: 'default',
    uuid,
  });
  const line = { parent_tool_use_id: null, session_id: init?.session_id, uuid };
  const message = {
    type: 'message',
    role: 'assistant',
    model: 'custom/scripted',
    stop_sequence: null,
    id: expect.stringMatching(/^msg_\d+$/),
  };
  const tokens = {
    input_tokens: 100,
    output_tokens: 7,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 0,
  };
  const call = { type: 'tool_use', id: 'call_1', name: 'ls', input: {} };
  expect(rest).toEqual([
    {
      type: 'assistant',
      message: {
        ...message,
        content: [{ type: 'text', text: 'Looking.' }, call],
        stop_reason: 'tool_use',
        usage: tokens,
      },
      ...line,
    },
    {
      type: 'user',
      message: {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [{ type: 'text', text: expect.stringContaining('a.txt') }],
          },
        ],
      },
      ...line,
    },
    {
      type: 'assistant',
      message: { ...message, content: [{ type: 'text', text: 'Two files.' }], stop_reason: 'end_turn', usage: tokens },
      ...line,
    },
    expect.objectContaining({
      type: 'result',
      subtype: 'success',
      num_turns: 2,
      result: 'Two files.',
      session_id: init?.session_id,
    }),
  ]);
});

test('--include-partial-messages adds what is being written', async () => {
  await using cli = await createCliHome({ script: [{ text: ['One ', 'two.'] }] });
  const { stdout } = await cli.run(['-p', 'hi', '--output-format', 'stream-json', '--include-partial-messages']);
  const lines = jsonLines(stdout);
  const types = lines.map(({ type }) => type);
  expect([types[0], types.slice(-2)]).toEqual(['system', ['assistant', 'result']]);
  const events = lines.flatMap(({ event }) => (event === undefined ? [] : [event as JsonObject]));
  expect(types.filter((type) => type === 'stream_event')).toHaveLength(events.length);
  // Pieces that arrive together are one.
  const deltas = events.filter(({ type }) => type === 'content_block_delta') as { delta: { text: string } }[];
  expect(deltas.map(({ delta }) => delta.text).join('')).toBe('One two.');
  expect(deltas[0]).toMatchObject({ index: 0, delta: { type: 'text_delta' } });
  expect(events.filter(({ type }) => type !== 'content_block_delta')).toEqual([
    { type: 'message_start', message: { id: 'msg_main', type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_stop' },
  ]);
});

test('events are our own, one a line, the stored ones in order', async () => {
  await using cli = await createCliHome({ script: [{ text: 'Hello.' }] });
  const { stdout } = await cli.run(['-p', 'hi', '--output-format', 'events']);
  const events = jsonLines(stdout);
  expect(events.every(({ v, session, agent }) => v === 1 && typeof session === 'string' && agent === 'main')).toBe(
    true,
  );
  const stored = events.filter(({ seq }) => seq !== undefined);
  expect(stored.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['prompt', 'run-start', 'message', 'turn-end', 'run-end']),
  );
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map(({ seq }) => seq).toSorted((a, b) => Number(a) - Number(b)));
});

describe('exit codes', () => {
  const ls = { calls: [{ name: 'ls' }], usage: { input: 1_000_000, output: 100 } };

  test.each([
    { what: 'completed', script: [{ text: 'Hello.' }], args: [], exit: 0, subtype: 'success', code: undefined },
    {
      what: 'turn limit',
      script: [ls],
      args: ['--max-turns', '1'],
      exit: 53,
      subtype: 'error_max_turns',
      code: 'E_MAX_TURNS',
    },
    {
      what: 'error of the provider',
      script: [{ status: 400 }],
      args: [],
      exit: 1,
      subtype: 'error_during_execution',
      code: 'E_PROVIDER_INVALID_REQUEST',
    },
    {
      what: 'authentication',
      script: [{ status: 401 }],
      args: [],
      exit: 41,
      subtype: 'error_during_execution',
      code: 'E_PROVIDER_AUTH',
    },
    {
      what: 'timeout',
      script: [{ text: 'x', stall: { after: 1 } }],
      args: ['--timeout', '0.3'],
      exit: 124,
      subtype: 'error_during_execution',
      code: 'E_TIMEOUT',
    },
  ])('$what: $exit', async ({ script, args, exit, subtype, code }) => {
    await using cli = await createCliHome({ script });
    const run = await cli.run(['-p', 'hi', '--output-format', 'json', ...args]);
    const [result, ...more] = jsonLines(run.stdout);
    expect({
      exit: run.exit,
      subtype: result?.subtype,
      code: (result?.error as { code?: string })?.code,
      more,
    }).toEqual({ exit, subtype, code, more: [] });
    expect(result?.is_error).toBe(exit !== 0);
    expect(run.stderr === '').toBe(exit === 0);
  });

  test('budget: 54', async () => {
    await using cli = await createCliHome({ script: [ls] });
    const settings = `${cli.home}/prices.json`;
    const { writeFile } = await import('node:fs/promises');
    await writeFile(settings, JSON.stringify({ models: { scripted: { prices: { input: 3, output: 15 } } } }));
    const { exit, stdout } = await cli.run([
      '-p',
      'hi',
      '--output-format',
      'json',
      '--max-budget-usd',
      '1',
      '--settings',
      settings,
    ]);
    expect({ exit, ...jsonLines(stdout)[0] }).toMatchObject({
      exit: 54,
      subtype: 'error_max_budget_usd',
      is_error: true,
      total_cost_usd: 3.0015,
    });
  });

  test('security I4: a call that needs a yes where nobody can be asked is refused, named, and ends in 55', async () => {
    await using cli = await createCliHome({
      script: [
        { calls: [{ name: 'write_file', input: { file_path: 'a.txt', content: 'x' }, id: 'call_1' }] },
        { text: 'I could not.' },
      ],
    });
    const { exit, stdout, stderr } = await cli.run(['-p', 'write', '--output-format', 'json']);
    const input = { file_path: 'a.txt', content: 'x' };
    expect({ exit, ...jsonLines(stdout)[0] }).toMatchObject({
      exit: 55,
      subtype: 'success',
      is_error: false,
      permission_denials: [{ tool_name: 'write_file', tool_use_id: 'call_1', tool_input: input }],
    });
    expect(stderr).toContain('write_file');
    expect(cli.server.requests[1]?.results[0]?.text).toContain('nobody can be asked');
    await expect(cli.read('a.txt')).rejects.toThrow('ENOENT');
  });

  test("a user's own deny rule and dontAsk do not change the exit code", async () => {
    const script = () => ({
      script: [
        { calls: [{ name: 'write_file', input: { file_path: 'a.txt', content: 'x' } }] },
        { text: 'I may not.' },
      ],
    });
    for (const args of [
      ['--disallowedTools', 'write_file'],
      ['--permission-mode', 'dontAsk'],
    ]) {
      await using cli = await createCliHome(script());
      expect(await cli.run(['-p', 'write', ...args])).toMatchObject({ exit: 0, stdout: 'I may not.\n' });
    }
  });

  test('configuration: 52, in each format', async () => {
    await using cli = await createCliHome({ script: [] });
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${cli.home}/config.json`, '{ "sandbox": "maybe" }');
    const text = await cli.run(['-p', 'hi']);
    expect(text).toMatchObject({ exit: 52, stdout: '' });
    expect(text.stderr).toMatch(/^rein: .*config\.json: sandbox: .*\n {2}.*\n$/);
    const json = await cli.run(['-p', 'hi', '--output-format', 'json']);
    expect(jsonLines(json.stdout)).toEqual([
      expect.objectContaining({
        type: 'result',
        is_error: true,
        error: { code: 'E_CONFIG_INVALID', message: expect.stringContaining('sandbox') },
      }),
    ]);
    const events = await cli.run(['-p', 'hi', '--output-format', 'events']);
    expect(jsonLines(events.stdout)).toEqual([
      expect.objectContaining({ v: 1, type: 'error', error: expect.objectContaining({ code: 'E_CONFIG_INVALID' }) }),
    ]);
  });
});

describe('case P25: a wrong key', () => {
  test.each(['text', 'json', 'stream-json', 'events'])(
    'as %s: asked once, 41, and stderr names 401',
    async (format) => {
      await using cli = await createCliHome({ respond: () => ({ status: 401 }) });
      const { exit, stdout, stderr } = await cli.run(['-p', 'hi', '--output-format', format]);
      expect(exit).toBe(41);
      expect(stderr).toContain('401');
      expect(stderr).not.toMatch(/ at .*:\d+:\d+|sk-test/);
      expect(cli.server.requests.length).toBe(1);
      if (format === 'text') expect(stdout).toBe('');
      else expect(jsonLines(stdout).at(-1)).toMatchObject({ error: { code: 'E_PROVIDER_AUTH' } });
    },
  );

  test.each([400, 402, 403, 404, 405, 410, 413, 422, 451])('%i is sent once and fails', async (status) => {
    await using cli = await createCliHome({ respond: () => ({ status }) });
    const { exit, stdout } = await cli.run(['-p', 'hi']);
    expect({ failed: exit !== 0, stdout, requests: cli.server.requests.length }).toEqual({
      failed: true,
      stdout: '',
      requests: 1,
    });
  });
});
