// What is wrong with the configuration is said before it is written, and never keeps anybody from mending it.
import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempHome, runCli } from 'rein/testing';
import { describe, expect, test } from 'vitest';

async function createHome(config?: string) {
  const temp = await createTempHome();
  const file = join(temp.home, 'config.json');
  if (config !== undefined) await writeFile(file, config);
  const run = (args: readonly string[], more: { input?: string; env?: Record<string, string> } = {}) =>
    runCli(args, { home: temp.home, cwd: temp.workspace, ...more });
  return { ...temp, file, run, read: () => readFile(file, 'utf8').catch(() => undefined) };
}

describe('config set', () => {
  test.each([
    ['lang', 'xx', 'zh-TW'],
    ['provider', 'nope', 'anthropic'],
    ['model', 'nope/x', 'anthropic'],
    ['roles.planner', 'nope/x', 'anthropic'],
    ['roles', '{"reviewer":"nope/x"}', 'anthropic'],
    ['providers.mine.wire', 'chat', 'baseUrl'],
    ['providers', '{"mine":{"baseUrl":"http://127.0.0.1/v1"}}', 'wire'],
    ['permissions.allow', '["bsh(x)"]', 'bash'],
    ['permissions.mode', 'acceptedits', 'acceptEdits'],
    ['limits.maxTurns', '0', 'limits.maxTurns'],
    ['limits.timeoutSeconds', '1e12', 'limits.timeoutSeconds'],
    ['checks', '[{"criterion":"c"}]', 'file_exists'],
    ['checks', '[{"criterion":"c","command":"x","file_exists":"y"}]', 'file_exists'],
    ['nonsense', 'x', 'nonsense'],
    ['__proto__.x', 'x', '__proto__'],
    ['', 'x', ''],
  ])('%s %s changes nothing: 52, and says what would do', async (key, value, named) => {
    await using home = await createHome();
    const { exit, stdout, stderr } = await home.run(['config', 'set', key, value]);
    expect({ exit, stdout }).toEqual({ exit: 52, stdout: '' });
    expect(stderr).toContain(named);
    expect(stderr).not.toMatch(/^ +at |E_INTERNAL/m);
    expect(await home.read()).toBeUndefined();
  });

  test.each([
    ['lang', 'zh'],
    ['provider', 'offline'],
    ['model', 'openai/gpt-5.1'],
    ['model', 'a-model-of-a-provider-with-a-key-to-come'],
    ['roles.planner', 'anthropic/x'],
    ['providers', '{"mine":{"wire":"chat","baseUrl":"http://127.0.0.1/v1"}}'],
    ['providers.openai.model', 'x'],
    ['checks', '[{"criterion":"c","file_exists":"y"}]'],
    ['limits.timeoutSeconds', '1.5'],
  ])('%s %s is taken, and commands work with it', async (key, value) => {
    await using home = await createHome();
    expect(await home.run(['config', 'set', key, value])).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(await home.run(['config', 'get', key])).toMatchObject({ exit: 0, stderr: '' });
  });

  test('a provider of the user’s own may be named once it is there', async () => {
    await using home = await createHome();
    expect(await home.run(['config', 'set', 'provider', 'mine'])).toMatchObject({ exit: 52 });
    await home.run(['config', 'set', 'providers', '{"mine":{"wire":"chat","baseUrl":"http://127.0.0.1/v1"}}']);
    expect(await home.run(['config', 'set', 'provider', 'mine'])).toMatchObject({ exit: 0 });
  });
});

