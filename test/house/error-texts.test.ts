// What an error is thrown with is what its texts speak of, in every language.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import en from '../../src/services/i18n/locales/en.ts';
import zhCn from '../../src/services/i18n/locales/zh-CN.ts';
import zhTw from '../../src/services/i18n/locales/zh-TW.ts';

const root = join(import.meta.dirname, '../../src');

interface Site {
  readonly code: string;
  readonly file: string;
  /** Names of its parameters; undefined where they are not written out. */
  readonly names: readonly string[] | undefined;
}

const sites = globSync('**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('testing/'))
  .flatMap((file) => findSites(file, readFileSync(join(root, file), 'utf8')));

function findSites(file: string, source: string): Site[] {
  return [...source.matchAll(/new ReinError\(\s*'(E_\w+)'\s*([,)])\s*/g)].map(
    ({ 0: all, 1: code = '', 2: next, index }) => {
      const rest = source.slice(index + all.length);
      const names = next === ')' ? [] : rest.startsWith('{') ? topLevelNames(rest) : undefined;
      return { code, file, names };
    },
  );
}

/** The keys of an object literal; undefined when another object is spread into it. */
function topLevelNames(source: string): string[] | undefined {
  let depth = 0;
  let own = '';
  for (const letter of source.replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''")) {
    if ('{[('.includes(letter)) depth++;
    if ('}])'.includes(letter)) depth--;
    if (depth === 0) break;
    if (depth === 1) own += letter;
  }
  if (own.includes('...')) return undefined;
  const entries = own
    .slice(1)
    .split(',')
    .map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => /^\w+/.exec(entry)?.[0] ?? entry);
}

/** The parameters of a text: what it cannot do without, and all of them. */
function placeholders(text: string): { needed: string[]; all: string[] } {
  const find = (part: string) => [...new Set([...part.matchAll(/\{(\w+)/g)].map(([, name]) => name!))].sort();
  return { needed: find(text.replace(/\[[^[\]]*\{\w+[^[\]]*\]/g, '')), all: find(text) };
}

const textOf = ({ errors }: typeof en, code: string) => {
  const { message, hint } = errors[code as keyof typeof errors];
  return placeholders(`${message} ${hint}`);
};

/** Added where the errors of all wires pass. */
const added = (file: string) => (file.startsWith('extensions/providers/') ? ['provider'] : []);

test('sites are found, with and without parameters', () => {
  expect(sites.length).toBeGreaterThan(100);
  expect(sites.filter(({ names }) => names === undefined).length).toBeLessThan(20);
});

test.each(Object.keys(en.errors))('%s', (code) => {
  const own = sites.filter((site) => site.code === code);
  for (const locale of [en, zhCn, zhTw] as (typeof en)[]) {
    expect(textOf(locale, code)).toEqual(textOf(en, code));
  }
  const { needed, all } = textOf(en, code);
  const missing = own.map(({ file, names }) => ({
    file,
    missing: names && needed.filter((name) => ![...names, ...added(file)].includes(name)),
  }));
  expect(missing.filter((site) => site.missing?.length)).toEqual([]);
  const given = own.flatMap(({ file, names }) => [...(names ?? all), ...added(file)]);
  if (own.length > 0) expect(all.filter((name) => !given.includes(name))).toEqual([]);
});

test('each problem of an agent file that is reported has its text, in every language', () => {
  const source = readFileSync(join(root, 'services/agents/load.ts'), 'utf8');
  const named = [...source.matchAll(/'agents\.(\w+)'/g)].map(([, key]) => key!);
  for (const { agents } of [en, zhCn, zhTw]) expect(Object.keys(agents).toSorted()).toEqual(named.toSorted());
});
