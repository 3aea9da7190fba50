/** The files a command opens or changes, as far as its text says so. */
import { posix } from 'node:path';
import { createGlob } from '../../../lib/glob.ts';
import { isInRoots, isSecret, type Place, resolvePath } from '../paths.ts';
import { dangerousWords } from './dangers.ts';
import { isInterpreter, writers } from './programs.ts';
import { programName, type ShellAnalysis, type ShellPart } from './unwrap.ts';

export interface ShellFiles {
  /** Absolute paths that may be read. */
  readonly reads: readonly string[];
  /** Absolute paths that may be written. */
  readonly writes: readonly string[];
  /** Targets of redirections alone, as paths for rules; `undefined` when only running the command would tell. */
  readonly redirects: readonly { readonly path: string | undefined; readonly writes: boolean }[];
}

/** They name files without opening them. */
const namesOnly = new Set(['echo', 'printf', 'test', '[', 'ls', 'stat', 'cd', 'which', 'type', 'basename', 'dirname']);
const maxBases = 8;

/** The files that a parsed command reads and writes, as absolute paths; what is not sure stands apart. */
export function filesOf({ parts, redirects }: ShellAnalysis, place: Place): ShellFiles {
  const reads: string[] = [];
  const writes: string[] = [];
  // `cd` may or may not have happened: relative paths are looked at from everywhere they may be seen from.
  const bases = [place.cwd];
  const resolve = (text: string) => bases.flatMap((base) => toPath(text, base, place) ?? []);
  for (const part of parts) {
    const name = programName(part.words[0]?.value ?? '');
    const values = part.words.slice(1).flatMap(({ value }) => (value === undefined ? [] : pathsIn(value)));
    if ((name === 'cd' || name === 'pushd') && bases.length < maxBases) bases.push(...values.flatMap(resolve));
    if (namesOnly.has(name)) continue;
    const changes = changesFiles(name, part);
    const opens = changes || opensFiles(name);
    // `npm test` reads no folder called `test`.
    const paths = values.filter((value) => opens || /[/.~]/.test(value)).flatMap(resolve);
    reads.push(...paths);
    if (changes) writes.push(...paths);
  }
  const targets = redirects.map(({ target, writes: isWrite }) => ({
    path: target === undefined ? undefined : toPath(target, place.cwd, place),
    writes: isWrite,
  }));
  for (const { target, writes: isWrite } of redirects) {
    if (target !== undefined) (isWrite ? writes : reads).push(...resolve(target));
  }
  return { reads, writes, redirects: targets };
}

function changesFiles(name: string, { words }: ShellPart): boolean {
  return writers.has(name) || (name === 'sed' && dangerousWords(words).some((word) => /^-.*i/.test(word)));
}

function opensFiles(name: string): boolean {
  return Object.hasOwn(readers, name) || isInterpreter(name);
}

/** The word, and what follows `=` in it: `--file=x`, `of=x`. */
function pathsIn(word: string): string[] {
  const value = /^[^=/]*=(.+)$/s.exec(word)?.[1];
  const attached = /^-[a-zA-Z]([./~].*)$/s.exec(word)?.[1];
  return [word, ...(value ? [value] : []), ...(attached ? [attached] : [])].map(revealed);
}

/** A pattern that `.env` fits is taken for it. */
function revealed(word: string): string {
  const name = posix.basename(word);
  if (!name.startsWith('.') || !/[*?[]/.test(name)) return word;
  try {
    return createGlob(name)('.env') ? posix.join(posix.dirname(word), '.env') : word;
  } catch {
    return word;
  }
}

function toPath(text: string, base: string, place: Place): string | undefined {
  const expanded = text === '~' || text.startsWith('~/') ? posix.join(place.userHome, text.slice(1)) : text;
  return resolvePath(expanded, { ...place, cwd: base });
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
