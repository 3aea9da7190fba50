/** Whether a rule is about a call. */
import { posix } from 'node:path';
import { createGlob } from '../../lib/glob.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { parseRule, type Rule } from '../../protocol/rule.ts';
import type { Risk } from '../../protocol/tool.ts';
import { isInside, type Place, resolvePath } from './paths.ts';
import { exactPattern, type ShellJudge } from './shell.ts';

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
  return rules.find((text) => {
    const rule = parseRule(text);
    return rule !== undefined && matches(rule, call, options);
  });
}

/** Tools that reach the same files another way: what restricts a path for one restricts it for the other. */
const widened: Readonly<Record<string, string>> = { read_file: 'grep', edit_file: 'write_file' };

function isForTool(named: string, tool: string): boolean {
  return named.endsWith('*') ? tool.startsWith(named.slice(0, -1)) : named === tool;
}

function matches({ tool, pattern }: Rule, call: JudgedCall, options: MatchOptions): boolean {
  const { shell, restrict } = options;
  if (!isForTool(tool, call.tool) && !(restrict && pattern !== undefined && widened[tool] === call.tool)) return false;
  if (pattern === undefined) return true;
  if (call.tool === 'bash') {
    const command = String(call.input.command ?? '');
    return restrict ? shell.touches(command, pattern) : shell.covers(command, pattern);
  }
  if (call.tool === 'web_fetch') return matchesUrl(String(call.input.url ?? ''), pattern);
  const paths = pathsOf(call);
  if (paths.length > 0) {
    const hit = (path: unknown) => matchesPath(path, pattern, call.tool, options);
    return restrict ? paths.some(hit) : paths.every(hit);
  }
  const value = call.input.agent ?? call.input.name;
  return typeof value === 'string' ? createGlob(pattern)(value) : restrict && call.risk !== 'read';
}

/** `domain:example.com` covers the host and what lies below it; else a glob over the whole address. */
function matchesUrl(text: string, pattern: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  if (!pattern.startsWith('domain:')) return createGlob(pattern)(url.href) || createGlob(pattern)(url.hostname);
  const domain = pattern.slice('domain:'.length).trim().toLowerCase();
  return url.hostname === domain || url.hostname.endsWith(`.${domain}`);
}

/** Patterns are relative to the working folder; `//x` and `/x` are absolute, `~/x` is below the user's home. */
function matchesPath(text: unknown, pattern: string, tool: string, { place, restrict }: MatchOptions): boolean {
  const path = resolvePath(text, place);
  if (path === undefined) return restrict;
  const absolute = pattern.startsWith('~/')
    ? posix.join(escapeGlob(place.userHome), pattern.slice(2))
    : posix.isAbsolute(pattern)
      ? pattern.replace(/^\/+/, '/')
      : posix.join(escapeGlob(place.cwd), pattern);
  if (!restrict) return createGlob(absolute)(path);
  // Widely: whatever the letter case, a folder with all that is in it, and for a search each folder above.
  const lower = absolute.toLowerCase();
  const glob = createGlob(lower);
  const below = createGlob(`${lower}/**`);
  const seen = path.toLowerCase();
  const fixed = lower.split(/[*?[{]/)[0]!.replace(/\/$/, '');
  return glob(seen) || below(seen) || (tool === 'grep' && isInside(fixed, seen));
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
  return `${call.tool}(${escapeGlob(inside ? posix.relative(place.cwd, path) : path)})`;
}
