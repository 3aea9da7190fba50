/**
 * What a rule says of a shell command, judged on text alone. An allowing rule covers a command only when no shell
 * syntax can make it more than it looks; a denying rule covers it when any part might be what it forbids.
 */
import { isInRoots, isSecret, type Place, resolvePath } from './paths.ts';

/** The part of the permission service that knows the shell. */
export interface ShellJudge {
  /** Whether an allow rule covers the whole command. */
  covers(command: string, pattern: string): boolean;
  /** Whether a deny or ask rule touches any part of the command. */
  touches(command: string, pattern: string): boolean;
  /** Whether the command can only read, and only in the folder. */
  isReadOnly(command: string, place: Place): boolean;
}

/** The pattern for exactly this command. */
export function exactPattern(command: string): string {
  return command.replace(/[\\*]/g, '\\$&');
}

/** True when a pattern stands for one command only. */
export function isExact(pattern: string): boolean {
  return !/^(?:[^\\]|\\[\s\S])*?\*/.test(pattern);
}

// Operators, expansions, redirections, escapes, comments, and whatever is not printed.
const syntax = /[;|&<>$`(){}\\#!\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const assignment = /^\w+\+?=/;

function isPlain(command: string): boolean {
  return !syntax.test(command.replaceAll('\t', ' ')) && !assignment.test(command) && areQuotesClosed(command);
}

function areQuotesClosed(command: string): boolean {
  return !/['"]/.test(command.replace(/'[^']*'|"[^"]*"/g, ''));
}

function covers(command: string, pattern: string): boolean {
  const text = command.trim();
  const wanted = pattern.trim();
  if (isExact(wanted)) return text === wanted.replace(/\\([\s\S])/g, '$1');
  // `npm test:*` is how the same is written elsewhere.
  return isPlain(text) && toRegExp(wanted.replace(/:\*$/, ' *')).test(text.replace(/[ \t]+/g, ' '));
}

/** `*` is any text; ` *` at the end may also be nothing. */
function toRegExp(pattern: string, flags = ''): RegExp {
  const [, head, tail] = /^([\s\S]*?)( \*)?$/.exec(pattern.replace(/[ \t]+/g, ' '))!;
  const source = head!.replace(/\\([\s\S])|\*+|[^\\*]+/g, (part, escaped: string | undefined) => {
    return part.startsWith('*') ? '.*' : (escaped ?? part).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${source}${tail ? '( .*)?' : ''}$`, `${flags}su`);
}

/**
 * True when the words of the pattern stand in the command in this order, wherever a command might begin. Quotes,
 * backslashes and folders of the program are looked through; words between them are passed over.
 */
function touches(command: string, pattern: string): boolean {
  if (covers(command, pattern)) return true;
  const literal = pattern.trim().replace(/(:| )?\*$/, '');
  const wanted = literal
    .split(/[ \t]+/)
    .filter(Boolean)
    .map((word) => toRegExp(word, 'i'));
  if (wanted.length === 0) return true;
  for (const part of command.replace(/['"\\]/g, '').split(/[;|&\n\r`(){}]+/)) {
    const words = part.split(/[\s<>$=]+/).filter(Boolean);
    let next = 0;
    for (const word of words) {
      const program = next === 0 ? word.slice(word.lastIndexOf('/') + 1) : word;
      if (wanted[next]!.test(word) || wanted[next]!.test(program)) next++;
      if (next === wanted.length) return true;
    }
  }
  return false;
}

// No value with a folder in it: options may name files.
const anyOption = /^(-\w+|--[a-z-]+(=\w+)?)$/;
/** Programs that only read, with the options they may have. */
const readers: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ['cat', 'head', 'wc', 'ls', 'pwd', 'stat', 'du', 'df', 'nl', 'cut', 'basename', 'dirname', 'cmp', 'echo'].map(
      (name) => [name, anyOption],
    ),
  ),
  tail: /^-(\d+|[cnqv]\d*|-lines=\d+|-bytes=\d+)$/,
  grep: anyOption,
  diff: anyOption,
  find: /^-(name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|newer|not|o|a|print|print0|empty)$/,
  'git log':
    /^-(\d+|n|-oneline|-stat|-graph|-all|-decorate|-reverse|-(format|pretty|since|until|author|max-count)=.*)$/,
  'git rev-parse': /^--(abbrev-ref|short|show-toplevel)$/,
  'git branch': /^(--show-current|--list|-a|-r|-v)$/,
};

function isReadOnly(command: string, place: Place): boolean {
  const text = command.trim();
  if (!isPlain(text)) return false;
  const words = (text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replace(/['"]/g, ''));
  const name = words[0] === 'git' ? `git ${words[1]}` : words[0];
  if (name === undefined || !Object.hasOwn(readers, name)) return false;
  const rest = words.slice(name.split(' ').length);
  if (name === 'git branch' && rest.some((word) => !word.startsWith('-'))) return false;
  return rest.every((word) => {
    if (word.startsWith('-') && !readers[name]!.test(word)) return false;
    const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
    const path = resolvePath(value, place);
    return path !== undefined && isInRoots(path, place) && !isSecret(path, place);
  });
}

/** Judges commands without a parser of the shell's grammar. */
export const textJudge: ShellJudge = { covers, touches, isReadOnly };
