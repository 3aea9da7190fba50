// Every built-in is what its folder says, and is named like its file: that is all an index goes by.
import { globSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { tools } from '../../src/extensions/tools/index.ts';
import { isCommand } from '../../src/protocol/define/command.ts';
import { isHook } from '../../src/protocol/define/hook.ts';
import { isMiddleware } from '../../src/protocol/define/middleware.ts';
import { isProvider } from '../../src/protocol/define/provider.ts';
import { isTool } from '../../src/protocol/define/tool.ts';
import { loadAgents } from '../../src/services/agents/load.ts';

const root = resolve(import.meta.dirname, '../..');
const kinds: Readonly<Record<string, (value: unknown) => value is { readonly name: string }>> = {
  commands: isCommand,
  hooks: isHook as never,
  middleware: isMiddleware as never,
  providers: isProvider,
  tools: isTool as never,
};
const files = globSync(`src/extensions/{${Object.keys(kinds)}}/[!_]*.ts`, { cwd: root }).filter(
  (file) => !/\.test\.ts$|\/index\.ts$/.test(file),
);

test.each(files.sort())('%s', async (file) => {
  const { default: value } = await import(join(root, file));
  const folder = basename(dirname(file));
  // A middleware may be made for one harness; its file has the function that makes it.
  if (folder === 'middleware' && typeof value === 'function') return;
  expect(kinds[folder]?.(value), `${file} needs a default export made by the define function of ${folder}/`).toBe(true);
  expect(value.name.replaceAll('_', '-')).toBe(basename(file, '.ts'));
});

test('bundled agents load without a word, are named like their file, and use tools that are there', async () => {
  const warnings: unknown[] = [];
  const agents = await loadAgents([join(root, 'agents')], ({ params }) => warnings.push(params));
  expect(warnings).toEqual([]);
  expect([...agents.keys()]).toEqual(
    globSync('*.md', { cwd: join(root, 'agents') })
      .sort()
      .map((name) => basename(name, '.md')),
  );
  const known = new Set<string>(tools.map(({ name }) => name));
  const unknown = [...agents.values()].flatMap(({ name, tools: own = [] }) =>
    own.filter((tool) => !known.has(tool)).map((tool) => `${name}: ${tool}`),
  );
  expect(unknown).toEqual([]);
});
