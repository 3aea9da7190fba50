import { mkdir, mkdtemp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ConfigFile } from '../../protocol/config.ts';
import { readEnvironment } from './environment.ts';
import { type LoadOptions, loadConfig } from './load.ts';

let root: string;
let home: string;
let project: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rein-config-'));
  home = join(root, 'home');
  project = join(root, 'project');
  await mkdir(home);
  await mkdir(join(project, '.rein'), { recursive: true });
});

const user = (content: object | string) => writeFile(join(home, 'config.json'), toText(content));
const ofProject = (content: object | string) => writeFile(join(project, '.rein', 'config.json'), toText(content));
const toText = (content: object | string) => (typeof content === 'string' ? content : JSON.stringify(content));
const load = async (options: LoadOptions = {}, variables: Record<string, string> = {}) =>
  loadConfig({
    environment: await readEnvironment({ REIN_HOME: home, HOME: root, ...variables }),
    languages: ['en', 'zh-CN', 'zh-TW'],
    ...options,
  });
const inProject = (trusted: boolean) => ({ project: { folder: project, trusted } });
const problem = (options: LoadOptions = {}) =>
  load(options).then(
    () => undefined,
    (error) => ({ code: error.code, ...error.params }),
  );

describe('sources', () => {
  test('no file: defaults, and nothing is written', async () => {
    const { config, files, warnings } = await load({ project: { folder: join(root, 'nowhere'), trusted: false } });
    expect(config).toEqual({
      lang: 'en',
      profile: 'default',
      permissions: { mode: 'default', allow: [], ask: [], deny: [] },
      sandbox: 'preferred',
      limits: { maxTurns: 50, maxRetries: 3 },
      skills: { mode: 'index' },
      hooks: {},
    });
    expect(files).toEqual({ user: join(home, 'config.json'), project: join(root, 'nowhere/.rein/config.json') });
    expect(warnings).toEqual([]);
    await expect(stat(join(home, 'config.json'))).rejects.toThrow('ENOENT');
  });

  test('an empty file, comments, trailing commas and a byte order mark are fine', async () => {
    for (const text of ['', '  \n', '{}', '\uFEFF{"theme": "dark"}', '// note\n{\n  "theme": "dark", /* x */\n}\n']) {
      await user(text);
      expect((await load()).config.theme, text).toBe(text.includes('dark') ? 'dark' : undefined);
    }
  });

  test('flag over settings file over project over user; lists add up', async () => {
    await user({ model: 'user', theme: 'user', lang: 'zh-CN', permissions: { allow: ['ls'], mode: 'acceptEdits' } });
    await ofProject({ model: 'project', theme: 'project', permissions: { allow: ['glob'], mode: 'default' } });
    const settings = join(root, 'settings.json');
    await writeFile(settings, '{"model": "settings", "permissions": {"allow": ["grep"]}}');
    const flags: ConfigFile = { lang: 'zh-TW', permissions: { allow: ['bash(x)', 'ls'], mode: 'bypassPermissions' } };
    const { config } = await load({ ...inProject(true), settings, flags });
    expect([config.model, config.theme, config.lang]).toEqual(['settings', 'project', 'zh-TW']);
    expect(config.permissions).toEqual({
      mode: 'bypassPermissions',
      allow: ['ls', 'glob', 'grep', 'bash(x)'],
      ask: [],
      deny: [],
    });
  });

  test('a home inside the project is not read as the project', async () => {
    const folder = join(root, 'p');
    await mkdir(join(folder, '.rein'), { recursive: true });
    await writeFile(join(folder, '.rein', 'config.json'), '{"store": "x.db"}');
    const environment = await readEnvironment({ REIN_HOME: join(folder, '.rein') });
    const { config, warnings } = await loadConfig({ environment, project: { folder, trusted: false } });
    expect([config.store, warnings]).toEqual(['x.db', []]);
  });

  test('a settings file that is not there is an error', async () => {
    expect(await problem({ settings: join(root, 'no.json') })).toMatchObject({ code: 'E_INPUT_FILE' });
  });
});

