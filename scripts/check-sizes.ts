// Holds files and folders small. Generated files are exempt; a folder where each file is one extension may be full.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const maxLines = 300;
const maxTestLines = 500;
const maxFilesInFolder = 15;
const folders = ['src', 'test', 'scripts', 'bench', 'bin', 'examples'];
const mayBeFull = [/^src\/extensions\//, /^src\/services\/i18n\/locales$/, /^src\/apps\/cli\/commands$/, /\/cards$/];

/** Returns one sentence per file or folder that is too big. */
export function findTooBig(root: string): string[] {
  const problems: string[] = [];

  function visit(folder: string): void {
    const sources: string[] = [];
    for (const entry of readdirSync(resolve(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && entry.name !== '__fixtures__') visit(path);
      } else if (/\.(ts|tsx|js|mjs|cjs)$/.test(entry.name)) {
        const text = readFileSync(resolve(root, path), 'utf8');
        if (/^\/\/ (Written|Generated) by scripts\//.test(text)) continue;
        const isTest = /\.test(-d)?\.tsx?$/.test(path) || folder.startsWith('test');
        const limit = isTest ? maxTestLines : maxLines;
        const lines = text.split('\n').length - 1;
        if (lines > limit) problems.push(`${path} has ${lines} lines, at most ${limit} are allowed: split it`);
        if (!isTest) sources.push(entry.name);
      }
    }
    if (sources.length > maxFilesInFolder && !mayBeFull.some((pattern) => pattern.test(folder))) {
      const hint = `at most ${maxFilesInFolder} are allowed: make a subfolder`;
      problems.push(`${folder}/ holds ${sources.length} source files, ${hint}`);
    }
  }

  const present = new Set(readdirSync(root));
  for (const folder of folders) if (present.has(folder)) visit(folder);
  return problems;
}

if (import.meta.main) {
  const problems = findTooBig(resolve(import.meta.dirname, '..'));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
