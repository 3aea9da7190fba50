/**
 * Bash text as a tree of plain objects. The parser is loaded at the first command that is judged, never at the start
 * of the program; the trees it makes live outside the garbage collector and are freed before anything is given back.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Parser, TreeCursor } from 'web-tree-sitter';

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
}

interface SyntaxTree {
  readonly root: SyntaxNode;
  /** Some of the text has no meaning in the grammar, or is of no node at all. */
  readonly broken: boolean;
}

/** Parses one command text. */
export type ParseShell = (text: string) => SyntaxTree;

let loading: Promise<ParseShell> | undefined;

/** The parser, loaded once. Rejects when its files are missing or do not load. */
export function loadShellParser(): Promise<ParseShell> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ParseShell> {
  const { Language, Parser: ShellParser } = await import('web-tree-sitter');
  // Else V8 optimises the grammar's tables, for half a gigabyte and a second, to make what is fast already faster.
  // It decides that while the code runs, so the flags stay.
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
  await ShellParser.init({ locateFile: (name: string) => findAsset('web-tree-sitter', name) });
  const parser = new ShellParser();
  parser.setLanguage(await Language.load(findAsset('tree-sitter-bash', 'tree-sitter-bash.wasm')));
  return (text) => parse(parser, text);
}

/** Beside the bundle, else in the package the file comes from. */
function findAsset(from: string, name: string): string {
  const beside = join(import.meta.dirname, name);
  return existsSync(beside) ? beside : createRequire(import.meta.url).resolve(`${from}/${name}`);
}

function parse(parser: Parser, text: string): SyntaxTree {
  const tree = parser.parse(text);
  if (!tree) return { root: { type: 'program', start: 0, end: text.length, children: [] }, broken: true };
  const cursor = tree.walk();
  try {
    const root = toPlain(cursor);
    return { root, broken: tree.rootNode.hasError || hasGaps(root, text) };
  } finally {
    cursor.delete();
    tree.delete();
  }
}

function toPlain(cursor: TreeCursor): SyntaxNode {
  const { startIndex: start, endIndex: end } = cursor;
  const type = cursor.nodeIsMissing ? 'ERROR' : cursor.nodeType;
  const children: SyntaxNode[] = [];
  if (cursor.gotoFirstChild()) {
    do children.push(toPlain(cursor));
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return { type, start, end, children };
}

/** What stands between the leaves must be blank: text that no node holds would be text that nobody judges. */
function hasGaps(root: SyntaxNode, text: string): boolean {
  let at = 0;
  const isCovered = (node: SyntaxNode): boolean => {
    if (node.children.length > 0 && !closed.has(node.type)) return node.children.every(isCovered);
    const gap = text.slice(at, node.start);
    at = Math.max(at, node.end);
    return blank.test(gap);
  };
  return !(isCovered(root) && blank.test(text.slice(at)));
}

const blank = /^(?:[ \t\n]|\\\n)*$/;
/** Their text is theirs whole, also where no child holds it. */
const closed = new Set(['string', 'heredoc_body', 'raw_string', 'ansi_c_string', 'concatenation', 'word', 'regex']);