describe('a configuration that is wrong', () => {
  const wrong = '{"lang":"xx","sandbox":"maybe","limits":{"maxTurns":7}}';
  const syntax = '{"lang": ';

  test.each([wrong, syntax])('%s: help, version, path and doctor work; a run ends with 52', async (config) => {
    await using home = await createHome(config);
    for (const args of [
      ['--help'],
      ['--version'],
      ['--version', '--verbose'],
      ['sessions', '--help'],
      ['help', 'plan'],
    ]) {
      expect(await home.run(args), args.join(' ')).toMatchObject({ exit: 0, stderr: '' });
    }
    expect(await home.run(['config', 'path'])).toMatchObject({ exit: 0, stdout: expect.stringContaining(home.file) });
    const doctor = await home.run(['doctor']);
    expect(doctor).toMatchObject({ exit: 1, stderr: '' });
    expect(doctor.stdout).toContain('✗ Configuration: ');
    expect(doctor.stdout).toContain(home.file);
    expect(await home.run(['-p', 'x'])).toMatchObject({ exit: 52, stdout: '' });
  });

  test('is shown as it stands, with a warning, and mended key by key', async () => {
    await using home = await createHome(wrong);
    const shown = await home.run(['config', 'get', 'limits.maxTurns']);
    expect(shown).toMatchObject({ exit: 0, stdout: '7\n', stderr: expect.stringContaining(home.file) });
    expect(await home.run(['config', 'set', 'lang', 'zh-CN'])).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(await home.run(['config', 'set', 'sandbox', 'off'])).toMatchObject({ exit: 0 });
    expect(await home.run(['config', 'get', 'lang'])).toEqual({ exit: 0, stdout: 'zh-CN\n', stderr: '' });
  });

  test('is not written over where it cannot be read', async () => {
    await using home = await createHome(syntax);
    expect(await home.run(['config', 'get', 'lang'])).toMatchObject({ exit: 52, stdout: '' });
    expect(await home.run(['config', 'set', 'lang', 'en'])).toMatchObject({ exit: 52 });
    expect(await home.read()).toBe(syntax);
  });
});

describe('models that are named', () => {
  test.each([
    ['nope/x', {}, 52, 'Known providers'],
    ['nope/x', { ANTHROPIC_API_KEY: 'k' }, 52, 'Known providers'],
    ['gpt-5', {}, 52, 'rein login'],
    ['openai/gpt-5.1', {}, 41, 'OPENAI_API_KEY'],
    ['openai', {}, 41, 'OPENAI_API_KEY'],
    ['custom/x', {}, 52, 'CUSTOM_BASE_URL'],
  ])('%s with %j: %i', async (model, env, exit, named) => {
    await using home = await createHome();
    for (const flag of ['--model', '--fallback-model']) {
      const main = flag === '--model' ? [] : ['-m', 'offline'];
      expect(await home.run([flag, model, ...main, '-p', 'x'], { env })).toEqual({
        exit,
        stdout: '',
        stderr: expect.stringContaining(named),
      });
    }
  });
});

describe('login', () => {
  test.each([
    ['nope', 'key', 52, 'Known providers'],
    ['offline', 'key', 52, 'Known providers'],
    ['openai', '', 42, 'nothing was given'],
    ['openai', ' \n', 42, 'nothing was given'],
    ['openai', 'two words', 42, 'one word'],
    ['openai', '\x00\xff', 42, 'one word'],
  ])('%s with %j: %i', async (provider, input, exit, named) => {
    await using home = await createHome();
    const result = await home.run(['login', provider], { input });
    expect(result).toEqual({ exit, stdout: '', stderr: expect.stringContaining(named) });
    expect(result.stderr).not.toContain('prompt');
  });
});

test.each(['/proc/nope/h', '/proc', '/dev/null', '/dev/null/h'])(
  'REIN_HOME=%s ends with 52, by name',
  async (folder) => {
    await using home = await createHome();
    const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
    for (const args of [['-p', 'x'], ['sessions', 'list'], ['config', 'set', 'lang', 'en'], ['doctor']]) {
      const { exit, stderr, stdout } = await runCli(args, { home: folder, cwd: home.workspace, timeoutMs: 10_000 });
      expect({ args, exit }).toEqual({ args, exit: args[0] === 'doctor' ? 1 : 52 });
      expect(stderr + stdout).toContain(folder);
      expect(stderr).not.toMatch(/^ +at /m);
    }
    expect(statSync(folder, { throwIfNoEntry: false })?.mode).toBe(mode);
  },
);
