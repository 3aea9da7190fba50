import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseDotEnv, readEnvironment, saveVariable } from './environment.ts';
import {
  chooseModel,
  defaultProvider,
  keyVariable,
  loadProviderConfig,
  type ProviderSources,
  saveKey,
} from './provider.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rein-env-'));
});

test('parseDotEnv reads the usual forms and expands nothing', () => {
  const text = [
    '# comment',
    'A=1',
    'export B = two words # note',
    "C='single # $A \\n'",
    'D="double \\"q\\" # $A\\nnext" # note',
    'E=',
    'F=a#b',
    'G=$(rm x)`y`$A',
    'A=last',
    '=x',
    '1X=x',
    'no assignment',
    '__proto__=x',
  ];
  for (const newline of ['\n', '\r\n']) {
    expect(Object.fromEntries(parseDotEnv(text.join(newline)))).toEqual({
      A: 'last',
      B: 'two words',
      C: 'single # $A \\n',
      D: 'double "q" # $A\nnext',
      E: '',
      F: 'a#b',
      G: '$(rm x)`y`$A',
      ['__proto__']: 'x',
    });
  }
});

test('the process stands above .env; a blank variable counts as absent', async () => {
  await writeFile(join(home, '.env'), 'A=file\nB=file\nC=\n');
  const environment = await readEnvironment({ REIN_HOME: home, HOME: '/h', A: 'process', B: ' ' });
  expect(['A', 'B', 'C', 'D'].map(environment.get)).toEqual(['process', 'file', undefined, undefined]);
  expect(environment.process).toEqual({ REIN_HOME: home, HOME: '/h', A: 'process', B: ' ' });
});

test('the home is $REIN_HOME, else ~/.rein', async () => {
  const homes = await Promise.all(
    [{ HOME: '/nobody' }, { HOME: '/nobody', REIN_HOME: '/elsewhere/x/..' }, {}].map((variables) =>
      readEnvironment(variables),
    ),
  );
  expect(homes.map((each) => [each.home, each.userHome])).toEqual([
    ['/nobody/.rein', '/nobody'],
    ['/elsewhere', '/nobody'],
    [join(homedir(), '.rein'), homedir()],
  ]);
});

test('security C9: a value that looks like a flag stays text', async () => {
  const environment = await readEnvironment({ REIN_HOME: home, OPENAI_MODEL_NAME: '--settings=evil.json' });
  expect(loadProviderConfig('openai', sources(environment.get)).model).toBe('--settings=evil.json');
});

