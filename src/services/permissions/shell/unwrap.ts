/** From the commands of a text to everything they run in turn: what wrappers, `sh -c`, `eval` and `find -exec` are given. */
import { dangerousWords } from './dangers.ts';
import { isInterpreter, wrappers as known, plainPrograms, shells } from './programs.ts';
import { emptyScript, readScript, type ShellCommand, type ShellRedirect, type ShellScript } from './script.ts';
import type { ParseShell } from './tree.ts';
import type { ShellWord } from './words.ts';

/** A command that runs, with all that was wrapped around it taken off. */
export interface ShellPart {
  readonly words: readonly ShellWord[];
  /** No rule for the program alone covers it: it runs with other variables, as somebody else, ... */
  readonly changed: boolean;
}

export interface ShellAnalysis {
  readonly parts: readonly ShellPart[];
  /** Commands that only run another one, which is a part. */
  readonly wrappers: readonly (readonly ShellWord[])[];
  /** What may run besides, if a program that is not known runs its arguments. */
  readonly suspects: readonly (readonly ShellWord[])[];
  readonly redirects: readonly ShellRedirect[];
  readonly assigns: boolean;
  /** What runs cannot be told. */
  readonly unclear: boolean;
  /** Something runs code in a form that is not read here. */
  readonly opaque: boolean;
}

/** A command with more parts than this is for a person to look at. */
const maxParts = 50;
const maxDepth = 8;

/** Everything a command text runs. The same text is analysed once. */
export function createAnalyser(parse: ParseShell): (text: string) => ShellAnalysis {
  let last: { text: string; analysis: ShellAnalysis } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, analysis: analyse(text, parse) };
    return last.analysis;
  };
}

function analyse(text: string, parse: ParseShell): ShellAnalysis {
  const script = readScript(text, parse, emptyScript());
  const walk = new Walk(parse);
  walk.script(script, { changed: false, depth: 0 });
  const { parts, redirects, wrappers, suspects } = walk;
  return {
    parts,
    wrappers,
    suspects,
    redirects,
    assigns: walk.assigns,
    unclear: walk.unclear || parts.length > maxParts,
    opaque: walk.opaque,
  };
}

interface Around {
  readonly changed: boolean;
  readonly depth: number;
}

class Walk {
  readonly parts: ShellPart[] = [];
  readonly wrappers: (readonly ShellWord[])[] = [];
  readonly redirects: ShellRedirect[] = [];
  readonly suspects: (readonly ShellWord[])[] = [];
  assigns = false;
  unclear = false;
  opaque = false;
  readonly #parse: ParseShell;

  constructor(parse: ParseShell) {
    this.#parse = parse;
  }

  script(script: ShellScript, around: Around): void {
    this.assigns ||= script.assigns;
    this.unclear ||= script.unclear;
    this.opaque ||= script.opaque;
    this.redirects.push(...script.redirects);
    for (const command of script.commands) this.command(command, around);
    for (const value of script.values) this.#suspectText(value, around.depth + 1);
  }

