// Every exported function and class says what it is for: what its name does not tell, shapes and units, how it fails.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.test(-d)?\.ts$|__fixtures__/.test(file));

test('exported functions and classes have a doc comment', () => {
  expect(files.flatMap((file) => undocumented(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test('the check sees each way to export one', () => {
  const forms = [
    ['export function a() {}', 1],
    ['export default function () {}', 1],
    ['export class A {}', 1],
    ['export const a = () => 1;', 1],
    ['// why\nexport async function* a() {}', 1],
    ['/** What. */\nexport function a() {}', 0],
    ['/** What. */\nexport const a = () => 1;', 0],
    ['function a() {}\nexport const b = 1;', 0],
  ] as const;
  for (const [source, count] of forms) expect(undocumented('a.ts', source), source).toHaveLength(count);
});

function undocumented(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  return tree.statements
    .filter((statement) => isExported(statement) && isCode(statement) && !hasDoc(statement))
    .map((statement) => `${file}:${tree.getLineAndCharacterOfPosition(statement.getStart(tree)).line + 1}`);
}

function isExported(node: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function isCode(node: ts.Statement): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return true;
  if (!ts.isVariableStatement(node)) return false;
  return node.declarationList.declarations.some(
    ({ initializer }) =>
      initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)),
  );
}

function hasDoc(node: ts.Statement): boolean {
  return ts.getJSDocCommentsAndTags(node).some(ts.isJSDoc);
}
