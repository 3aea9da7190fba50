/**
 * What rules say of a shell command. An allowing rule has to cover every part of it; a denying rule counts when any
 * part might be what it forbids.
 */
import { createGlob } from '../../../lib/glob.ts';
import type { Place } from '../paths.ts';
import { dangerousWords } from './dangers.ts';
import { filesOf, isReader, type ShellFiles } from './files.ts';
import {
  type CommandPattern,
  exactText,
  folded,
  isExact,
  matchesWildcard,
  readPattern,
  textTouches,
} from './patterns.ts';
import { isInterpreter, plainPrograms } from './programs.ts';
import type { ParseShell } from './tree.ts';
import { createAnalyser, programName, type ShellAnalysis, type ShellPart } from './unwrap.ts';
import type { ShellWord } from './words.ts';

/** `maybe`: only running the command would tell. */
export type Touch = 'yes' | 'maybe' | 'no';

interface Coverage {
  /** The pattern that covers the command, or the first of several that do so together. */
  readonly pattern: string;
  /** It stands for exactly this command. */
  readonly exact: boolean;
}

/** The part of the permission service that knows the shell. */
export interface ShellJudge {
  /** How allow rules with these patterns cover the whole command, redirections aside; `undefined` when they do not. */
  cover(command: string, patterns: readonly string[]): Coverage | undefined;
  /** Whether a deny or ask rule touches any part of the command. */
  touches(command: string, pattern: string): Touch;
  /** Whether the command can only read, and only in the folder. */
  isReadOnly(command: string, place: Place): boolean;
  /** Everything the command runs, each as it stands in the text, as far as that says so. */
  commands(command: string): readonly string[];
  /** What runs cannot be told from the text. */
  isUnclear(command: string): boolean;
  /** The files it opens, as far as the text says. */
  files(command: string, place: Place): ShellFiles;
}

export interface ShellJudgeOptions {
  readonly parse: ParseShell;
  /** Whether another program than the system's would run under this name, such as one of the working folder. */
  isShadowed?(program: string): boolean;
}

/** Judges commands by their syntax tree. */
export function createShellJudge({ parse, isShadowed = () => false }: ShellJudgeOptions): ShellJudge {
  const analyse = createAnalyser(parse);
  return {
    cover(command, patterns) {
      const exact = coverExactly(command, patterns);
      if (exact) return exact;
      const analysis = analyse(command);
      if (analysis.unclear || analysis.assigns || analysis.parts.length === 0) return undefined;
      const read = patterns.map((pattern) => ({ pattern, compiled: readPattern(pattern) }));
      const moves = analysis.parts.some(({ words }) => /^(cd|pushd|popd)$/.test(words[0]!.value ?? ''));
      const found = analysis.parts.map((part) => {
        const program = part.words[0]!.value ?? '';
        if (isShadowed(program)) return undefined;
        // Git takes settings, which may name programs, from the folder it stands in.
        const elsewhere = moves && program === 'git';
        return read.find(({ compiled }) => covers(compiled, part) && (!elsewhere || compiled.dangerous))?.pattern;
      });
      return found.includes(undefined) ? undefined : { pattern: found[0]!, exact: false };
    },
    touches(command, pattern) {
      if (exactText(pattern) === command.trim()) return 'yes';
      return touches(analyse(command), command, readPattern(pattern));
    },
    isReadOnly(command, place) {
      const { parts, redirects, unclear, assigns, opaque } = analyse(command);
      if (unclear || assigns || opaque || parts.length === 0 || redirects.length > 0) return false;
      return parts.every((part) => isReader(part, place) && !isShadowed(part.words[0]!.value!));
    },
    commands: (command) => analyse(command).parts.map(({ words }) => words.map(({ text }) => text).join(' ')),
    isUnclear: (command) => analyse(command).unclear,
    files: (command, place) => filesOf(analyse(command), place),
  };
}

