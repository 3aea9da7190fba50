import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { countRedactionMarkers } from '../../protocol/redaction.ts';
import { configuredSecrets, secretVariables } from './known-secrets.ts';
import { createGuard, createRedactor, createStreamRedactor } from './redact.ts';

const patterns = createRedactor([]);
/** Made up, of the right shape; joined so that no scanner takes them for real. */
const random = 'Zk3vQ9xTb7LmW2pRc8Yd';
const body = Array.from({ length: 3 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2)).join('\n');
const pem = (kind = '') => `-----BEGIN ${kind}PRIVATE KEY-----\n${body}\n-----END ${kind}PRIVATE KEY-----`;

describe('security E2: what looks like a secret is taken out', () => {
  test.each([
    ['github token', `ghp_${random}${random}`],
    ['github token', `github_pat_${random}_${random}`],
    ['gitlab token', `glpat-${random}`],
    ['api key', `sk-${random}`],
    ['api key', `sk-ant-api03-${random}-${random}`],
    ['api key', `sk-proj-${random}_${random}`],
    ['aws key id', `AKIA${random.slice(0, 16).toUpperCase()}`],
    ['google api key', `AIza${random}${random}`],
    ['slack token', `xoxb-1234567890-${random}`],
    ['npm token', `npm_${random}${random}`],
    ['web token', `eyJ${random}.eyJ${random}.${random}`],
    ['private key', pem()],
    ['private key', pem('RSA ')],
    ['private key', pem('OPENSSH ').replaceAll('\n', '\\n')],
    [
      'private key',
      pem('EC ')
        .split('\n')
        .map((line, index) => `${index + 1}\t${line}`)
        .join('\n')
        .slice(2),
    ],
  ])('%s: %.20s…', (name, secret) => {
    for (const [before, after] of [
      ['', ''],
      ['a ', ' b'],
      ['"', '"'],
      ['key=', '\n'],
      ['{"v":"', '"}'],
    ] as const) {
      expect(patterns(`${before}${secret}${after}`)).toBe(`${before}[redacted: ${name}]${after}`);
    }
  });

  test.each([
    [`Authorization: Bearer ${random}`, 'Authorization: Bearer [redacted: authorization]'],
    [`curl -H "authorization: basic ${random}=="`, 'curl -H "authorization: basic [redacted: authorization]"'],
    [`postgres://app:${random}@db/x`, 'postgres://app:[redacted: password]@db/x'],
    [`https://me:s3cr3t!@git.example/x`, 'https://me:[redacted: password]@git.example/x'],
    [`DB_PASSWORD=${random}`, 'DB_PASSWORD=[redacted: secret value]'],
    [`client_secret: '${random}'`, "client_secret: '[redacted: secret value]'"],
    [`"apiKey": "${random}",`, '"apiKey": "[redacted: secret value]",'],
    [`aws_secret_access_key = ${random}/K7MD`, 'aws_secret_access_key = [redacted: secret value]'],
    [`//registry.example/:_authToken=${random}`, '//registry.example/:_authToken=[redacted: secret value]'],
  ])('%s', (text, clean) => {
    expect(patterns(text)).toBe(clean);
    expect(patterns(clean)).toBe(clean);
  });

  test('a key that is cut off loses the lines that are there', () => {
    expect(patterns(`${pem().slice(0, 130)}\nthe end`)).toBe('[redacted: private key]\nthe end');
  });
});

test.each([
  'const token = getToken(request.headers);',
  'password: process.env.DB_PASSWORD_2',
  'postgres://user:password@localhost/db and https://user:$PASS1@host',
  'risk-management-and-task-scheduling-2024 sk-learn-is-a-library-of-python',
  'import { x } from "./secret-token-store-v2/read1.ts"',
  '"integrity": "sha512-Zk3vQ9xTb7LmW2pRc8YdZk3vQ9xTb7LmW2pRc8Yd=="',
  'if (line === "-----BEGIN PRIVATE KEY-----") throw new Error("a private key");',
  'tokenizer: cl100k_base_and_more_words',
  'AKIA is how the ids of keys begin',
  'https://example.com/a:b@c',
  '密码：这不是一个密钥 password: "………"',
])('what is no secret stays: %s', (text) => {
  expect(patterns(text)).toBe(text);
});

test('known values are found wherever they stand, the longer one first; short ones are no secrets', () => {
  const redact = createRedactor([
    ['A_KEY', 'correct horse battery'],
    ['B_KEY', 'correct horse battery staple $&'],
    ['C_KEY', 'short'],
  ]);
  expect(redact('correct horse battery staple $& or correct horse battery; short')).toBe(
    '[redacted: B_KEY] or [redacted: A_KEY]; short',
  );
  expect(countRedactionMarkers(redact('correct horse battery, correct horse battery'))).toBe(2);
});

test('secrets are known from variables by their names, and from what is configured', () => {
  const variables = {
    X_API_KEY: '1',
    GITHUB_TOKEN: '2',
    AWS_SECRET_ACCESS_KEY: '3',
    npm_config__auth: '4',
    PATH: '/',
    KEYBOARD: 'us',
  };
  expect(secretVariables(variables).map(([, value]) => value)).toEqual(['1', '2', '3', '4']);
  expect(
    configuredSecrets({
      providers: { a: { headers: { Authorization: 'Bearer abc', 'X-Title': 'Rein' } }, b: {} },
      mcpServers: { m: { headers: { 'x-api-key': 'def' }, env: { A_TOKEN: 'ghi', MODE: 'x' } } },
      server: { keys: [{ name: 'ci', key: 'jkl' }] },
    }),
  ).toEqual([
    ['Authorization', 'Bearer abc'],
    ['Authorization', 'abc'],
    ['x-api-key', 'def'],
    ['A_TOKEN', 'ghi'],
    ['key ci', 'jkl'],
  ]);
});

