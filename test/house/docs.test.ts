import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../src/protocol/errors.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort();
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test.each(pages)('what %s quotes stands in the file it names', (page) => {
  const quotes = quotesOf(page);
  const named = read(page).match(/^<!-- (?:from|part of) /gm) ?? [];
  expect(quotes).toHaveLength(named.length);
  for (const { file, code } of quotes) expect(read(file)).toContain(code);
});

const whole = pages.flatMap((page) =>
  quotesOf(page)
    .filter(({ kind, file }) => kind === 'from' && file.endsWith('.ts'))
    .map((quote) => [page, quote.file, quote.code] as const),
);

test.each(whole)('what %s quotes from %s loads when it is copied', async (_page, file, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-quote-'));
  try {
    const copy = join(folder, basename(file));
    writeFileSync(copy, code);
    const { default: made } = (await import(copy)) as { default?: unknown };
    if (code.includes('export default')) expect(made).toBeTypeOf('object');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each(pages)('a fragment in %s is called one, with a link to its file', (page) => {
  const missing = quotesOf(page).filter(
    ({ kind, file, before }) => kind === 'part of' && !(before.includes(`${file})`) && /\bpart of\b/i.test(before)),
  );
  expect(missing.map(({ file }) => file)).toEqual([]);
});

interface Quote {
  /** A file as it is, comments at its beginning left out; or lines out of it. */
  readonly kind: 'from' | 'part of';
  readonly file: string;
  readonly code: string;
  /** The paragraph that stands before it. */
  readonly before: string;
}

function quotesOf(page: string): Quote[] {
  const text = read(page);
  return [...text.matchAll(/^<!-- (from|part of) (\S+) -->\n```\w*\n([\s\S]*?)^```$/gm)].map(
    ({ 1: kind, 2: file = '', 3: code = '', index }) => {
      const before = text.slice(0, index).trimEnd().split('\n\n').at(-1) ?? '';
      return { kind: kind as Quote['kind'], file, code, before };
    },
  );
}

test.each(pages)('links of %s lead somewhere', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!);
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !headings(read(target)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(['ARCHITECTURE.md', 'AGENTS.md', 'CONTRIBUTING.md'])('the files that %s names are there', (page) => {
  const above = ['', 'src', 'src/apps/cli', 'src/engine', 'src/extensions/providers', 'src/extensions/tools'];
  const locales = 'src/services/i18n/locales';
  const named = [...read(page).matchAll(/`([\w./-]*\w\.(?:ts|js|cjs|md))`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((path) => ![...above, locales].some((folder) => existsSync(join(root, folder, path))))).toEqual(
    [],
  );
});

function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('the page of events names every type, and the tables hold no other', () => {
  const defined = [...read('src/protocol/event.ts').matchAll(/readonly type: '([a-z-]+)'/g)].map(([, type]) => type);
  const named = [...read('docs/reference/events.md').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, type]) => type);
  expect(named.toSorted()).toEqual(defined.toSorted());
});

test('the page of exit codes names every code an error has', () => {
  const page = read('docs/reference/exit-codes.md');
  const codes = new Set(Object.values(catalogue).map(({ exit }) => exit));
  expect([...codes].filter((code) => !new RegExp(`\\b${code}\\b`).test(page))).toEqual([]);
});

test('the page of configuration names every key', async () => {
  const { configSchema } = await import('../../src/protocol/config.ts');
  const page = read('docs/reference/configuration.md');
  const keys = Object.keys(configSchema().shape).filter((key) => key !== '$schema');
  expect(keys.filter((key) => !page.includes(`\`${key}`))).toEqual([]);
});

test('the guide to testing gives the signature of what there is', async () => {
  const kit: object = await import('../../src/testing/index.ts');
  const named = [...read('docs/guides/testing.md').matchAll(/^function (\w+)/gm)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(name in kit))).toEqual([]);
});