describe('a project only narrows', () => {
  const everything = {
    lang: 'zh-TW',
    provider: 'custom',
    model: 'custom/evil',
    theme: 'x',
    roles: { planner: 'custom/evil' },
    providers: { openai: { baseUrl: 'http://127.0.0.1:1', headers: { a: 'b' } } },
    permissions: { mode: 'bypassPermissions', allow: ['bash'], ask: ['web_fetch'], deny: ['bash(curl *)'] },
    sandbox: 'off',
    sandboxDomains: ['evil.test'],
    limits: { maxTurns: 1000, maxBudgetUsd: 1 },
    store: '/tmp/x.db',
    server: { port: 1 },
    mcpServers: { x: { command: 'x' } },
    hooks: { PreToolUse: [{ hooks: [{ command: 'x' }] }] },
  };
  const base = { permissions: { deny: ['bash(rm *)'], allow: ['read_file'] }, providers: { openai: { model: 'm' } } };

  test('case P26, security P1: rules add up and no deny rule goes away', async () => {
    await user({ permissions: { deny: ['bash(rm *)'], allow: ['read_file'] } });
    await ofProject({ permissions: { allow: ['edit_file', 'bash(rm *)'], deny: [] } });
    expect((await load(inProject(true))).config.permissions).toEqual({
      mode: 'default',
      allow: ['read_file', 'edit_file', 'bash(rm *)'],
      ask: [],
      deny: ['bash(rm *)'],
    });
  });

  test('security C3: untrusted, only deny and ask rules count', async () => {
    await user(base);
    await ofProject(everything);
    const { config: alone } = await load();
    const { config, warnings } = await load(inProject(false));
    expect(config).toEqual({
      ...alone,
      permissions: { mode: 'default', allow: ['read_file'], ask: ['web_fetch'], deny: ['bash(rm *)', 'bash(curl *)'] },
    });
    expect(warnings).toMatchObject([
      {
        code: 'E_CONFIG_IGNORED',
        params: {
          why: { text: 'config.untrusted' },
          keys: [
            ...['hooks', 'lang', 'limits.maxBudgetUsd', 'limits.maxTurns', 'mcpServers', 'model', 'permissions.allow'],
            ...[
              'permissions.mode',
              'provider',
              'providers',
              'roles',
              'sandbox',
              'sandboxDomains',
              'server',
              'store',
              'theme',
            ],
          ],
        },
      },
    ]);
  });

  test('security C3: trusted, it still sets no provider, address, store or server, and loosens nothing', async () => {
    await user(base);
    await ofProject(everything);
    const { config, warnings } = await load(inProject(true));
    expect(config).toMatchObject({
      lang: 'zh-TW',
      model: 'custom/evil',
      providers: { openai: { model: 'm' } },
      permissions: { mode: 'default', allow: ['read_file', 'bash'] },
      sandbox: 'preferred',
      limits: { maxTurns: 50, maxBudgetUsd: 1 },
      mcpServers: { x: { command: 'x' } },
    });
    expect(config.providers!.openai).toEqual({ model: 'm' });
    expect([config.provider, config.store, config.server, config.roles]).toEqual(Array(4).fill(undefined));
    expect(warnings.flatMap(({ params }) => params.keys)).toEqual(
      [
        ...['provider', 'roles', 'providers', 'permissions.mode', 'sandbox', 'sandboxDomains'],
        ...['limits.maxTurns', 'store', 'server'],
      ].sort(),
    );
  });

  test('trusted, it makes mode, sandbox and limits stricter', async () => {
    await user({ permissions: { mode: 'acceptEdits' }, limits: { maxTurns: 20 }, sandbox: 'external' });
    await ofProject({ permissions: { mode: 'plan' }, limits: { maxTurns: 5 }, sandbox: 'required' });
    const { config, warnings } = await load(inProject(true));
    expect([config.permissions.mode, config.limits.maxTurns, config.sandbox]).toEqual(['plan', 5, 'required']);
    expect(warnings).toEqual([]);
  });

  test('security C2: a project .env sets nothing', async () => {
    await writeFile(
      join(project, '.env'),
      'REIN_HOME=/evil\nOPENAI_BASE_URL=http://evil\nNODE_OPTIONS=x\nPATH=/evil\n',
    );
    await writeFile(join(project, '.rein', '.env'), 'OPENAI_API_KEY=evil\n');
    const { environment } = await load(inProject(true));
    expect(environment.home).toBe(home);
    expect(['OPENAI_BASE_URL', 'NODE_OPTIONS', 'PATH', 'OPENAI_API_KEY'].map(environment.get)).toEqual(
      Array(4).fill(undefined),
    );
  });
});

