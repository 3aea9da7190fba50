import { expect, test } from 'vitest';
import { userText } from '../../src/protocol/message.ts';
import { runOffline } from './run-offline.ts';
import { createRepository } from './temp-repository.ts';

const files = {
  'src/session/token-store.ts':
    '/** Keeps tokens. */\nexport class TokenStore {\n  get(name: string): string | undefined {\n    return undefined;\n  }\n}\n',
  'src/retry.ts':
    "import { wait } from './wait.ts';\n\n// Waits longer each time.\nexport function retryRequest(times: number) {\n  return times;\n}\n",
  'src/use.ts': "import { retryRequest } from './retry.ts';\nretryRequest(3);\n",
  'src/login.py': 'class Auth:\n    def login_user(self, name):\n        return name\n',
  'test/retry.test.ts': 'function retryRequestTest() {}\n',
  'docs/guide.md': 'How retryRequest works.\n',
  'package.json': '{\n  "name": "x",\n  "scripts": { "test": "vitest run" }\n}\n',
};

/** The first place that an answer cites. */
function firstPlace(text: string): string | undefined {
  return /^1\. `([^`]+)`/m.exec(text)?.[1];
}

test.each([
  ['What does retryRequest do?', 'src/retry.ts:4'],
  ['where is the token store?', 'src/session/token-store.ts:2'],
  ['Where are requests retried?', 'src/retry.ts:4'],
  ['Analyze how retryRequest waits', 'src/retry.ts:4'],
  ['where is `login_user` defined', 'src/login.py:2'],
  ['用户登录在哪里处理？', 'src/login.py:2'],
  ['使用者登入在哪裡處理？', 'src/login.py:2'],
])('%s', async (question, place) => {
  using repository = createRepository(files);
  const { text, turns } = await runOffline(repository.root, question);
  expect(firstPlace(text)).toBe(place);
  expect(turns).toBe(3);
});

test('quotes the lines of a definition with the comment before it', async () => {
  using repository = createRepository(files);
  const { text } = await runOffline(repository.root, 'What does retryRequest do?');
  expect(text).toContain(
    '```\n// Waits longer each time.\nexport function retryRequest(times: number) {\n  return times;\n}',
  );
  expect(text).toContain('No language model was used');
});

test('says what it looked for when nothing is there, and stops', async () => {
  using repository = createRepository(files);
  const { text, turns } = await runOffline(repository.root, 'Where is the frobnicator?');
  expect([turns, text]).toEqual([2, expect.stringContaining('Nothing was found for `frobnicator`.')]);
});

test.each([
  ['How do I run the tests?', '| `npm test` | test: `vitest run` | `package.json:3` |'],
  ['如何运行测试？', '| `npm test` | 测试：`vitest run` | `package.json:3` |'],
  ['List the largest files', '| `src/retry.ts` | TypeScript | 6 |'],
])('a question about the whole: %s', async (question, line) => {
  using repository = createRepository(files);
  expect((await runOffline(repository.root, question)).text.split('\n')).toContain(line);
});

test.each(['Fix the retryRequest function', '请修复 retryRequest', '請修正 retryRequest'])(
  '%s: it cannot write',
  async (prompt) => {
    using repository = createRepository(files);
    const { text } = await runOffline(repository.root, prompt);
    expect(text).toContain('rein login');
    expect(text).toContain('`src/retry.ts:4`');
  },
);

test('a question without words of its own is about the one before', async () => {
  using repository = createRepository(files);
  const first = await runOffline(repository.root, 'Where is TokenStore?');
  const { text } = await runOffline(repository.root, 'and what does it do?', { history: first.messages });
  expect(firstPlace(text)).toBe('src/session/token-store.ts:2');
});

test('what the harness adds in tags is not the question', async () => {
  using repository = createRepository(files);
  const history = [userText('<environment>\nFolder: /somewhere/frobnicator\n</environment>')];
  const { text } = await runOffline(repository.root, 'Where is TokenStore?\n\n<note>frobnicator</note>', { history });
  expect(firstPlace(text)).toBe('src/session/token-store.ts:2');
});

test.each([[['grep']], [['grep', 'glob', 'read_file', 'ls']]])(
  'refused tools %s: an answer all the same',
  async (denied) => {
    using repository = createRepository(files);
    const { text, turns } = await runOffline(repository.root, 'Where is TokenStore?', { denied });
    expect(turns).toBeLessThanOrEqual(3);
    expect(text).toContain('Some searches were refused or failed: `grep` (denied)');
  },
);

test.each([
  ['one word', 'x'.repeat(200_000)],
  ['many words', 'what which where '.repeat(12_000)],
  ['many names', Array.from({ length: 12_000 }, (_, at) => `someName${at}_x`).join(' ')],
  ['tags without end', '<p> <a href="x"> <b'.repeat(10_000)],
  ['quotes', '"a `b '.repeat(30_000)],
  ['Chinese', '請問這個檔案在哪裡'.repeat(20_000)],
])('a prompt of 200 KB is answered as fast as any: %s', async (_name, prompt) => {
  using repository = createRepository({ 'a.ts': 'export const a = 1;\n' });
  const before = process.cpuUsage();
  expect((await runOffline(repository.root, prompt)).text).not.toBe('');
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(3);
});