describe('in pieces', () => {
  const known = 'a known value with blanks';
  const redact = createRedactor([['KNOWN', known]]);
  const text = `one\n${known}\r\ntwo sk-${random} three\n${pem()}\nPASSWORD=${random}\nlast ${known}`;

  test('security E2: wherever it is cut, no piece shows a part of a secret, and nothing else is lost', () => {
    for (let size = 1; size < 90; size++) {
      const stream = createStreamRedactor(redact);
      let shown = '';
      for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
      expect(shown + stream.end()).toBe(redact(text));
    }
  });

  test('a line without an end is given out in time, without the secrets in it', () => {
    const stream = createStreamRedactor(redact);
    let shown = '';
    for (let count = 0; count < 5000; count++)
      shown += stream.push(`${'x'.repeat(29)}${count % 7 === 0 ? known : '_'}`);
    expect(shown.length).toBeGreaterThan(70_000);
    expect(shown + stream.end()).toBe(
      redact(Array.from({ length: 5000 }, (_, count) => `${'x'.repeat(29)}${count % 7 === 0 ? known : '_'}`).join('')),
    );
  });
});

describe('security E2: what is hidden within a secret hides it from nobody', () => {
  const redact = createRedactor([['A_KEY', 'correct horse battery']]);
  const [red, off] = ['\u001b[1;31m', '\u001b[0m'];
  test.each([
    [
      'colours',
      `${red}a ghp_${red}${random}${off}${random} b${off}`,
      `${red}a [redacted: github token]${red}${off} b${off}`,
    ],
    ['a known value', `x correct ${red}horse${off} battery, y`, `x [redacted: A_KEY]${red}${off}, y`],
    [
      'two of them',
      `${red}sk-${off}${random}\nsk-${red}${random}${off}\n`,
      `${red}[redacted: api key]${off}\n[redacted: api key]${red}${off}\n`,
    ],
    [
      'an address',
      `\u001b]8;;http://a.test\u0007AK${off}IA${random.slice(0, 16).toUpperCase()}\u001b]8;;\u0007`,
      `\u001b]8;;http://a.test\u0007[redacted: aws key id]${off}\u001b]8;;\u0007`,
    ],
  ])('%s', (_, text, clean) => {
    expect(redact(text)).toBe(clean);
    expect(redact(clean)).toBe(clean);
  });

  test.each(['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u001b[m', '\u001b(B'])(
    '%j between any two characters',
    (hidden) => {
      const secret = `glpat-${random}`;
      for (let at = 1; at < secret.length; at++) {
        const text = `a ${secret.slice(0, at)}${hidden}${secret.slice(at)} b`;
        expect(redact(text)).toBe(`a [redacted: gitlab token]${hidden} b`);
      }
      expect(createGuard([['K', 'a-known-secret']])([`a-kn${hidden}own-secret`])).toEqual([`[redacted: K]${hidden}`]);
    },
  );

  test('what holds no secret stays as it is, with its colours', () => {
    const text = `${red}ok${off} 👩\u200d💻 \u001b[2K\u001b[1Adone\u001b[?25h\u001b`;
    expect(redact(text)).toBe(text);
  });
});

test('the last check gives the same value back, or a copy with markers; what goes to a wire is left alone', () => {
  const guard = createGuard([['A_KEY', 'a-known-secret']]);
  const clean = { parts: [{ type: 'text', text: 'fine' }], list: [1, null, true] };
  expect(guard(clean)).toBe(clean);
  const dirty = { parts: [{ text: 'see a-known-secret', wire: { sig: 'a-known-secret' } }, clean], n: 1 };
  expect(guard(dirty)).toEqual({
    parts: [{ text: 'see [redacted: A_KEY]', wire: { sig: 'a-known-secret' } }, clean],
    n: 1,
  });
  expect(dirty.parts[0]).toMatchObject({ text: 'see a-known-secret' });
});

describe('its time', () => {
  const redact = createRedactor(Array.from({ length: 10 }, (_, index) => [`K${index}`, `a-known-secret-${index}`]));
  const fastest = (text: string) => {
    const times = Array.from({ length: 15 }, () => {
      const start = performance.now();
      redact(text);
      return performance.now() - start;
    });
    return Math.min(...times);
  };

  test('100 KB of code take about a millisecond', () => {
    const source = readFileSync(new URL('./patterns.ts', import.meta.url), 'utf8');
    const code = source.repeat(Math.ceil(100_000 / source.length)).slice(0, 100_000);
    expect(fastest(code)).toBeLessThan(4);
    // With a colour in each line it is read twice.
    expect(fastest(code.replaceAll('\n', '\u001b[0m\n'))).toBeLessThan(10);
  });

  test.each([
    'sk-',
    'sk-a',
    'eyJ',
    '-eyJa',
    'eyJaaaaaaaaaaaa',
    '=',
    ':=',
    'a=',
    'password=',
    'token:a',
    'bearer ',
    'Bearer a',
    '://a:',
    '://',
    '-----BEGIN PRIVATE KEY-----',
    `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(20)}\n`,
    '-----BEGIN ',
    '1',
    'A1',
    '\\n',
    ' ',
    'xoxb-',
    'ghp_a',
    'AKIA',
    'secret="',
    '\u001b[',
    '\u001b]',
    '\u001b[m',
    `sk-\u200b${random} `,
  ])('security L5: %j again and again takes linear time', (unit) => {
    const of = (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    const [small, large] = [fastest(of(50_000)), fastest(of(400_000))];
    // Eight times the text; a square would take 64 times as long.
    expect(large).toBeLessThan(Math.max(small * 24, 25));
  });
});
