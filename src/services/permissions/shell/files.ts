/** The files a command opens or changes, as far as its text says so. */
import { posix } from 'node:path';
import { isInRoots, isProtected, isSecret, type Place, resolvePath } from '../paths.ts';
import { dangerousWords } from './dangers.ts';
import { any, expandHome, expandWord, isWild } from './expand.ts';
import { mayBe } from './overlap.ts';
import { isInterpreter, isPlainReader, runsFile, writers } from './programs.ts';
import { programName, type ShellAnalysis, type ShellPart } from './unwrap.ts';
import type { ShellWord } from './words.ts';

export interface ShellFiles {
  /** Absolute paths that may be read. */
  readonly reads: readonly string[];
  /** Absolute paths that may be written. */
  readonly writes: readonly string[];
  /**
   * What may be opened besides: paths with marks of `any` for what only running the command would tell, and those given to
   * a program that is not known to leave them as they are.
   */
  readonly maybe: readonly MaybeFile[];
  /** Targets of redirections alone, as paths for rules; `undefined` when only running the command would tell. */
  readonly redirects: readonly { readonly path: string | undefined; readonly writes: boolean }[];
}

export interface MaybeFile {
  readonly path: string;
  readonly writes: boolean;
}

/** They name files without opening them. */
const namesOnly = new Set(['echo', 'printf', 'test', '[', 'ls', 'stat', 'cd', 'which', 'type', 'basename', 'dirname']);
const maxBases = 8;
/** No path is longer, and no option has more signs before its value. */
const [maxPath, maxSigns] = [4096, 16];

/** The files that a parsed command reads and writes, as absolute paths; what is not sure stands apart. */
export function filesOf({ parts, redirects }: ShellAnalysis, place: Place): ShellFiles {
  const reads: string[] = [];
  const writes: string[] = [];
  const maybe: MaybeFile[] = [];
  // `cd` may or may not have happened: relative paths are looked at from everywhere they may be seen from.
  const bases = [place.cwd];
  const resolve = (word: ShellWord) => bases.flatMap((base) => pathsOf(word, { ...place, cwd: base }));
  const add = (paths: readonly string[], isWrite: boolean) => {
    for (const path of paths) {
      if (!isWild(path)) (isWrite ? writes : reads).push(path);
      else {
        maybe.push({ path, writes: isWrite });
        reads.push(...revealed(path));
      }
    }
  };
  for (const part of parts) {
    const name = programName(part.words[0]?.value ?? '');
    const words = part.words.slice(1);
    if ((name === 'cd' || name === 'pushd') && bases.length < maxBases) bases.push(...words.flatMap(resolve));
    if (namesOnly.has(name)) continue;
    const changes = changesFiles(name, part);
    const isPlain = !changes && isPlainReader(part.words) && dangerousWords(part.words).length === 0;
    const opens = changes || opensFiles(name);
    for (const word of words) {
      const paths = resolve(word).filter((path) => opens || looksLikeFile(word, path, isPlain, place));
      add(paths, false);
      if (changes) add(paths, true);
      else if (!isPlain && !isScript(name, word, part)) {
        maybe.push(...paths.map((path) => ({ path, writes: true })));
        if (isInterpreter(name) || name === 'sed') maybe.push(...pathsInCode(word, place));
      }
    }
  }
  for (const { target, writes: isWrite } of redirects) add(resolve(target), isWrite);
  return {
    reads,
    writes,
    maybe,
    redirects: redirects.map(({ target, writes: isWrite }) => ({ path: targetOf(target, place), writes: isWrite })),
  };
}

/** The one path a redirection leads to. */
function targetOf(word: ShellWord, place: Place): string | undefined {
  const texts = expandWord(word, place);
  return texts.length === 1 && !isWild(texts[0]!) ? toPath(texts[0]!, place.cwd, place) : undefined;
}

/** `npm test` reads no folder called `test`. */
function looksLikeFile({ value = '' }: ShellWord, path: string, isPlain: boolean, place: Place): boolean {
  // A text made by another command is a message more often than a file.
  if (isPlain && path === any.path) return false;
  return isWild(path) || /[/.~]/.test(value) || value === '' || isSecret(path, place) || isProtected(path, place);
}

/** What an interpreter is given first it runs, and leaves as it is. */
function isScript(name: string, word: ShellWord, { words }: ShellPart): boolean {
  return runsFile(name) && word === words[1];
}

function changesFiles(name: string, { words }: ShellPart): boolean {
  return writers.has(name) || (name === 'sed' && dangerousWords(words).some((word) => /^-.*i/.test(word)));
}

function opensFiles(name: string): boolean {
  return Object.hasOwn(readers, name) || isInterpreter(name);
}

