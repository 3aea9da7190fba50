/** Whether a rule is about a call. */
import { posix } from 'node:path';
import { createGlob } from '../../lib/glob.ts';
import type { Risk } from '../../protocol/define/tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { parseRule, type Rule } from '../../protocol/rule.ts';
import { isInside, type Place, resolvePath } from './paths.ts';
import { isWild } from './shell/expand.ts';
import type { MaybeFile } from './shell/files.ts';
import type { ShellJudge, Touch } from './shell/judge.ts';
import { mayFit } from './shell/overlap.ts';
import { exactPattern } from './shell/patterns.ts';

export interface JudgedCall {
  readonly tool: string;
  readonly risk: Risk;
  readonly input: JsonObject;
}

/** Where and with what a rule is matched. `restrict`: it denies or asks, so it is read widely. */
export interface MatchOptions {
  readonly place: Place;
  readonly shell: ShellJudge;
  readonly restrict: boolean;
}

/** The first rule that is about the call, as it was written. */
export function findRule(rules: readonly string[], call: JudgedCall, options: MatchOptions): string | undefined {
  return rules.find((text) => touchOf(text, call, options) === 'yes');
}

/** The first restricting rule that may be about the call: only running it would tell. */
export function findDoubt(rules: readonly string[], call: JudgedCall, options: MatchOptions): string | undefined {
  return rules.find((text) => touchOf(text, call, options) === 'maybe');
}

/** The first restricting rule for files that may be about one of these, whose paths have marks of `any`. */
export function findFileDoubt(rules: readonly string[], files: readonly MaybeFile[], place: Place): string | undefined {
  return rules.find((text) => {
    const rule = parseRule(text);
    if (rule?.pattern === undefined) return false;
    const globs = toGlobs(rule.pattern, place, true).flatMap((glob) => [glob, `${glob}/**`]);
    const isFor = (tools: readonly string[]) => tools.some((tool) => isForTool(rule.tool, tool));
    const [reading, writing] = [isFor(['read_file']), isFor(['write_file', 'edit_file'])];
    return files.some((file) => {
      // What is known is judged as it is for what it is surely read by.
      const counts = (reading && isWild(file.path)) || (writing && file.writes);
      return counts && globs.some((glob) => mayFit(file.path, glob));
    });
  });
}

function touchOf(text: string, call: JudgedCall, options: MatchOptions): Touch {
  const rule = parseRule(text);
  return rule === undefined ? 'no' : matches(rule, call, options);
}

/** Tools that reach the same files another way: what restricts a path for one restricts it for the others. */
const widened: Readonly<Record<string, readonly string[]>> = {
  read_file: ['grep', 'glob', 'ls'],
  edit_file: ['write_file'],
  write_file: ['edit_file'],
};

function isForTool(named: string, tool: string): boolean {
  if (named.endsWith('*')) return tool.startsWith(named.slice(0, -1));
  // `mcp__git` is all of a server's tools.
  return named === tool || (/^mcp__[^_]+(_[^_]+)*$/.test(named) && tool.startsWith(`${named}__`));
}

function matches({ tool, pattern }: Rule, call: JudgedCall, options: MatchOptions): Touch {
  const { shell, restrict } = options;
  const alsoFor = restrict && pattern !== undefined ? (widened[tool] ?? []) : [];
  if (!isForTool(tool, call.tool) && !alsoFor.includes(call.tool)) return 'no';
  if (pattern === undefined) return 'yes';
  if (call.tool === 'bash') {
    const command = String(call.input.command ?? '');
    return restrict ? shell.touches(command, pattern) : toTouch(shell.cover(command, [pattern]) !== undefined);
  }
  if (call.tool === 'web_fetch') return toTouch(matchesUrl(String(call.input.url ?? ''), pattern));
  const paths = pathsOf(call);
  if (paths.length > 0) {
    const hit = (path: unknown) => matchesPath(path, pattern, call.tool, options);
    return toTouch(restrict ? paths.some(hit) : paths.every(hit));
  }
  return toTouch(matchesName(call, pattern, restrict));
}

function toTouch(hit: boolean): Touch {
  return hit ? 'yes' : 'no';
}

/** `Agent(review)`, `Skill(release)`, `Agent(model:…)`: what cannot be seen in the call is assumed by what restricts. */
function matchesName({ input, risk }: JudgedCall, pattern: string, restrict: boolean): boolean {
  const [, field, wanted] = /^(\w+):(.*)$/s.exec(pattern) ?? [];
  const value = field === undefined ? (input.agent ?? input.name) : input[field];
  if (typeof value === 'string') return createGlob(wanted ?? pattern)(value);
  return restrict && (field !== undefined || risk !== 'read');
}