/** Judges without a parser: only what is written out is allowed, nothing is sure to be harmless. */
export const closedJudge: ShellJudge = {
  cover: coverExactly,
  touches: (command, pattern) => (textTouches(command, readPattern(pattern)) ? 'yes' : 'maybe'),
  isReadOnly: () => false,
  commands: () => [],
  isUnclear: () => true,
  files: () => ({ reads: [], writes: [], maybe: [], redirects: [] }),
};

function coverExactly(command: string, patterns: readonly string[]): Coverage | undefined {
  const text = command.trim();
  const pattern = patterns.find((each) => isExact(each) && exactText(each) === text);
  return pattern === undefined ? undefined : { pattern, exact: true };
}

function covers(pattern: CommandPattern, { words, changed }: ShellPart): boolean {
  const values = words.map(({ value }) => value);
  const [first] = words;
  if (changed || values.includes(undefined) || first!.text !== first!.value) return false;
  if (!pattern.matches(values as string[])) return false;
  if (pattern.dangerous) return true;
  if (isInterpreter(first!.value!) && !namesCode(pattern)) return false;
  return dangerousWords(words).every((word) => pattern.literal.includes(word));
}

/** `python x.py *` and `python -m pytest *` say what runs; `python *` and `python -c *` let anything run. */
function namesCode({ fixed, words }: CommandPattern): boolean {
  const [, first, second] = fixed;
  // Without a star the pattern says all there is.
  if (fixed.length === words.length && first !== undefined) return !/^-.*[ce]/.test(first) || second !== undefined;
  if (first === undefined) return false;
  return first.startsWith('-') ? first === '-m' && second !== undefined : true;
}

/** True when a rule lets a program run anything without saying that its author knows so. */
export function needsMark(pattern: string): boolean {
  const read = readPattern(pattern);
  const [program] = read.fixed;
  return !read.dangerous && !isExact(pattern) && program !== undefined && isInterpreter(program) && !namesCode(read);
}

function touches(analysis: ShellAnalysis, text: string, pattern: CommandPattern): Touch {
  const wanted = pattern.words.map(folded);
  if (wanted.length === 0) return 'yes';
  let maybe = analysis.unclear;
  for (const words of [...analysis.parts.map((part) => part.words), ...analysis.wrappers, ...analysis.suspects]) {
    const name = programName(words[0]?.value ?? '').toLowerCase();
    // What is not known to take its arguments as they are might run them.
    const starts = plainPrograms.has(name) ? 1 : words.length;
    for (let start = 0; start < starts; start++) {
      const touch = standsIn(wanted, words.slice(start));
      if (touch === 'yes') return 'yes';
      if (touch === 'maybe' && start === 0) maybe = true;
    }
  }
  if ((analysis.opaque || analysis.unclear) && textTouches(text, pattern)) return 'yes';
  return maybe ? 'maybe' : 'no';
}

/** The program is the first word of the pattern, the others follow in this order with whatever between them. */
function standsIn(wanted: readonly (readonly string[])[], words: readonly ShellWord[]): Touch {
  const program = words[0]?.value?.toLowerCase();
  if (program === undefined) return 'no';
  if (!matchesWildcard(wanted[0]!, program) && !matchesWildcard(wanted[0]!, programName(program))) return 'no';
  let next = 1;
  let sure = true;
  for (const { value, isGlob } of words.slice(1)) {
    if (next === wanted.length || value === undefined) continue;
    if (matchesWildcard(wanted[next]!, value.toLowerCase())) next++;
    else if (isGlob && mayBecome(value, wanted[next]!)) {
      next++;
      sure = false;
    }
  }
  if (next === wanted.length) return sure ? 'yes' : 'maybe';
  return words.some(({ value }) => value === undefined) ? 'maybe' : 'no';
}

/** Whether a file could be called what is wanted, so that the shell puts it in for the pattern. */
function mayBecome(glob: string, wanted: readonly string[]): boolean {
  const [name] = wanted;
  try {
    return wanted.length === 1 && createGlob(glob.toLowerCase())(name!);
  } catch {
    return true;
  }
}
