import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addRule, getKey, saveConfig, setKey, setKeyText } from './edit.ts';

let home: string;
let file: string;

beforeEach(async () => {
  home = join(await mkdtemp(join(tmpdir(), 'rein-edit-')), 'new', 'home');
  file = join(home, 'config.json');
});

const text = () => readFile(file, 'utf8');

describe('setKey', () => {
  test('what is wrong elsewhere in the file keeps no key from being mended', async () => {
    await mkdir(home, { recursive: true });
    await writeFile(file, '{"sandbox":"maybe","limits":{"maxTurns":"many","maxRetries":1},"colour":1}');
    await expect(setKey(file, 'sandbox', 'perhaps')).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
    await setKey(file, 'sandbox', 'off');
    await setKey(file, 'limits.maxRetries', 2);
    await expect(setKey(file, 'limits', { maxTurn: 1 })).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
    await setKey(file, 'limits.maxTurns', 3);
    await setKey(file, 'colour', undefined);
    expect(JSON.parse(await text())).toEqual({ sandbox: 'off', limits: { maxTurns: 3, maxRetries: 2 } });
  });

  test('what is not accepted changes nothing', async () => {
    await setKey(file, 'theme', 'dark');
    const refuse = ({ theme }: { theme?: string }) => {
      if (theme === 'none') throw new Error('no such theme');
    };
    await expect(setKeyText(file, 'theme', 'none', refuse)).rejects.toThrow('no such theme');
    await setKeyText(file, 'theme', 'light', refuse);
    expect(JSON.parse(await text())).toEqual({ theme: 'light' });
  });

  test('security E3: makes the file 0600 and its folders 0700, whatever the umask', async () => {
    const mask = process.umask(0);
    try {
      await setKey(file, 'model', 'openai/x');
    } finally {
      process.umask(mask);
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect(await text()).toBe('{\n  "model": "openai/x"\n}\n');
    expect(await readdir(home)).toEqual(['config.json']);
  });

  test('keeps comments, order and layout', async () => {
    await mkdir(home, { recursive: true });
    const before = '// mine\n{\n  // why\n  "theme": "dark", // dark\n  "limits": { "maxTurns": 5 }\n}\n';
    await writeFile(file, before);
    await setKey(file, 'theme', 'light');
    expect(await text()).toBe(before.replace('"dark",', '"light",'));
    await setKey(file, 'limits.maxRetries', 2);
    expect(JSON.parse((await text()).replace(/\/\/.*/g, ''))).toEqual({
      theme: 'light',
      limits: { maxTurns: 5, maxRetries: 2 },
    });
    await setKey(file, 'limits', undefined);
    expect(await text()).toContain('// why');
    expect(await text()).not.toContain('limits');
  });

  test('an invalid value changes nothing', async () => {
    await setKey(file, 'theme', 'dark');
    const before = await text();
    for (const [path, value] of [
      ['modle', 'x'],
      ['limits.maxTurns', 'many'],
      ['permissions.deny', ['(']],
      ['__proto__.x', 1],
    ] as const) {
      await expect(setKey(file, path, value), path).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
    }
    expect(await text()).toBe(before);
  });

  test('a broken file is not overwritten', async () => {
    await mkdir(home, { recursive: true });
    await writeFile(file, '{"theme": ');
    await expect(setKey(file, 'theme', 'x')).rejects.toMatchObject({ code: 'E_CONFIG_SYNTAX' });
    expect(await text()).toBe('{"theme": ');
  });

  test('a link stays a link; its target is written', async () => {
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'real.json'), '{}');
    await symlink('real.json', file);
    await setKey(file, 'theme', 'x');
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(join(home, 'real.json'), 'utf8'))).toEqual({ theme: 'x' });
  });

  test('a file in place of the folder is E_CONFIG_WRITE', async () => {
    await mkdir(join(home, '..'), { recursive: true });
    await writeFile(home, 'x');
    await chmod(home, 0o600);
    await expect(setKey(file, 'theme', 'x')).rejects.toMatchObject({ code: 'E_CONFIG_WRITE' });
  });
});

test('setKeyText reads JSON where the key wants it, else text', async () => {
  for (const [path, typed, stored] of [
    ['limits.maxTurns', '7', 7],
    ['model', '7', '7'],
    ['model', 'openai/gpt', 'openai/gpt'],
    ['theme', '"x"', 'x'],
    ['permissions.deny', '["bash(rm *)"]', ['bash(rm *)']],
  ] as const) {
    await setKeyText(file, path, typed);
    expect(getKey(JSON.parse(await text()), path)).toEqual(stored);
  }
  await expect(setKeyText(file, 'limits.maxTurns', '"x"')).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
});

test('getKey finds what is there and nothing inherited', () => {
  const config = { limits: { maxTurns: 5 }, theme: null };
  expect(
    ['limits.maxTurns', 'limits', 'theme', 'x', 'limits.x.y', '__proto__', 'constructor.name', ''].map((path) =>
      getKey(config, path),
    ),
  ).toEqual([5, { maxTurns: 5 }, null, undefined, undefined, undefined, undefined, undefined]);
});

test('saveConfig keeps keys that are not named', async () => {
  await saveConfig(file, { lang: 'en', provider: 'openai' });
  await saveConfig(file, { provider: 'custom', permissions: { mode: 'plan' } });
  expect(JSON.parse(await text())).toEqual({ lang: 'en', provider: 'custom', permissions: { mode: 'plan' } });
});

test('addRule adds a rule once', async () => {
  await addRule(file, 'allow', 'bash(npm test)');
  await addRule(file, 'allow', 'edit_file(a b.ts)');
  await addRule(file, 'allow', 'bash(npm test)');
  await addRule(file, 'deny', 'bash(rm *)');
  expect(JSON.parse(await text()).permissions).toEqual({
    allow: ['bash(npm test)', 'edit_file(a b.ts)'],
    deny: ['bash(rm *)'],
  });
});
