// `npm run new <kind> <name>`: writes a new extension with its test and its texts, and whatever is generated from it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { generateIndexes } from './generate-indexes.ts';
import { templates } from './templates.ts';

/** Writes the files; returns their paths. Throws, having written nothing, when one exists or the input is wrong. */
export function createExtension(root: string, kind: string, given: string): string[] {
  const template = templates[kind];
  if (!template) throw new Error(`No such kind: ${kind || '(none)'}\n${usage()}`);
  const kebab = given.replaceAll('_', '-');
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(kebab)) {
    throw new Error(
      `A name is lower case letters, digits and dashes, such as "read-file", not "${given}".\n${usage()}`,
    );
  }
  const snake = kebab.replaceAll('-', '_');
  const camel = kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const name = { kebab, snake, camel };
  const files = Object.entries(template.files(name));
  const texts = Object.entries(template.texts?.(name) ?? {});
  for (const [path] of files) if (existsSync(resolve(root, path))) throw new Error(`${path} exists already.`);
  for (const [path, text] of files) {
    mkdirSync(dirname(resolve(root, path)), { recursive: true });
    writeFileSync(resolve(root, path), text);
  }
  for (const [path, line] of texts) addText(resolve(root, path), line);
  return [...files, ...texts].map(([path]) => path).concat(generateIndexes(root));
}

/** Adds a line at the end of the object that a dictionary file exports. */
function addText(path: string, line: string): void {
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf('}');
  writeFileSync(path, text.slice(0, end) + line + text.slice(end));
}

function usage(): string {
  const kinds = Object.entries(templates).map(([kind, { about }]) => `  ${kind.padEnd(12)}${about}`);
  return `Usage: npm run new <kind> <name>\n${kinds.join('\n')}`;
}

if (import.meta.main) {
  const [kind = '', name = ''] = process.argv.slice(2);
  try {
    const root = resolve(import.meta.dirname, '..');
    const written = createExtension(root, kind, name);
    // Loaded now, because the pages are made of what was just written.
    const { generateReference } = await import('./generate-reference.ts');
    for (const path of [...written, ...(await generateReference(root))]) console.log(`wrote ${path}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
  }
}
