import { expect, test } from 'vitest';
import { textWidth } from '../../lib/text/text-width.ts';
import { languages, loadLanguage } from '../../services/i18n/translate.ts';
import { Cli } from './cli.ts';
import { renderHelp } from './help.ts';
import { createProgram } from './program.ts';

const { root, loadFor } = createProgram(new Cli(), async () => {});
await loadFor(root);
const all = [root, ...root.commands.flatMap((command) => [command, ...command.commands])];

test.each(languages)('the help of every command in %s', async (language) => {
  await loadLanguage(language);
  const text = all.map((command) => renderHelp(command, language, 100)).join('\n---\n');
  // A text that is missing would show as its key.
  expect(text).not.toMatch(/cli\.\w+\./);
  await expect(text).toMatchFileSnapshot(`__fixtures__/help.${language}.txt`);
});

test.each([40, 80, 120])('lines fit %i columns', async (columns) => {
  await loadLanguage('zh-TW');
  const wide = renderHelp(root, 'zh-TW', columns)
    .split('\n')
    .filter((line) => textWidth(line) > Math.max(columns, 64));
  expect(wide).toEqual([]);
});
