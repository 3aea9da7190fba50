// The offline model answers what it says that it can be asked for, in the language of the question.
import { expect, test } from 'vitest';
import { userText } from '../../src/protocol/message.ts';
import { runOffline } from './run-offline.ts';
import { createRepository } from './temp-repository.ts';

const files = {
  'README.md': '# Post\n\nPost sorts the letters of a whole town every morning.\n',
  'src/main.ts': 'export function sort(letters: string[]) {\n  return letters.toSorted();\n}\n',
  'test/main.test.ts': "import { sort } from '../src/main.ts';\nsort([]);\n",
  'package.json':
    '{\n  "name": "post",\n  "main": "src/main.ts",\n  "scripts": { "build": "tsc", "test": "vitest run" },\n  "dependencies": { "stamp": "1" }\n}\n',
};

const notices = {
  en: 'No language model was used',
  'zh-CN': '没有使用语言模型',
  'zh-TW': '沒有使用語言模型',
};

/** What one heads a section with, in the three languages, and what the section must say here. */
const sections = {
  purpose: ['## Purpose', '## 用途', '## 用途', 'sorts the letters'],
  languages: ['## Languages', '## 语言', '## 語言', 'TypeScript'],
  layout: ['## Layout', '## 目录结构', '## 目錄結構', '`src/`'],
  entries: ['## Entry points', '## 入口', '## 進入點', '`src/main.ts'],
  dependencies: ['## Dependencies', '## 依赖', '## 相依套件', '`stamp`'],
  commands: ['## Build, test, run', '## 构建、测试、运行', '## 建置、測試、執行', '`npm run build`'],
  tests: ['## Tests', '## 测试', '## 測試', 'vitest'],
  risks: ['## Risks and oddities', '## 风险与异常', '## 風險與異常', '- '],
} as const;

const questions: readonly [keyof typeof sections, string, readonly [string, string, string]][] = [
  ['purpose', 'purpose', ['what is the purpose of this project?', '这个项目的用途是什么？', '這個專案的用途是什麼？']],
  ['languages', 'Languages', ['which languages are used here?', '用了哪些语言？', '用了哪些語言？']],
  ['layout', 'layout', ['show me the project structure', '目录结构', '目錄結構']],
  ['entries', 'entry points', ['where are the entry points?', '入口在哪里？', '進入點在哪裡？']],
  ['dependencies', 'dependencies', ['list the dependencies', '依赖有哪些', '相依套件']],
  ['commands', 'build and test', ['how do I build and test it?', '构建和测试', '建置與測試']],
  ['tests', 'tests', ['where are the tests?', '测试', '測試']],
  ['risks', 'risks?', ['What are the risks?', '有什么风险', '有哪些風險？']],
];

const asked = questions.flatMap(([topic, word, [english, simplified, traditional]]) => [
  [word, topic, 'en'] as const,
  [english, topic, 'en'] as const,
  [simplified, topic, 'zh-CN'] as const,
  [traditional, topic, 'zh-TW'] as const,
]);

test.each(asked)('%s: %s, in %s', async (question, topic, language) => {
  using repository = createRepository(files);
  const { text } = await runOffline(repository.root, question, { language });
  const [en, simplified, traditional, content] = sections[topic];
  expect(text).toContain({ en, 'zh-CN': simplified, 'zh-TW': traditional }[language]);
  expect(text).toContain(content);
  expect(text).toContain(notices[language]);
});

