/** The paths a word may stand for when the shell has put in folders, lists in braces, variables and patterns. */
import { posix } from 'node:path';
import type { Place } from '../paths.ts';
import type { ShellWord } from './words.ts';

/** Stand in a path for what is not known. The shell refuses to judge texts with these characters, so no word has them. */
export const any = { one: '\ue001', name: '\ue000', path: '\ue002' } as const;
const wild = /[\ue000-\ue002]/;

/** Whether the shell would make other names of a path before it is used. */
export function isWild(path: string): boolean {
  return wild.test(path);
}

/** More lists in braces than this are as good as unknown. */
const maxAlternatives = 64;

/** What the word may become, with marks for what only running would tell. Relative paths stay relative. */
export function expandWord({ text, value, isGlob }: ShellWord, place: Place): string[] {
  if (value !== undefined && !isGlob && !text.startsWith('~')) return [value];
  return (spellOut(text) ?? [any.path]).map((each) => readWord(each, place));
}

/** Each alternative of `{a,b}`, quotes left in; `undefined` when there are too many. */
function spellOut(text: string): string[] | undefined {
  const results: string[] = [];
  const open = [text];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (!group) results.push(next);
    else open.push(...group.choices.map((choice) => next!.slice(0, group.start) + choice + next!.slice(group.end)));
    if (results.length + open.length > maxAlternatives) return undefined;
  }
  return results;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
}

function firstGroup(text: string): Group | undefined {
  for (let start = 0; start < text.length; start = afterPiece(text, start)) {
    if (text[start] !== '{') continue;
    const choices: string[] = [];
    let depth = 0;
    let from = start + 1;
    for (let at = start + 1; at < text.length; at = afterPiece(text, at)) {
      if (text[at] === '{') depth++;
      else if (text[at] === '}' && depth > 0) depth--;
      else if (text[at] === '}') {
        choices.push(text.slice(from, at));
        if (choices.length > 1) return { start, end: at + 1, choices };
        // `{1..9}` and `{a..z}` are names nobody spells out here.
        if (choices[0]!.includes('..')) return { start, end: at + 1, choices: ['*'] };
        break;
      } else if (text[at] === ',' && depth === 0) {
        choices.push(text.slice(from, at));
        from = at + 1;
      }
    }
  }
  return undefined;
}

/** Behind the character, the escape, the quoted text or the expansion that begins here. */
function afterPiece(text: string, at: number): number {
  const piece = /\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|`(?:\\[\s\S]|[^`\\])*`|\$\{[^}]*\}/y;
  piece.lastIndex = at;
  return piece.test(text) ? piece.lastIndex : at + 1;
}

/** A command or a more difficult expansion; to the end where its own end is not sure. */
const running = String.raw`\$\((?:[^()]|\([^()]*\))*\)|\$\{[^{}]*\}|\x60[^\x60]*\x60|\$[({[][\s\S]*|\x60[\s\S]*`;
const pieces = new RegExp(
  [
    String.raw`\\(?<escaped>[\s\S])|'(?<raw>[^']*)'|\$?"(?<quoted>(?:\\[\s\S]|[^"\\])*)"`,
    String.raw`\$(?:\{(?<braced>\w+)\}|(?<named>\w+))`,
    String.raw`(?<unknown>\$'(?:\\[\s\S]|[^'\\])*'|[@!+?*]\([\s\S]*|${running}|\$.|[<>]\([\s\S]*)`,
    String.raw`(?<pattern>\*|\?|\[[^\]]+\])|(?<plain>[\s\S])`,
  ].join('|'),
  'gu',
);

const inQuotes = new RegExp(String.raw`\\([$\x60"\\])|\$(?:\{(\w+)\}|(\w+))|${running}|\$[@*#?!-]|([\s\S])`, 'gu');

function readWord(text: string, place: Place): string {
  const [, user] = home.exec(text) ?? [];
  const rest = user === undefined ? text : text.slice(user.length + 1);
  const start = user === undefined ? '' : homeOf(user, place);
  const read = [...rest.replace(/\\\n/g, '').matchAll(pieces)].map(({ groups }) => readPiece(groups!, place));
  return start + read.join('');
}

const home = /^~([^/'"\\$`]*)(?=\/|$)/;

/** With the folder in place of `~`, `~+` or `~user` at the beginning. */
export function expandHome(text: string, place: Place): string {
  return text.replace(home, (_, user: string) => homeOf(user, place));
}

function readPiece(groups: Record<string, string | undefined>, place: Place): string {
  const { escaped, raw, quoted, braced, named, pattern, plain } = groups;
  if (quoted !== undefined) return readQuoted(quoted, place);
  const variable = braced ?? named;
  if (variable !== undefined) return variableIn(variable, place);
  if (pattern !== undefined) return pattern === '*' ? any.name : any.one;
  return escaped ?? raw ?? plain ?? any.path;
}

/** In quotes only variables and what runs are put in. */
function readQuoted(text: string, place: Place): string {
  return [...text.matchAll(inQuotes)]
    .map(([, escaped, braced, named, plain]) => {
      const variable = braced ?? named;
      return variable === undefined ? (escaped ?? plain ?? any.path) : variableIn(variable, place);
    })
    .join('');
}

/** `~`, `~+` and the user's own name are known. */
function homeOf(user: string, { cwd, userHome }: Place): string {
  if (user === '+') return cwd;
  return user === '' || user === posix.basename(userHome) ? userHome : any.path;
}

function variableIn(variable: string, { cwd, userHome }: Place): string {
  if (variable === 'PWD') return cwd;
  return variable === 'HOME' ? userHome : any.path;
}
