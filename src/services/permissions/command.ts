/** Decides about shell commands: what they run and what they open, each judged by the rules it belongs to. */
import { posix } from 'node:path';
import { parseRule } from '../../protocol/rule.ts';
import { findDoubt, findFileDoubt, findRule, type MatchOptions } from './match.ts';
import { isInRoots, isProtected, isSecret } from './paths.ts';
import type { Judgement, PermissionQuestion } from './question.ts';
import { any, isWild } from './shell/expand.ts';
import type { MaybeFile } from './shell/files.ts';
import { closedJudge, type ShellJudge } from './shell/judge.ts';
import { mayBeProtected, mayBeSecret } from './unsure-paths.ts';

interface Command {
  readonly question: PermissionQuestion;
  readonly text: string;
  readonly shell: ShellJudge;
}

function toCommand(question: PermissionQuestion): Command {
  return { question, text: String(question.call.input.command ?? ''), shell: question.shell ?? closedJudge };
}

/** What stands above every allow rule and mode: files no tool may open, rules for files, protected names. */
export function restrictFiles(question: PermissionQuestion): Judgement | undefined {
  const { text, shell } = toCommand(question);
  const { reads, writes, maybe } = shell.files(text, question);
  const { rules, mode } = question;
  const denied = fileRule(question, rules.deny, reads, writes);
  if (denied !== undefined) return { verdict: 'deny', why: 'denyRule', rule: denied };
  const wild = maybe.flatMap(({ path }) => (isWild(path) ? [path] : []));
  if ([...reads, ...writes, ...wild].some((path) => isSecret(path, question)))
    return { verdict: 'deny', why: 'secretPath' };
  const isTouched = ({ path, writes: isWrite }: MaybeFile) => isWrite && mayBeProtected(path, question);
  if (writes.some((path) => isProtected(path, question)) || maybe.some(isTouched)) {
    return { verdict: mode === 'plan' ? 'deny' : 'ask', why: 'protectedName', eachTime: true };
  }
  const unsure = findFileDoubt(rules.deny, maybe, question);
  if (unsure !== undefined) return { verdict: 'ask', why: 'unclearFile', rule: unsure, eachTime: true };
  if (maybe.some(({ path }) => mayBeSecret(path, question))) {
    return { verdict: 'ask', why: 'unclearFile', eachTime: true };
  }
  if (mode === 'bypassPermissions') return undefined;
  const asked = fileRule(question, rules.ask, reads, writes) ?? findFileDoubt(rules.ask, maybe, question);
  return asked === undefined ? undefined : { verdict: 'ask', why: 'askRule', rule: asked, eachTime: true };
}

/** A rule for paths of the file tools holds for commands too. */
function fileRule(
  question: PermissionQuestion,
  rules: readonly string[],
  reads: readonly string[],
  writes: readonly string[],
): string | undefined {
  const withPattern = rules.filter((rule) => parseRule(rule)?.pattern !== undefined);
  if (withPattern.length === 0) return undefined;
  const options: MatchOptions = { place: question, shell: closedJudge, restrict: true };
  const reading = { tool: 'read_file', risk: 'read', input: { paths: [...reads, ...writes] } } as const;
  const writing = { tool: 'write_file', risk: 'write', input: { paths: [...writes] } } as const;
  return findRule(withPattern, reading, options) ?? findRule(withPattern, writing, options);
}

/** A rule that may or may not be about the command: a person has to look. */
export function doubt(question: PermissionQuestion, rules: readonly string[]): Judgement | undefined {
  const { shell } = toCommand(question);
  const rule = findDoubt(rules, question.call, { place: question, shell, restrict: true });
  return rule === undefined ? undefined : { verdict: 'ask', why: 'unclearCommand', rule };
}

/** By allow rules, the mode and what holds the command. */
export function judgeCommand(question: PermissionQuestion): Judgement {
  const { mode, sandbox, interactive } = question;
  const command = toCommand(question);
  const allowed = allowedByRules(command);
  if (sandbox === 'none') {
    // What nothing holds runs only as it was written out, and only where somebody is there.
    return interactive && allowed?.exact ? allowed : { verdict: 'ask', why: 'noSandbox' };
  }
  if (allowed) return allowed;
  const { text, shell } = command;
  if (shell.isUnclear(text)) return { verdict: 'ask', why: 'unclearCommand' };
  if (mode !== 'acceptEdits' || !isHeld(sandbox)) return { verdict: 'ask', why: 'needsApproval' };
  // A target that nobody knows may be a protected file.
  const { redirects, writes, maybe } = shell.files(text, question);
  const isKnown = redirects.every(({ path, writes: isWrite }) => !isWrite || path !== undefined);
  if (maybe.some(({ path }) => posix.basename(path).includes(any.path))) return { verdict: 'ask', why: 'unclearFile' };
  // A proven sandbox holds writing itself; a container that is vouched for is as open as its owner made it.
  const written = [...writes, ...maybe.flatMap((file) => (file.writes ? [file.path] : []))];
  if (sandbox === 'external' && !written.every((path) => isInRoots(path, question))) {
    return { verdict: 'ask', why: 'outsideFolder' };
  }
  return isKnown ? { verdict: 'allow', why: 'sandboxedCommand' } : { verdict: 'ask', why: 'unclearCommand' };
}

/** In plan mode a command may only read. */
export function planCommand(question: PermissionQuestion): Judgement {
  const { text, shell } = toCommand(question);
  if (!shell.isReadOnly(text, question)) return { verdict: 'deny', why: 'planMode' };
  return isHeld(question.sandbox) ? { verdict: 'allow', why: 'readOnlyCommand' } : judgeCommand(question);
}

function isHeld(sandbox: PermissionQuestion['sandbox']): boolean {
  return sandbox === 'proven' || sandbox === 'external';
}

function allowedByRules({ question, text, shell }: Command): (Judgement & { exact: boolean }) | undefined {
  const { grants, rules } = question;
  const all = [...grants, ...rules.allow].map((rule) => ({ rule, parsed: parseRule(rule) }));
  const own = all.filter(({ parsed }) => parsed?.tool === 'bash');
  const patterns = own.flatMap(({ parsed }) => parsed?.pattern ?? []);
  const whole = own.find(({ parsed }) => parsed?.pattern === undefined)?.rule;
  const found = shell.cover(text, patterns);
  const exact = found?.exact === true;
  const isCovered = found !== undefined && (exact || mayRedirect(question, text, shell));
  const rule = isCovered ? own.find(({ parsed }) => parsed?.pattern === found.pattern)!.rule : whole;
  if (rule === undefined) return undefined;
  return { verdict: 'allow', why: grants.includes(rule) ? 'sessionGrant' : 'allowRule', rule, exact };
}

/** Redirections are reads and writes of their own: a rule for the program says nothing of them. */
function mayRedirect(question: PermissionQuestion, text: string, shell: ShellJudge): boolean {
  const rules = [...question.grants, ...question.rules.allow];
  const options: MatchOptions = { place: question, shell: closedJudge, restrict: false };
  return shell.files(text, question).redirects.every(({ path, writes }) => {
    if (path === undefined) return false;
    const input = { file_path: path };
    if (!writes) {
      const reading = { tool: 'read_file', risk: 'read', input } as const;
      return isInRoots(path, question) || findRule(rules, reading, options) !== undefined;
    }
    return ['write_file', 'edit_file'].some((tool) => findRule(rules, { tool, risk: 'write', input }, options));
  });
}