  #suspectText(text: string, depth: number): void {
    const walk = new Walk(this.#parse);
    walk.script(readScript(text, this.#parse, emptyScript(), depth), { changed: true, depth });
    this.suspects.push(...walk.parts.map((part) => part.words), ...walk.wrappers, ...walk.suspects);
  }

  command({ words, assigns }: ShellCommand, around: Around): void {
    const [first] = words;
    const changed = around.changed || assigns;
    if (!first) return;
    if (first.value === undefined || first.isGlob || around.depth > maxDepth) {
      this.unclear = true;
      this.parts.push({ words, changed: true });
      return;
    }
    const name = programName(first.value);
    const inside = { changed, depth: around.depth + 1 };
    if (Object.hasOwn(known, name) || shells.test(name) || name === 'eval') this.wrappers.push(words);
    if (Object.hasOwn(known, name)) this.#wrapper(name, words, inside);
    else if (shells.test(name)) this.#shell(words, inside);
    else if (name === 'eval' || name === 'trap')
      this.#evaluate(words.slice(1, name === 'trap' ? 2 : undefined), inside);
    else {
      if (isInterpreter(name) || dangerousWords(words).length > 0) this.opaque = true;
      if (name === 'find' || name === 'fd') this.#findExec(words, inside);
      this.parts.push({ words, changed });
      if (!plainPrograms.has(name)) this.#suspect(words, inside);
    }
  }

  /** A program that is not known may run what it is given. */
  #suspect(words: readonly ShellWord[], around: Around): void {
    for (const [index, { value }] of words.entries()) {
      const name = programName(value ?? '');
      if (index === 0 || !(Object.hasOwn(known, name) || shells.test(name))) continue;
      const walk = new Walk(this.#parse);
      walk.command({ words: words.slice(index), assigns: false }, around);
      this.suspects.push(...walk.parts.map((part) => part.words), ...walk.wrappers, ...walk.suspects);
      this.opaque = true;
      return;
    }
  }

  #wrapper(name: string, words: readonly ShellWord[], { changed, depth }: Around): void {
    const { flags, valued, skip = 0, assigns = false, changes = false } = known[name]!;
    let at = 1;
    let odd = changes;
    for (; at < words.length; at++) {
      const { value } = words[at]!;
      if (value === '--') {
        at++;
        break;
      }
      const isAssignment = assigns && value !== undefined && /^\w+=/.test(value);
      if (value === undefined || isAssignment) odd = true;
      else if (!value.startsWith('-') || (value === '-' && name !== 'env')) break;
      if (value === undefined) this.unclear = true;
      else if (valued?.test(value)) at++;
      else if (!isAssignment && !flags.test(value)) {
        odd = true;
        this.#splitString(name, value, words[at + 1], depth);
      }
    }
    const inner = words.slice(at + skip);
    // Its own options may run something that is not known here.
    if (odd) this.opaque = true;
    if (inner.length === 0 || odd) this.parts.push({ words, changed: true });
    if (inner.length > 0) this.command({ words: inner, assigns: false }, { changed: changed || odd, depth });
  }

  /** `env -S 'a b'` runs the words of its value. */
  #splitString(name: string, option: string, next: ShellWord | undefined, depth: number): void {
    const attached = /^(?:-[iv0]*S|--split-string=?)(.*)$/s.exec(option)?.[1];
    if (name !== 'env' || attached === undefined) return;
    const text = attached || next?.value;
    if (text === undefined) this.unclear = true;
    else this.#text(text, { changed: true, depth });
  }

  #shell(words: readonly ShellWord[], around: Around): void {
    const at = words.findIndex(({ value }, index) => index > 0 && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(value ?? ''));
    const script = at === -1 ? undefined : words[at + 1];
    const isUsual = at === 1 && /^(ba|da)?sh$/.test(words[0]!.value!) && /^-[ceux]+$/.test(words[1]!.value!);
    if (!isUsual) {
      this.opaque = true;
      this.parts.push({ words, changed: around.changed || script !== undefined });
    }
    if (!script) return;
    if (script.value === undefined) this.unclear = true;
    else this.#text(script.value, { ...around, changed: around.changed || !isUsual });
  }

  #evaluate(words: readonly ShellWord[], around: Around): void {
    if (words.some(({ value }) => value === undefined)) this.unclear = true;
    this.#text(words.map(({ value = '' }) => value).join(' '), around);
  }

  #findExec(words: readonly ShellWord[], around: Around): void {
    for (const [index, { value = '' }] of words.entries()) {
      if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(value)) continue;
      const rest = words.slice(index + 1);
      const end = rest.findIndex((word) => word.value === ';' || word.value === '+');
      this.command({ words: end === -1 ? rest : rest.slice(0, end), assigns: false }, { ...around, changed: true });
    }
  }

  #text(text: string, { changed, depth }: Around): void {
    this.script(readScript(text, this.#parse, emptyScript(), depth), { changed, depth });
  }
}

/** The program's name without its folder. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
