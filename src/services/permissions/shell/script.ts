/** What a command text runs and which files it opens, read from its tree. Nothing is unwrapped yet. */
import type { ParseShell, SyntaxNode } from './tree.ts';
import { type ShellWord, toWord, wordOf } from './words.ts';

export interface ShellCommand {
  /** The program first; never empty. */
  readonly words: readonly ShellWord[];
  /** Variables are set for it, as in `A=1 git log`. */
  readonly assigns: boolean;
}

export interface ShellRedirect {
  readonly target: ShellWord;
  readonly writes: boolean;
}

export interface ShellScript {
  readonly commands: ShellCommand[];
  readonly redirects: ShellRedirect[];
  /** Variables or functions are set that change what later commands mean. */
  assigns: boolean;
  /** Values of variables: programs take some of them for commands, such as the one that pages their output. */
  readonly values: string[];
  /** What runs cannot be told: the text does not parse, a program's name comes from a variable, ... */
  unclear: boolean;
  /** Code in a form that is not read here may run; a denied program is then looked for in the text. */
  opaque: boolean;
}

/** Nested texts (`sh -c`, `eval`, backquotes) deeper than this are not read. */
const maxDepth = 6;

/** Nothing read yet: to be filled by `readScript`. */
export function emptyScript(): ShellScript {
  return { commands: [], redirects: [], values: [], assigns: false, unclear: false, opaque: false };
}

/** Reads a text into `script`. `depth` counts texts inside texts. */
export function readScript(text: string, parse: ParseShell, script: ShellScript, depth = 0): ShellScript {
  if (depth > maxDepth) {
    script.unclear = true;
    return script;
  }
  // Blanks and line ends other than these mean different things to different readers.
  if (/[^\P{C}\n\t]|[^\P{Z} ]/u.test(text)) script.unclear = true;
  // One word for the shell, two for the parser.
  if (/\S\\\n\S/.test(text)) script.unclear = true;
  const { root, broken } = parse(text);
  if (broken) script.unclear = true;
  new Reader(text, parse, script, depth).read(root);
  return script;
}

class Reader {
  readonly #text: string;
  readonly #parse: ParseShell;
  readonly #script: ShellScript;
  readonly #depth: number;
  /** Nodes that were read with their parent. */
  readonly #read = new Set<SyntaxNode>();

  constructor(text: string, parse: ParseShell, script: ShellScript, depth: number) {
    this.#text = text;
    this.#parse = parse;
    this.#script = script;
    this.#depth = depth;
  }