/** Absolute, for each thing the word may become. */
function pathsOf(word: ShellWord, place: Place): string[] {
  const texts = expandWord(word, place).flatMap(pathsIn);
  return [...new Set(texts.flatMap((text) => toPath(text, place.cwd, place) ?? []))];
}

/** The word, and what follows a sign or the letters of an option in it: `--file=x`, `of=x`, `-d@x`, `n@x`, `-Cx`. */
function pathsIn(word: string): string[] {
  const found = [word];
  const signs = [...word.slice(0, maxPath).matchAll(/[=@:<]/g)].slice(0, maxSigns);
  for (const { index } of signs) found.push(word.slice(index + 1));
  if (/^-[a-zA-Z#]/.test(word)) {
    const attached = /^-[a-zA-Z#]+([./~].*)$/s.exec(word)?.[1];
    found.push(word.slice(2), ...(attached ? [attached] : []));
  }
  return found.filter((text) => text !== '');
}

/** A pattern that `.env` fits is taken for it. */
function revealed(path: string): string[] {
  const name = posix.basename(path);
  return name.startsWith('.') && mayBe(name, '.env') ? [posix.join(posix.dirname(path), '.env')] : [];
}

/** Names in the text of a program, where they are of files that hold keys or are protected. */
function pathsInCode({ text }: ShellWord, place: Place): MaybeFile[] {
  const names = text
    .slice(0, 20_000)
    .split(/[\s'"`;(){}<>|,=]+/)
    .filter((name) => /[a-z]/i.test(name));
  // There may be many: no link is followed for any of them.
  const { realPath, ...written } = place;
  const paths = names.flatMap((name) => toPath(name, place.cwd, written) ?? []);
  const telling = paths.filter((path) => isSecret(path, written) || isProtected(path, written));
  return telling.map((path) => ({ path, writes: true }));
}

function toPath(text: string, base: string, place: Place): string | undefined {
  const here = { ...place, cwd: base };
  const expanded = expandHome(text, here);
  if (isWild(expanded) || isWild(base)) return resolveWild(expanded, base);
  return resolvePath(expanded.startsWith('~') ? `./${expanded}` : expanded, here);
}

/** What begins with something that is not known may lie anywhere. */
function resolveWild(text: string, base: string): string {
  if (!text.startsWith(any.path)) {
    return base.startsWith(any.path) && !text.startsWith('/')
      ? resolveWild(`${base}/${text}`, '/')
      : posix.resolve(base, text);
  }
  const path = posix.normalize(text);
  return path.startsWith(any.path) ? path : `${any.path}/${path}`;
}

// No value with a folder in it: options may name files.
const anyOption = /^(-\w+|--[a-z-]+(=\w+)?)$/;
const plainReaders =
  'cat head wc ls pwd stat du df nl cut basename dirname cmp echo true false test grep egrep fgrep diff realpath readlink'.split(
    ' ',
  );
/** Programs that only read, with the options they may have. */
const readers: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(plainReaders.map((name) => [name, anyOption])),
  tail: /^-(\d+|[cnqv]\d*|-lines=\d+|-bytes=\d+)$/,
  sort: /^-[bdfghinrVuk\d,]+$/,
  find: /^-(name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|newer|not|o|a|print|print0|empty)$/,
  'git log':
    /^-(\d+|n|-oneline|-stat|-graph|-all|-decorate|-reverse|-(format|pretty|since|until|author|max-count)=.*)$/,
  'git rev-parse': /^--(abbrev-ref|short|show-toplevel)$/,
  'git branch': /^(--show-current|--list|-a|-r|-v)$/,
};

/** Whether a part can only read, and only inside the roots. */
export function isReader({ words, changed }: ShellPart, place: Place): boolean {
  const values = words.map(({ value }) => value);
  if (changed || values.includes(undefined) || words[0]!.text !== words[0]!.value) return false;
  const name = values[0] === 'git' ? `git ${values[1]}` : values[0]!;
  if (!Object.hasOwn(readers, name)) return false;
  const rest = words.slice(name.split(' ').length);
  if (name === 'git branch' && rest.some(({ value }) => !value!.startsWith('-'))) return false;
  return rest.every((word) => {
    const value = word.value!;
    if (word.mayBecomeOption && name !== 'grep' && name !== 'find') return isSafeGlob(word.text);
    if (value.startsWith('-') && !readers[name]!.test(value)) return false;
    const [path] = [toPath(value.startsWith('-') ? value.slice(value.indexOf('=') + 1) : value, place.cwd, place)];
    return path !== undefined && isInRoots(path, place) && !isSecret(path, place);
  });
}

/** `*.ts` can be no option of a program that takes any option but those that name files. */
function isSafeGlob(text: string): boolean {
  return !text.includes('/..') && !text.startsWith('..') && !/[@!+]\(/.test(text);
}