test('what saveVariable writes is read back, other lines stay, the file is 0600', async () => {
  const file = join(home, '.env');
  await writeFile(file, '# mine\nA=1\nB=2\n', { mode: 0o644 });
  const values = ['sk-abc_123', 'with space', 'a"b\\c', "it's # not a note", '$(x)', 'line\nbreak', '='];
  for (const value of values) {
    await saveVariable(home, 'A', value);
    expect(parseDotEnv(await readFile(file, 'utf8'))).toEqual(
      new Map([
        ['B', '2'],
        ['A', value],
      ]),
    );
  }
  expect(await readFile(file, 'utf8')).toMatch(/^# mine\nB=2\nA=/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

function sources(get: (name: string) => string | undefined, config: ProviderSources['config'] = {}): ProviderSources {
  return {
    config,
    environment: { get },
    definitions: new Map(
      [
        { name: 'anthropic', envPrefix: 'ANTHROPIC', defaultModel: 'a-1', defaultBaseUrl: 'https://a.test' },
        { name: 'custom', envPrefix: 'CUSTOM', defaultModel: 'c-1' },
        { name: 'offline', defaultModel: 'rules', keyless: true },
        { name: 'openai', envPrefix: 'OPENAI', defaultModel: 'o-1', defaultBaseUrl: 'https://o.test/v1' },
        { name: 'zeta', envPrefix: 'ZETA', defaultModel: 'z-1' },
      ].map((each) => [each.name, each]),
    ),
  };
}

const from = (variables: Record<string, string>, config: ProviderSources['config'] = {}) =>
  sources((name) => variables[name], config);

test('loadProviderConfig: environment over configuration over defaults', () => {
  const config = {
    providers: { custom: { baseUrl: 'http://c/v1/', model: 'set', userAgent: 'set', headers: { a: 'b' } } },
  };
  expect(loadProviderConfig('openai', from({}))).toEqual({
    provider: 'openai',
    model: 'o-1',
    baseUrl: 'https://o.test/v1',
  });
  expect(loadProviderConfig('custom', from({}, config))).toEqual({
    provider: 'custom',
    model: 'set',
    baseUrl: 'http://c/v1',
    userAgent: 'set',
    headers: { a: 'b' },
  });
  const variables = {
    CUSTOM_API_KEY: 'k',
    CUSTOM_BASE_URL: 'http://e/v1',
    CUSTOM_MODEL_NAME: 'env',
    CUSTOM_USER_AGENT: 'UA',
  };
  expect(loadProviderConfig('custom', from(variables, config))).toEqual({
    provider: 'custom',
    model: 'env',
    apiKey: 'k',
    baseUrl: 'http://e/v1',
    userAgent: 'UA',
    headers: { a: 'b' },
  });
  expect(loadProviderConfig('offline', from({ undefined_API_KEY: 'x' }))).toEqual({
    provider: 'offline',
    model: 'rules',
  });
  expect(() => loadProviderConfig('nope', from({}))).toThrow('E_PROVIDER_UNKNOWN');
});

test('defaultProvider: the configured one, else the first with a key, else offline', () => {
  const keys = { ZETA_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', CUSTOM_API_KEY: 'k' };
  expect(defaultProvider(from(keys, { provider: 'zeta' }))).toBe('zeta');
  expect(defaultProvider(from(keys))).toBe('anthropic');
  expect(defaultProvider(from({ ...keys, OPENAI_API_KEY: 'k' }))).toBe('openai');
  expect(defaultProvider(from({ ZETA_API_KEY: 'k' }))).toBe('zeta');
  expect(defaultProvider(from({ OPENAI_BASE_URL: 'http://x' }))).toBe('offline');
});

test('chooseModel reads provider/model, a provider or a model', () => {
  const chosen = (text: string | undefined, config: ProviderSources['config'] = {}) => {
    const { provider, model } = chooseModel(text, from({ ANTHROPIC_API_KEY: 'k' }, config));
    return `${provider} ${model}`;
  };
  expect(chosen(undefined)).toBe('anthropic a-1');
  expect(chosen(undefined, { model: 'openai/o-2' })).toBe('openai o-2');
  expect(chosen(undefined, { provider: 'zeta', model: 'm' })).toBe('zeta m');
  expect(chosen('openai/o-3', { model: 'x' })).toBe('openai o-3');
  expect(chosen('custom/vendor/model:free')).toBe('custom vendor/model:free');
  expect(chosen('vendor/model', { provider: 'zeta' })).toBe('zeta vendor/model');
  const own = { provider: 'openai', providers: { openai: { baseUrl: 'http://mine/v1' } } };
  expect(chosen('vendor/model', own)).toBe('openai vendor/model');
  expect(chosen('offline')).toBe('offline rules');
  expect(() => chosen(undefined, { provider: 'gone' })).toThrow('E_PROVIDER_UNKNOWN');
});

test('a name that would reach another provider, or none, is an error', () => {
  const chosen = (text: string, keys: Record<string, string>) => () => chooseModel(text, from(keys));
  for (const key of ['ANTHROPIC', 'OPENAI', 'NO']) {
    expect(chosen('nope/x', { [`${key}_API_KEY`]: 'k' })).toThrow('E_PROVIDER_UNKNOWN');
  }
  expect(chosen('gpt-5', {})).toThrow('E_MODEL_UNKNOWN');
  expect(chosen('rules', {})()).toMatchObject({ provider: 'offline', model: 'rules' });
});

test('saveKey stores the key where the environment finds it', async () => {
  const { definitions } = from({});
  const save = (key: string) =>
    saveKey({ provider: 'openai', variable: keyVariable('openai', definitions), key, home });
  await save(' sk-1\n');
  const environment = await readEnvironment({ REIN_HOME: home });
  expect(loadProviderConfig('openai', sources(environment.get)).apiKey).toBe('sk-1');
  for (const name of ['offline', '../x']) expect(() => keyVariable(name, definitions)).toThrow('E_PROVIDER_UNKNOWN');
  for (const key of ['', ' \n', 'two words', 'two\nlines', 'k\u00e9y', 'k\0', 'k'.repeat(5000)]) {
    await expect(save(key), key).rejects.toMatchObject({ code: 'E_KEY_INVALID' });
  }
  expect((await readEnvironment({ REIN_HOME: home })).get('OPENAI_API_KEY')).toBe('sk-1');
});
