// `npm run new <kind> <name>`: writes a new extension with its test and regenerates the indexes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
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
  const files = Object.entries(template.files({ kebab, snake: kebab.replaceAll('-', '_') }));
  for (const [path] of files) if (existsSync(resolve(root, path))) throw new Error(`${path} exists already.`);
  for (const [path, text] of files) {
    mkdirSync(dirname(resolve(root, path)), { recursive: true });
    writeFileSync(resolve(root, path), text);
  }
  return [...files.map(([path]) => path), ...generateIndexes(root)];
}

function usage(): string {
  const kinds = Object.entries(templates).map(([kind, { about }]) => `  ${kind.padEnd(12)}${about}`);
  return `Usage: npm run new <kind> <name>\n${kinds.join('\n')}`;
}

if (import.meta.main) {
  const [kind = '', name = ''] = process.argv.slice(2);
  try {
    for (const path of createExtension(resolve(import.meta.dirname, '..'), kind, name)) console.log(`wrote ${path}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
  }
}
