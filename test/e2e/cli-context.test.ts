// The commands about what the model is told: skills, memory, and an analysis, which is a skill.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createCliHome } from './cli-home.ts';

const put = async (file: string, text: string) => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};
const skill = (name: string, description: string, body = 'Do it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

test('case P27: skills are listed and shown; each file that does not load is named with its line', async () => {
  await using cli = await createCliHome({ script: [] });
  await put(join(cli.home, 'skills/tidy/SKILL.md'), skill('tidy', 'Use when sorting: lists, tables', 'Sort \u202eit.'));
  await put(join(cli.home, 'skills/tidy/docs/more.md'), 'x');
  await put(join(cli.home, 'skills/veiled.md'), skill('veiled', 'Looks \u{e006f}\u{e006b}plain\u200b'));
  const veiled = await cli.run(['skills', 'list']);
  expect(veiled.stdout).toContain('\nveiled  [user]  Looks [hidden text: "ok"]plain\\u{200b}\n');
  await rm(join(cli.home, 'skills/veiled.md'));
  const list = await cli.run(['skills', 'list']);
  expect(list).toMatchObject({ exit: 0, stderr: '' });
  expect(list.stdout).toMatch(
    /^analyze {2}\[bundled\].*\nreview {2}\[bundled\].*\ntidy {2}\[user\] {2}Use when sorting: lists, tables\n$/,
  );
  const shown = await cli.run(['skills', 'show', 'tidy']);
  expect(shown.stdout).toContain('Sort \\u{202e}it.\n\nFiles:\ndocs/more.md\n');
  expect(await cli.run(['skills', 'check'])).toEqual({
    exit: 0,
    stdout: '3 skills loaded, nothing to report.\n',
    stderr: '',
  });
  expect(await cli.run(['skills', 'show', 'nope'])).toMatchObject({ exit: 42, stdout: '' });

  await put(join(cli.home, 'skills/broken/SKILL.md'), '---\nname: broken\nlicense: MIT\n---\nx');
  await put(join(cli.home, 'skills/clean.md'), skill('clean', 'Use when sorting: lists, tables'));
  const check = await cli.run(['skills', 'check']);
  expect(check.exit).toBe(1);
  expect(check.stdout).toContain(
    `${join(cli.home, 'skills/broken/SKILL.md')}:1: does not load: \`description\` is missing\n`,
  );
  expect(check.stdout).toMatch(/clean\.md:1: warning: "clean" and "tidy" compete for the same words: /);
});

test('memory is shown with its paths', async () => {
  await using cli = await createCliHome({ script: [] });
  const [user, repository] = [join(cli.home, 'memory/AGENTS.md'), join(cli.home, 'memory/repos/workspace.md')];
  await put(user, '<!-- note -->likes tabs\n');
  expect(await cli.run(['memory', 'path'])).toEqual({ exit: 0, stderr: '', stdout: `${user}\n${repository}\n` });
  expect(await cli.run(['memory', 'show'])).toEqual({
    exit: 0,
    stderr: '',
    stdout: `${user}\nlikes tabs\n\n${repository}\n(empty)\n`,
  });
  expect(JSON.parse((await cli.run(['memory', 'path', '--output-format', 'json'])).stdout)).toEqual({
    user,
    repository,
  });
});

test('analyze is the skill of that name: another file changes it, and the report is remembered', async () => {
  await using cli = await createCliHome({ respond: () => ({ text: '# Report\nAll is well.' }) });
  await put(join(cli.home, 'skills/analyze/SKILL.md'), skill('analyze', 'My own analysis', 'Count the files.'));
  const { exit, stdout } = await cli.run(['analyze', '.']);
  expect([exit, stdout]).toEqual([0, '# Report\nAll is well.\n']);
  expect(cli.server.requests[0]?.userTexts.at(-1)).toMatch(/^Count the files\.\n\n.* English\.$/);
  await cli.run(['-p', 'and now?']);
  expect(cli.server.requests.at(-1)?.system).toContain('All is well.');
});

test('a session is made shorter by its id; why it cannot be is said in the language of the person', async () => {
  let summary = 'It said hello often.';
  await using cli = await createCliHome({
    respond: ({ userTexts }) => {
      const asked = /about to be shortened/.test(userTexts.at(-1) ?? '');
      return { text: asked ? summary : 'hello '.repeat(50), usage: { input: 100, output: 5 } };
    },
  });
  await put(join(cli.home, 'config.json'), JSON.stringify({ compaction: { keep: 20 } }));
  for (const prompt of ['one', 'two', 'three']) await cli.run(['-c', '-p', prompt].slice(prompt === 'one' ? 1 : 0));
  const [session] = JSON.parse((await cli.run(['sessions', 'list', '--output-format', 'json'])).stdout);
  const compact = (...args: string[]) => cli.run(['sessions', 'compact', session.id, ...args]);
  expect(await compact()).toEqual({
    exit: 0,
    stderr: '',
    stdout: 'The history has 5 messages now; it had 7.\n',
  });
  await cli.run(['-c', '-p', 'four']);
  expect(cli.server.requests.at(-1)!.userTexts.join()).toMatch(/one.*It said hello often\..*four/s);
  summary = '';
  const reasons = { en: 'the model gave no summary', 'zh-CN': '模型没有给出摘要', 'zh-TW': '模型沒有給出摘要' };
  for (const [lang, reason] of Object.entries(reasons)) {
    const failed = await compact('--lang', lang);
    expect(failed).toMatchObject({ exit: 1, stdout: '' });
    expect(failed.stderr).toContain(reason);
  }
  // Three answers, the summary, one more answer, and three tries that brought nothing.
  const cost = JSON.parse((await cli.run(['sessions', 'cost', session.id, '--output-format', 'json'])).stdout);
  expect(cost).toMatchObject({ usage: { input: 800, output: 40 } });
});
