/** Decides whether a tool call may run. Pure: the same question has the same answer. */
import type { PermissionMode } from '../../protocol/config.ts';
import type { Refusal } from '../../protocol/event.ts';
import { parseRule } from '../../protocol/rule.ts';
import { judgeMemory, type MemoryPlace } from './memory.ts';
import { findRule, type JudgedCall, narrowRule, pathsOf } from './match.ts';
import { isInRoots, isProtected, isSecret, type Place, resolvePath } from './paths.ts';
import { isExact, type ShellJudge, textJudge } from './shell.ts';
import { findWarnings, type Warning } from './warnings.ts';

/** Where commands run: proven to hold, held by a container the user vouches for, not held, or switched off. */
export type SandboxLevel = 'proven' | 'external' | 'none' | 'off';

export interface PermissionRules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export interface PermissionQuestion extends Place {
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  /** Rules granted for this session. */
  readonly grants: readonly string[];
  readonly call: JudgedCall;
  readonly sandbox: SandboxLevel;
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  /** A policy hook wants a person to look at what would run without a question. */
  readonly ask?: boolean;
  readonly shell?: ShellJudge;
  readonly memory?: MemoryPlace;
}

/** Why; a text of the dictionary under `permissions.why`. */
export type Why =
  | 'denyRule'
  | 'secretPath'
  | 'askRule'
  | 'hook'
  | 'protectedName'
  | 'memory'
  | 'memoryOfOthers'
  | 'harmless'
  | 'allowRule'
  | 'sessionGrant'
  | 'bypass'
  | 'readInFolder'
  | 'editInFolder'
  | 'sandboxedCommand'
  | 'readOnlyCommand'
  | 'planMode'
  | 'noSandbox'
  | 'outsideFolder'
  | 'needsApproval';

export interface PermissionDecision {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly why: Why;
  /** The rule that decided, as it was written. */
  readonly rule?: string;
  /** With `ask`: what "for this session" and "always" would allow. Absent when neither may be offered. */
  readonly narrowRule?: string;
  readonly warnings: readonly Warning[];
  /** With `deny`: `nobody` when a person would have been asked, else `rule`. */
  readonly refusal?: Refusal;
}

interface Judgement {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly why: Why;
  readonly rule?: string;
  /** Asked each time: no rule would let it pass. */
  readonly eachTime?: boolean;
}

/** They change nothing outside the session, or are judged where they do. */
const harmless = new Set(['write_todos', 'use_skill', 'task', 'task_control', 'ask_user', 'bash_control']);

/** Deny rules, then ask rules, then the mode with allow rules; what would ask and cannot is refused. */
export function decide(question: PermissionQuestion): PermissionDecision {
  const free = judge(question);
  const judgement: Judgement =
    question.ask && free.verdict === 'allow' ? { verdict: 'ask', why: 'hook', eachTime: true } : free;
  const { verdict, why, rule, eachTime = false } = judgement;
  const warnings = findWarnings(question.call, why);
  const shown = { why, ...(rule !== undefined && { rule }), warnings };
  if (verdict === 'allow') return { verdict, ...shown };
  if (verdict === 'deny' || question.mode === 'dontAsk') return { verdict: 'deny', ...shown, refusal: 'rule' };
  if (!question.interactive) return { verdict: 'deny', ...shown, refusal: 'nobody' };
  const narrow = eachTime ? undefined : narrowRule(question.call, question);
  return { verdict, ...shown, ...(narrow !== undefined && { narrowRule: narrow }) };
}

