// The offline model in whole runs: plans that write, checks that fail, the language of the person.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import '../services/i18n/all-languages.ts';
import { renderError } from '../services/i18n/translate.ts';
import { createTempHome } from '../testing/temp-home.ts';
import { createHarness } from './create-harness.ts';
import type { DriverOptions } from './parts/drivers.ts';

const files = { 'long.py': 'x = 1\n'.repeat(40), 'short.py': 'x = 1\n' };

/** What a run of the offline model says and leaves in the folder. */
async function ask(prompt: string, open: DriverOptions = {}, lang = 'en') {
  const temp = await createTempHome(files);
  const harness = await createHarness({
    home: temp.home,
    cwd: temp.workspace,
    env: {},
    flags: { model: 'offline', permissionMode: 'acceptEdits', lang },
  });
  const session = await harness.open(open);
  const outcome = await session.run(prompt);
  return {
    outcome,
    written: (name: string) => {
      const path = join(temp.workspace, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    },
    async [Symbol.asyncDispose]() {
      await harness.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ['list the largest files into big.md', 'big.md'],
  ['list the largest files in the file 大檔.md', '大檔.md'],
  ['把最大的檔案列到 大檔.md', '大檔.md'],
  ['把最大的檔案列到大檔.md', '大檔.md'],
  ['把找到的最大檔案寫到大檔.md', '大檔.md'],
  ['把最大的文件列出，写入「大文件.md」', '大文件.md'],
  ['列出最大的檔案，存成 notes/最大.md。', 'notes/最大.md'],
  ['请在 大文件.md 中列出最大的文件', '大文件.md'],
  ['將最大的檔案輸出到 大檔.md 檔案中', '大檔.md'],
])('%s: writes %s', async (request, name) => {
  await using run = await ask(request, { plan: true });
  expect(run.outcome).toMatchObject({ stop: 'completed', verification: { status: 'verified' } });
  expect(run.written(name)).toContain('| `long.py` | Python | 40 |');
});

test.each(['把最大的檔案列出來', 'list the largest files'])('%s: names no file and writes none', async (request) => {
  await using run = await ask(request, { plan: true });
  expect(run.outcome.stop).toBe('completed');
  expect(run.outcome.text).toContain('long.py');
});

test('a check that fails is no question: the answer stays the answer', async () => {
  const question = 'List the largest files';
  await using plain = await ask(question);
  await using checked = await ask(question, { verify: [{ criterion: 'never', command: 'false' }] });
  expect(checked.outcome.text).toBe(plain.outcome.text);
});

test('nor is what is said of the form of the answer', async () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  await using run = await ask('List the largest files', { schema });
  expect(run.outcome).toMatchObject({ stop: 'error', error: { code: 'E_SCHEMA_UNMET' } });
  expect(run.outcome.text).toContain('long.py');
});

test.each([
  ['zh-TW', '沒有使用語言模型'],
  ['zh-CN', '没有使用语言模型'],
])('a question that shows neither kind of characters: the language %s decides', async (lang, notice) => {
  await using run = await ask('入口在哪', {}, lang);
  expect(run.outcome.text).toContain(notice);
});

test.each(['en', 'zh-CN', 'zh-TW'] as const)('why a schema is not met is said in %s', async (lang) => {
  await using run = await ask('List the largest files', { schema: { type: 'object' } }, lang);
  const noJson = { en: 'There is no JSON in it.', 'zh-CN': '其中没有 JSON。', 'zh-TW': '其中沒有 JSON。' };
  expect(renderError(run.outcome.error, lang).message).toContain(noJson[lang]);
});