  #textOf(node: SyntaxNode): string {
    return this.#text.slice(node.start, node.end);
  }

  read(node: SyntaxNode): void {
    const script = this.#script;
    switch (node.type) {
      case 'ERROR':
        script.unclear = true;
        break;
      case 'word':
      case 'comment':
        // The parser may take the line end before an escaped word for a part of it.
        if (!isOneLine(this.#textOf(node))) script.unclear = true;
        break;
      case 'command':
        if (!this.#read.has(node)) this.#readCommand(node);
        break;
      case 'redirected_statement':
        this.#readRedirected(node);
        break;
      case 'declaration_command':
      case 'unset_command':
        this.#add(
          node.children.map((child) => toWord(child, this.#text)),
          true,
        );
        script.assigns = true;
        this.#mistrust(node);
        break;
      case 'variable_assignment':
      case 'function_definition':
        script.assigns = true;
        if (node.type === 'variable_assignment') this.#readAssignment(node);
        break;
      case 'test_command':
      case 'arithmetic_expansion':
      case 'c_style_for_statement':
        this.#mistrust(node);
        break;
      case 'file_redirect':
        this.#readRedirect(node);
        break;
      case 'heredoc_redirect':
        this.#readHereDocument(node);
        break;
    }
    for (const child of node.children) this.read(child);
  }

  #readAssignment(node: SyntaxNode): void {
    const { value } = toWord(node.children.at(-1)!, this.#text);
    if (value) this.#script.values.push(value);
    this.#mistrust(node);
  }

  /** The shell runs what stands in an index even where it is quoted: `[[ -v 'a[$(x)]' ]]`. */
  #mistrust(node: SyntaxNode): void {
    const quoted = node.type === 'raw_string' || node.type === 'ansi_c_string';
    if (quoted && /\$\(|`/.test(this.#textOf(node))) {
      this.#script.unclear = true;
      this.#script.opaque = true;
    }
    for (const child of node.children) this.#mistrust(child);
  }

  /** Words after a redirection belong to the command; the grammar gives them to the redirection. */
  #readRedirected(node: SyntaxNode): void {
    const redirects = node.children.filter(({ type }) => type === 'file_redirect');
    const late = redirects.flatMap((redirect) => targetsOf(redirect).slice(1));
    const body = node.children[0];
    if (late.length === 0 || body?.type !== 'command') return;
    this.#readCommand(body, late);
    for (const each of [body, ...redirects]) this.#read.add(each);
  }

  #readCommand(node: SyntaxNode, late: readonly SyntaxNode[] = []): void {
    const parts = [...node.children, ...late].filter(({ type }) => type !== 'comment' && !type.endsWith('redirect'));
    // A line end between two words begins a new command, whatever the parser takes it for.
    const onOneLine = parts.every((part, i) => i === 0 || isOneLine(this.#text.slice(parts[i - 1]!.end, part.start)));
    if (!onOneLine) this.#script.unclear = true;
    const assigns = parts.some(({ type }) => type === 'variable_assignment');
    const words = parts.filter(({ type }) => type !== 'variable_assignment').map((part) => toWord(part, this.#text));
    if (words.length === 0) this.#script.assigns ||= assigns;
    else this.#add(words, assigns);
    if (evaluating.has(words[0]?.value ?? '')) for (const part of parts) this.#mistrust(part);
  }

  #add(words: readonly ShellWord[], assigns: boolean): void {
    this.#script.commands.push({ words, assigns });
    if (words[0]?.value === undefined) this.#script.unclear = true;
  }

  #readRedirect(node: SyntaxNode): void {
    const operator = node.children.find(({ type }) => isOperator(type))?.type ?? '>';
    const [target, ...late] = targetsOf(node);
    if (late.length > 0 && !this.#read.has(node)) this.#script.unclear = true;
    if (!target) return;
    const word = toWord(target, this.#text);
    const { value } = word;
    if (operator.endsWith('&') && value !== undefined && /^(\d+-?|-)$/.test(value)) return;
    if (value !== undefined && /^\/dev\/(null|stdout|stderr|stdin|fd\/\d+)$/.test(value)) return;
    // Bash opens a connection for these names.
    if (value !== undefined && /^\/dev\/(tcp|udp)\//.test(value)) this.#add([wordOf(value)], false);
    else this.#script.redirects.push({ target: word, writes: operator !== '<' && operator !== '<&' });
  }

  #readHereDocument(node: SyntaxNode): void {
    const find = (type: string) => node.children.find((child) => child.type === type);
    const [start, body, end] = [find('heredoc_start'), find('heredoc_body'), find('heredoc_end')];
    if (!start || !end) {
      this.#script.unclear = true;
      return;
    }
    const written = this.#textOf(start);
    const delimiter = written.replace(/['"\\]/g, '');
    const tabs = node.children[0]?.type === '<<-' || this.#textOf(node).startsWith('<<-');
    const toLine = (line: string) => (tabs ? line.replace(/^\t+/, '') : line);
    const lines = body ? this.#text.slice(body.start, end.start).split('\n') : [];
    const endLine = this.#text.slice(end.start).split('\n', 1)[0]!;
    if (lines.some((line) => toLine(line) === delimiter) || toLine(endLine) !== delimiter) this.#script.unclear = true;
    if (!body || written !== delimiter) return;
    // The grammar does not look into backquotes here.
    const pieces = this.#textOf(body).split(/(?<!\\)`/);
    for (let i = 1; i < pieces.length; i += 2) {
      readScript(pieces[i]!, this.#parse, this.#script, this.#depth + 1);
    }
  }
}

/** Builtins that take an argument for an expression. */
const evaluating = new Set(['test', '[', 'printf', 'read', 'let', 'wait', 'mapfile', 'readarray', 'getopts', 'unset']);

/** Without the end of a command. */
function isOneLine(gap: string): boolean {
  return !gap.replace(/\\[\s\S]/g, '').includes('\n');
}

function isOperator(type: string): boolean {
  return /^[<>&|]+-?$/.test(type);
}

function targetsOf(redirect: SyntaxNode): SyntaxNode[] {
  return redirect.children.filter(({ type }) => type !== 'file_descriptor' && !isOperator(type));
}