function judge(question: PermissionQuestion): Judgement {
  const { call, rules, mode, shell = textJudge } = question;
  const restrict = { place: question, shell, restrict: true };
  const denied = findRule(rules.deny, call, restrict);
  if (denied !== undefined) return { verdict: 'deny', why: 'denyRule', rule: denied };
  const paths = pathsOf(call).map((path) => resolvePath(path, question));
  if (paths.some((path) => path !== undefined && isSecret(path, question))) {
    return { verdict: 'deny', why: 'secretPath' };
  }
  const remembers = judgeMemory(question, paths);
  const asked = findRule(rules.ask, call, restrict);
  if (remembers && !(remembers.verdict === 'allow' && asked !== undefined)) return remembers;
  const writes = call.risk !== 'read' && paths.some((path) => path !== undefined && isProtected(path, question));
  if (writes) return { verdict: mode === 'plan' ? 'deny' : 'ask', why: 'protectedName', eachTime: true };
  if (mode === 'bypassPermissions') return bypass(question);
  if (asked !== undefined) return { verdict: 'ask', why: 'askRule', rule: asked, eachTime: true };
  if (harmless.has(call.tool)) return { verdict: 'allow', why: 'harmless' };
  if (mode === 'plan') return plan(question, paths);
  if (call.tool === 'bash') return command(question);
  return allowedByRule(question) ?? byRisk(question, paths);
}

/** Everything, but a command that nothing holds is still the person's to allow: the mode switches off no sandbox. */
function bypass(question: PermissionQuestion): Judgement {
  const unheld = question.call.tool === 'bash' && question.sandbox === 'none';
  return unheld ? command(question) : { verdict: 'allow', why: 'bypass' };
}

function plan(question: PermissionQuestion, paths: readonly (string | undefined)[]): Judgement {
  const { call, sandbox, shell = textJudge } = question;
  if (call.tool === 'bash') {
    if (!shell.isReadOnly(String(call.input.command ?? ''), question)) return { verdict: 'deny', why: 'planMode' };
    return isHeld(sandbox) ? { verdict: 'allow', why: 'readOnlyCommand' } : command(question);
  }
  if (call.tool.startsWith('mcp__') || call.risk === 'write' || call.risk === 'execute') {
    return { verdict: 'deny', why: 'planMode' };
  }
  return allowedByRule(question) ?? byRisk(question, paths);
}

function command(question: PermissionQuestion): Judgement {
  const { mode, sandbox, interactive } = question;
  const allowed = allowedByRule(question);
  if (sandbox === 'none') {
    const exact = interactive && allowed !== undefined && isExact(parseRule(allowed.rule ?? '')?.pattern ?? '*');
    return exact ? allowed : { verdict: 'ask', why: 'noSandbox' };
  }
  if (allowed) return allowed;
  if (mode === 'acceptEdits' && isHeld(sandbox)) return { verdict: 'allow', why: 'sandboxedCommand' };
  return { verdict: 'ask', why: 'needsApproval' };
}

function isHeld(sandbox: SandboxLevel): boolean {
  return sandbox === 'proven' || sandbox === 'external';
}

function allowedByRule({
  call,
  rules,
  grants,
  shell = textJudge,
  ...place
}: PermissionQuestion): Judgement | undefined {
  // An exact rule counts first: without a sandbox only such a one does.
  const exactFirst = (list: readonly string[]) => {
    return list.toSorted((a, b) => Number(isWide(a)) - Number(isWide(b)));
  };
  const options = { place, shell, restrict: false };
  const granted = findRule(exactFirst(grants), call, options);
  if (granted !== undefined) return { verdict: 'allow', why: 'sessionGrant', rule: granted };
  const allowed = findRule(exactFirst(rules.allow), call, options);
  return allowed === undefined ? undefined : { verdict: 'allow', why: 'allowRule', rule: allowed };
}

function isWide(text: string): boolean {
  const pattern = parseRule(text)?.pattern;
  return pattern === undefined || !isExact(pattern);
}

function byRisk({ call, mode, ...place }: PermissionQuestion, paths: readonly (string | undefined)[]): Judgement {
  const inside = paths.every((path) => path !== undefined && isInRoots(path, place));
  if (!inside) return { verdict: 'ask', why: 'outsideFolder' };
  // What a server says of its own tools is not believed.
  if (call.risk === 'read' && !call.tool.startsWith('mcp__')) return { verdict: 'allow', why: 'readInFolder' };
  if (call.risk === 'write' && mode === 'acceptEdits' && paths.length > 0 && !call.tool.startsWith('mcp__')) {
    return { verdict: 'allow', why: 'editInFolder' };
  }
  return { verdict: 'ask', why: 'needsApproval' };
}