test('several topics at once are answered together', async () => {
  using repository = createRepository(files);
  const { text } = await runOffline(repository.root, 'What are the dependencies and risks of this project?');
  expect(text.match(/^## .*$/gm)).toEqual(['## Dependencies', '## Risks and oddities']);
});

test('also after the report of the whole', async () => {
  using repository = createRepository(files);
  const { messages } = await runOffline(repository.root, 'Analyze this repository');
  const { text } = await runOffline(repository.root, 'risks', { history: messages });
  expect(text).toMatch(/^## Risks and oddities\n/);
});

test.each([
  'where are dependencies resolved?',
  'what does `risks` do',
  'Where is testLanguages?',
  '依赖是如何解析的',
  '風險評分在哪裡計算',
])('%s is a question about code', async (question) => {
  using repository = createRepository(files);
  const { calls } = await runOffline(repository.root, question);
  expect(calls[0]).toMatchObject({ name: 'grep', input: { output_mode: 'content' } });
});

test.each([
  ['hello', 'en'],
  ['你好吗', 'zh-CN'],
  ['你好嗎', 'zh-TW'],
] as const)(
  '%s: it says what it can be asked, how to get a model, and that none was used',
  async (prompt, language) => {
    using repository = createRepository(files);
    const { text } = await runOffline(repository.root, prompt);
    expect(text).toContain('`rein login <provider>`');
    expect(text).toContain(notices[language]);
  },
);

test('without a tool, and where it cannot write, it says that no model was used', async () => {
  using repository = createRepository(files);
  const none = await runOffline(repository.root, 'risks', { tools: [] });
  const edit = await runOffline(repository.root, 'Fix the');
  expect([none.text, edit.text]).toEqual([expect.stringContaining(notices.en), expect.stringContaining(notices.en)]);
});

test.each([
  ['where is 計算 defined', undefined, 'en'],
  ['where is 計算 defined', 'zh-CN', 'en'],
  ['is 计算 tested?', 'zh-TW', 'en'],
  ['計算在哪裡定義', 'zh-CN', 'zh-TW'],
  ['计算在哪里定义', 'zh-TW', 'zh-CN'],
  ['有哪些風險？', 'zh-CN', 'zh-TW'],
  ['入口在哪', 'zh-TW', 'zh-TW'],
  ['入口在哪', 'zh-CN', 'zh-CN'],
  ['入口在哪', 'en', 'zh-CN'],
  ['purpose', 'zh-TW', 'en'],
  ['計算はどこ', 'zh-TW', 'en'],
] as const)('%s, by somebody who speaks %s, is answered in %s', async (question, language, expected) => {
  using repository = createRepository(files);
  const { text } = await runOffline(repository.root, question, { language });
  expect(text).toContain(notices[expected]);
});

const chinese = {
  '計算.py':
    'import math\n\n\ndef 計算(甲, 乙):\n    return 甲 + 乙\n\n\nclass 帳戶:\n    pass\n\n\nprint(計算(1, 2))\n',
  '讀我.md': '# 帳本\n\n這個小程式替全家人記帳，每天晚上寄出一封摘要。\n',
};

test.each([
  ['where is 計算 defined', '`計算.py:4`: defined here'],
  ['`計算` 在哪裡定義？', '`計算.py:4`: 在這裡定義'],
  ['帳戶在哪裡定義？', '`計算.py:8`: 在這裡定義'],
])('%s: a name in Chinese is defined once, where it is', async (question, first) => {
  using repository = createRepository(chinese);
  const { text } = await runOffline(repository.root, question);
  const places = text.split('\n').filter((line) => /^\d\. /.test(line));
  expect(places[0]).toBe(`1. ${first}`);
  expect(places.filter((line) => line.includes(first.slice(first.indexOf('`:') + 2)))).toHaveLength(1);
});

test.each(['讀我.md', '读我.txt', '自述.md', '说明.md', 'README.zh-TW.md', 'README_CN.md'])(
  '%s is a README',
  async (name) => {
    using repository = createRepository({ [name]: chinese['讀我.md'], 'a.py': 'print(1)\n' });
    const { text } = await runOffline(repository.root, '這個專案的用途和風險');
    expect(text).toContain('這個小程式替全家人記帳');
    expect(text).not.toContain('沒有 README');
  },
);

test('what the harness tells the model in tags is no question', async () => {
  using repository = createRepository(files);
  const first = await runOffline(repository.root, 'risks');
  const told = userText('<verification>\nThe work is checked, and this failed: end again\n</verification>');
  const { text } = await runOffline(repository.root, '<loop>\nagain\n</loop>', { history: [...first.messages, told] });
  expect(text).toBe(first.text);
});
