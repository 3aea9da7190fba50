/**
 * Finds settings of a repository that make git run a program by itself, when it only looks, or look at and write files
 * of another folder: what lies in a folder is not of the user's making, and `git status` or `git diff` would run it
 * without a word.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { WatchedFolder } from './bubblewrap/watched-folder.ts';

const maxBytes = 1_000_000;
const maxModules = 200;

/** Keys whose value is a program or leads to more settings, whatever section they stand in. */
const naming =
  /(^|\.)(command|cmd|textconv|clean|smudge|process|driver|program|helper|editor|difffilter|external|hookspath|askpass|sshcommand|gitproxy|alternaterefscommand|packobjectshook|uploadpack|receivepack|vcs|templatedir|pager|browser|tool|guitool|customcommand|path|fsmonitor|attributesfile|defaultcommand)$/;
/** Sections in which any key may name one. */
const namingSections = new Set(['alias', 'pager', 'include', 'includeif']);
/** What runs nothing although its key could. */
const harmless: readonly (readonly [key: RegExp, value: RegExp])[] = [
  [/^core\.fsmonitor$/, /^(true|false|yes|no|on|off|0|1)?$/i],
  [/^filter\.lfs\.(clean|smudge|process)$/, /^git-lfs (clean|smudge|filter-process)( --skip)?( --)?( %f)?$/],
  [/^submodule\..*\.path$/, /^/],
  [/^(core\.pager|pager\..*)$/, /^(cat|less|true|false)?$/],
  [/^alias\./, /^[^!]/],
];

/** The first file below or above `folder` that names a program for git to run; `undefined` when there is none. */
export function findGitPrograms(folder: string): string | undefined {
  const repositories = [...enclosing(folder), ...nested(folder)];
  for (const { git, home } of repositories) {
    const found = settingsOf(git).find((file) => runsSomething(file, home));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A folder of git's own, and the folder it was found for, in which its files belong. */
interface Repository {
  readonly git: string;
  readonly home: string;
}

/** Git folders that git finds from here, each as it goes up. */
function* enclosing(folder: string): Generator<Repository> {
  for (let each = folder; ; each = dirname(each)) {
    yield* gitFolders(join(each, '.git'));
    if (['HEAD', 'objects', 'refs'].every((name) => existsSync(join(each, name)))) yield { git: each, home: each };
    if (each === dirname(each)) return;
  }
}

/** Git looks into repositories within a repository too, whether they are declared or not. */
function nested(folder: string): Repository[] {
  const names = [...new WatchedFolder(folder).look().keys()];
  return [...new Set(names.map(dirname))]
    .flatMap((each) => [...gitFolders(each)])
    .concat(names.filter((name) => name.endsWith('/.git')).flatMap((file) => [...gitFolders(file)]));
}

/** The folder itself, or where a file of that name leads, and what that shares with others. */
function* gitFolders(path: string): Generator<Repository> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  const led = stats.isFile() ? /^gitdir: (.+)$/m.exec(read(path) ?? '')?.[1] : undefined;
  const git = led === undefined ? path : resolve(dirname(path), led.trim());
  const home = dirname(path);
  yield { git, home };
  const common = read(join(git, 'commondir'))?.trim();
  if (common) yield { git: resolve(git, common), home };
}

function settingsOf(git: string): string[] {
  const own = [join(git, 'config'), join(git, 'config.worktree'), join(git, 'hooks/post-index-change')];
  return [...own, ...modulesOf(join(git, 'modules'))];
}

/** Submodules keep theirs in the folder of the repository around them. */
function modulesOf(folder: string): string[] {
  const queue = [folder];
  const found: string[] = [];
  for (const each of queue) {
    if (queue.length > maxModules) break;
    for (const entry of list(each)) {
      const path = join(each, entry.name);
      if (entry.name === 'config') found.push(path);
      else if (entry.isDirectory() && !['objects', 'refs', 'logs', 'hooks', 'info'].includes(entry.name))
        queue.push(path);
    }
  }
  return found;
}

function list(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function runsSomething(file: string, home: string): boolean {
  if (!existsSync(file)) return false;
  if (file.endsWith('/post-index-change')) return true;
  const text = read(file);
  return text === undefined || namesProgram(text, (worktree) => isWithin(worktree, file, home));
}

/** Whether the files of a repository lie where it was found, or below; relative to the folder of its settings. */
function isWithin(worktree: string, file: string, home: string): boolean {
  try {
    const way = relative(realpathSync(home), realpathSync(resolve(dirname(realpathSync(file)), worktree)));
    return way !== '..' && !way.startsWith('../');
  } catch {
    // What is not there yet may be made, anywhere.
    return false;
  }
}

/**
 * Whether a configuration of git names a program, or has git work on the files of another folder; also when it cannot be
 * read for sure. `isOwn` tells whether a `core.worktree` is a folder of the repository; none is when absent.
 */
export function namesProgram(text: string, isOwn: (worktree: string) => boolean = () => false): boolean {
  let section: string | undefined;
  for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
    let rest = line.trim();
    const header = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]\s*/.exec(rest);
    if (header) {
      const [all, name = '', sub] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      rest = rest.slice(all.length);
    }
    if (rest === '' || /^[#;]/.test(rest)) continue;
    const [, key, value = ''] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest) ?? [];
    if (key === undefined || section === undefined) return true;
    const name = key.toLowerCase();
    if (section === 'core' && name === 'worktree' && !isOwn(plain(value))) return true;
    if (isNaming(section, name, plain(value))) return true;
  }
  return false;
}

function isNaming(section: string, key: string, value: string): boolean {
  const whole = `${section}.${key}`;
  if (value.startsWith('!') || /^ext::/.test(value)) return true;
  if (!naming.test(key) && !namingSections.has(section.split('.')[0] as string)) return false;
  return !harmless.some(([name, allowed]) => name.test(whole) && allowed.test(value));
}

/** Without quotes and what comes after a comment sign. */
function plain(value: string): string {
  return value
    .replace(/"((?:[^"\\]|\\.)*)"|[#;].*$/g, '$1')
    .replace(/\\(.)/g, '$1')
    .trim();
}

/** `undefined` for what is no file or too large. */
function read(path: string): string | undefined {
  try {
    const text = readFileSync(path);
    return text.length <= maxBytes ? text.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}
