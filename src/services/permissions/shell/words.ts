/** Words of a command: what they are when the shell has taken their quotes away. */
import type { SyntaxNode } from './tree.ts';

export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** Without quotes and escapes; `undefined` when only running the command would tell. */
  readonly value: string | undefined;
  /** Begins with a pattern that names of files are put in for: one of them may look like an option. */
  readonly mayBecomeOption: boolean;
  /** Names of files may be put in for it. */
  readonly isGlob: boolean;
}

/** A word of the syntax tree: its text, and its value where that is known before the shell runs. */
export function toWord(node: SyntaxNode, source: string): ShellWord {
  const text = source.slice(node.start, node.end);
  return {
    text,
    value: literalOf(node, source),
    mayBecomeOption: /^[*?[@+!]/.test(text),
    isGlob: glob.test(text.replace(quoted, '')),
  };
}

/** A word that is known by its value alone, such as one of a text inside another command. */
export function wordOf(value: string): ShellWord {
  return { text: value, value, mayBecomeOption: false, isGlob: false };
}

const quoted = /\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g;
const glob = /[*?]|\[.|[@!+]\(/;

function literalOf(node: SyntaxNode, source: string): string | undefined {
  const text = source.slice(node.start, node.end);
  switch (node.type) {
    case 'command_name':
      return node.children.length === 1 ? literalOf(node.children[0]!, source) : undefined;
    case 'word':
    case 'number':
    case 'variable_name':
    case 'test_operator':
      return braces.test(text) ? undefined : text.replace(/\\\n/g, '').replace(/\\([\s\S])/g, '$1');
    case 'raw_string':
      return text.slice(1, -1);
    case 'string': {
      const isLiteral = node.children.every(({ type }) => type === '"' || type === 'string_content');
      if (!isLiteral || /(?<!\\)(?:\\\\)*[`$]/.test(text.replace(/\$(?="$)/, ''))) return undefined;
      return text
        .slice(1, -1)
        .replace(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character));
    }
    case 'concatenation': {
      // Pieces with a gap between them would be another word than the one that is read here.
      if (braces.test(text) || node.children.some((child, i) => i > 0 && child.start !== node.children[i - 1]!.end)) {
        return undefined;
      }
      const pieces = node.children.map((child) => literalOf(child, source));
      return pieces.includes(undefined) ? undefined : pieces.join('');
    }
    default:
      return node.children.length === 0 && /^[\w./:@%+,=~^\]*?[-]+$/.test(text) ? text : undefined;
  }
}

/** Braces become several words; quoted ones are taken for them too, which errs on the safe side. */
const braces = /\{[^}]*(?:,|\.\.)/;