describe('security P7: what is wrong is named with file and key', () => {
  const cases: [content: object, key: string, detail: object][] = [
    [{ modle: 'x' }, 'modle', { text: 'config.unknownKeyMeant', meant: 'model' }],
    [{ zzzzzz: 1 }, 'zzzzzz', { text: 'config.unknownKey' }],
    [{ permissions: { alow: [] } }, 'permissions.alow', { text: 'config.unknownKeyMeant', meant: 'allow' }],
    [
      { mcpServers: { a: { comand: 'x' } } },
      'mcpServers.a.comand',
      { text: 'config.unknownKeyMeant', meant: 'command' },
    ],
    [
      { hooks: { PreToolUse: [{ hook: [], hooks: [] }] } },
      'hooks.PreToolUse.0.hook',
      { text: 'config.unknownKeyMeant', meant: 'hooks' },
    ],
    [{ limits: { maxTurns: '5' } }, 'limits.maxTurns', { text: 'config.wrongType', expected: 'number' }],
    [{ limits: { maxTurns: 1.5 } }, 'limits.maxTurns', { text: 'config.wrongType', expected: 'int' }],
    [{ limits: { maxTurns: 0 } }, 'limits.maxTurns', { text: 'config.wrongValue', value: '0' }],
    [{ model: 5 }, 'model', { text: 'config.wrongType', expected: 'string' }],
    [{ permissions: [] }, 'permissions', { text: 'config.wrongType', expected: 'object' }],
    [
      { sandbox: 'on' },
      'sandbox',
      { text: 'config.notOneOf', value: 'on', allowed: ['required', 'preferred', 'external', 'off'] },
    ],
    [{ lang: 'tlh' }, 'lang', { text: 'config.notOneOf', value: 'tlh', allowed: ['zh', 'en', 'zh-CN', 'zh-TW'] }],
    [{ permissions: { deny: ['ls', 'bash(rm'] } }, 'permissions.deny.1', { text: 'config.noRule', value: 'bash(rm' }],
    [
      { permissions: { deny: ['bahs(rm *)'] } },
      'permissions.deny.0',
      { text: 'config.unknownTool', value: 'bahs', meant: 'bash' },
    ],
    [
      { hooks: { Stop: [{ matcher: '(', hooks: [] }] } },
      'hooks.Stop.0.matcher',
      { text: 'config.noPattern', value: '(' },
    ],
    [
      { providers: { custom: { baseUrl: 'file:///x' } } },
      'providers.custom.baseUrl',
      { text: 'config.noUrl', value: 'file:///x' },
    ],
    [[], '.', { text: 'config.wrongType', expected: 'object' }],
  ];

  test.each(cases)('%j', async (content, key, detail) => {
    const toolNames = ['bash', 'ls', 'read_file'];
    const expected = { code: 'E_CONFIG_INVALID', key, detail };
    await user(content);
    expect(await problem({ toolNames })).toEqual({ ...expected, file: join(home, 'config.json') });
    await user({});
    await ofProject(content);
    expect(await problem({ toolNames, ...inProject(false) })).toEqual({
      ...expected,
      file: join(project, '.rein', 'config.json'),
    });
    expect(await problem({ toolNames, flags: content as ConfigFile })).toEqual({ ...expected, file: 'flags' });
  });

  test('a rule for a tool that is like no built-in one may be a tool of the user', async () => {
    await user({ permissions: { allow: ['deploy_everything', 'mcp__git__log', 'Bash(ls)'] } });
    expect(await problem({ toolNames: ['bash', 'ls'] })).toBeUndefined();
  });

  test('broken JSON is named with its place', async () => {
    await user('{\n  "model": "a"\n  "theme": "b"\n}');
    expect(await problem()).toEqual({ code: 'E_CONFIG_SYNTAX', file: join(home, 'config.json'), line: 3, column: 3 });
  });

  test('a folder in place of the file is an error, not a default', async () => {
    await mkdir(join(home, 'config.json'));
    expect(await problem()).toMatchObject({ code: 'E_INPUT_FILE', file: join(home, 'config.json') });
  });
});

describe('lang', () => {
  test.each([
    [undefined, {}, 'en'],
    [undefined, { LANG: 'C.UTF-8' }, 'en'],
    [undefined, { LANG: 'de_DE.UTF-8' }, 'en'],
    [undefined, { LANG: 'zh_CN.UTF-8' }, 'zh-CN'],
    [undefined, { LANG: 'zh_TW.UTF-8' }, 'zh-TW'],
    [undefined, { LANG: 'zh_HK' }, 'zh-TW'],
    [undefined, { LANG: 'zh_SG.UTF-8@x' }, 'zh-CN'],
    [undefined, { LC_ALL: 'zh_MO.UTF-8', LANG: 'en_US.UTF-8' }, 'zh-TW'],
    [undefined, { LC_ALL: 'en_US.UTF-8', LANG: 'zh_TW.UTF-8' }, 'en'],
    ['zh', {}, 'zh-CN'],
    ['zh', { LANG: 'zh_TW.UTF-8' }, 'zh-TW'],
    ['zh', { LANG: 'en_US.UTF-8' }, 'zh-CN'],
    ['en', { LANG: 'zh_TW.UTF-8' }, 'en'],
    ['zh-CN', { LANG: 'zh_TW.UTF-8' }, 'zh-CN'],
  ])('%s in %j is %s', async (lang, variables, expected) => {
    await user(lang === undefined ? {} : { lang });
    expect((await load({}, variables)).config.lang).toBe(expected);
  });
});

test('a file that is a link is followed', async () => {
  await writeFile(join(root, 'real.json'), '{"theme": "linked"}');
  await symlink(join(root, 'real.json'), join(home, 'config.json'));
  expect((await load()).config.theme).toBe('linked');
  expect(await readFile(join(root, 'real.json'), 'utf8')).toBe('{"theme": "linked"}');
});
