// Another model that takes over: who asks is told, and why.
import { expect, test } from 'vitest';
import { createCliHome, jsonLines } from './cli-home.ts';

const args = ['-p', 'hello', '-m', 'custom', '--fallback-model', 'offline'];

test.each([
  [
    'en',
    'Warning: "custom/scripted" did not answer: custom refused the key (HTTP 401). "offline/rules" answers instead.\n',
  ],
  ['zh-CN', '警告：“custom/scripted”没有回答：custom 拒绝了密钥（HTTP 401）。改由“offline/rules”回答。\n'],
  ['zh-TW', '警告：「custom/scripted」沒有回答：custom 拒絕了金鑰（HTTP 401）。改由「offline/rules」回答。\n'],
])('is named on standard error, in %s', async (lang, stderr) => {
  await using cli = await createCliHome({ respond: () => ({ status: 401 }) });
  const result = await cli.run([...args, '--lang', lang]);
  expect(result).toMatchObject({ exit: 0, stderr });
  expect(result.stdout).not.toBe('');
});

test('is an event for scripts, in both formats', async () => {
  await using cli = await createCliHome({ respond: () => ({ status: 401 }) });
  const warning = {
    code: 'E_MODEL_FALLBACK',
    params: { model: 'custom/scripted', next: 'offline/rules', why: { text: 'errors.E_PROVIDER_AUTH.message' } },
  };
  for (const [format, type] of [
    ['events', { type: 'warning', warning }],
    ['stream-json', { type: 'system', subtype: 'warning', warning }],
  ] as const) {
    const { stdout } = await cli.run([...args, '--output-format', format]);
    expect(jsonLines(stdout)).toContainEqual(expect.objectContaining({ type: type.type }));
    expect(jsonLines(stdout).filter(({ warning }) => warning)).toMatchObject([type]);
  }
});