/** `domain:example.com` covers the host and what lies below it; else a glob over the whole address. */
function matchesUrl(text: string, pattern: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  if (!pattern.startsWith('domain:')) return createGlob(pattern)(url.href) || createGlob(pattern)(url.hostname);
  const domain = pattern.slice('domain:'.length).trim().toLowerCase().replace(/^\*\./, '.');
  const host = url.hostname.replace(/\.$/, '');
  return host === domain || host.endsWith(domain.startsWith('.') ? domain : `.${domain}`);
}

function matchesPath(text: unknown, pattern: string, tool: string, options: MatchOptions): boolean {
  const { place, restrict } = options;
  const path = resolvePath(text, place);
  if (path === undefined) return restrict;
  // What restricts counts for the name that was written, too.
  if (restrict && place.realPath && typeof text === 'string') {
    const { realPath, ...written } = place;
    const asWritten = resolvePath(text, written);
    if (asWritten !== path && matchesPath(text, pattern, tool, { ...options, place: written })) return true;
  }
  return toGlobs(pattern, place, restrict).some((glob) => {
    if (!restrict) return createGlob(glob)(path) || createGlob(`${glob}/**`)(path);
    // Widely: whatever the letter case, and for a search each folder above.
    const lower = glob.toLowerCase();
    const seen = path.toLowerCase();
    const fixed = lower.split(/[*?[{]/)[0]!.replace(/\/$/, '');
    return createGlob(lower)(seen) || createGlob(`${lower}/**`)(seen) || (tool === 'grep' && isInside(fixed, seen));
  });
}

/**
 * Patterns are written as in `.gitignore`, seen from the working folder: without a slash they are for names at any
 * depth, a folder stands for all that is in it. `//x` is absolute, `~/x` is below the user's home. `/x` is seen from
 * the working folder too; what restricts takes it for an absolute path as well.
 */
function toGlobs(written: string, { cwd, userHome }: Place, restrict: boolean): string[] {
  const pattern = written.length > 1 ? written.replace(/\/+$/, '') : written;
  const here = escapeGlob(cwd);
  if (pattern.startsWith('~/')) return [posix.join(escapeGlob(userHome), pattern.slice(2))];
  if (pattern.startsWith('//')) return [pattern.replace(/^\/+/, '/')];
  if (pattern.startsWith('/')) return [posix.join(here, pattern), ...(restrict ? [pattern] : [])];
  return [pattern.includes('/') ? posix.join(here, pattern) : posix.join(here, '**', pattern)];
}

const pathKeys = ['file_path', 'path', 'paths', 'file', 'files', 'folder', 'directory'];

/** Every argument of the call that is a path. `ls`, `glob` and `grep` look at the working folder by default. */
export function pathsOf(call: JudgedCall): unknown[] {
  const named = pathKeys.filter((key) => Object.hasOwn(call.input, key)).flatMap((key) => call.input[key] as unknown);
  if (call.tool === 'glob') named.push(globBase(call.input.pattern));
  const listing = ['ls', 'glob', 'grep'].includes(call.tool) && !Object.hasOwn(call.input, 'path');
  return listing ? ['.', ...named] : named;
}

/** The folder a glob cannot leave upwards; a pattern with `..` is judged whole. */
function globBase(pattern: unknown): unknown {
  if (typeof pattern !== 'string') return pattern;
  return pattern.split('/').includes('..') || posix.isAbsolute(pattern) ? pattern.split(/[*?[{]/)[0] || '/' : '.';
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{},!]/g, '\\$&');
}

/** The narrowest rule that would have let the call pass: exactly this command, this file, this host, this tool. */
export function narrowRule(call: JudgedCall, place: Place): string | undefined {
  if (call.tool === 'bash') {
    const command = String(call.input.command ?? '').trim();
    return command === '' ? undefined : `bash(${exactPattern(command)})`;
  }
  if (call.tool === 'web_fetch') {
    const host = URL.parse(String(call.input.url ?? ''))?.hostname;
    return host ? `web_fetch(domain:${host})` : undefined;
  }
  const paths = pathsOf(call);
  if (paths.length === 0) return call.tool;
  const path = paths.length === 1 ? resolvePath(paths[0], place) : undefined;
  if (path === undefined) return undefined;
  const inside = isInside(path, place.cwd) && path !== place.cwd;
  const relative = posix.relative(place.cwd, path);
  const shown = inside ? (relative.includes('/') ? relative : `/${relative}`) : `/${path}`;
  return `${call.tool}(${escapeGlob(shown)})`;
}
