/** Decides whether a tool call may run. Pure: the same question has the same answer. */
import type { PermissionMode } from '../../protocol/config.ts';
import type { Refusal } from '../../protocol/event.ts';
import { doubt, judgeCommand, planCommand, restrictFiles } from './command.ts';
import { findRule, type JudgedCall, narrowRule, pathsOf } from './match.ts';
import { judgeMemory, type MemoryPlace } from './memory.ts';
import { judgeWithNetwork } from './network.ts';
import { isInRoots, isProtected, isSecret, type Place, resolvePath } from './paths.ts';
import { closedJudge, type ShellJudge } from './shell.ts';
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
  /** Needed for commands; without one only commands that a rule writes out are allowed. */
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
  | 'unclearCommand'
  | 'outsideFolder'
  | 'network'
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

/** A decision before anybody was asked. */
export interface Judgement {
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
  const free = judgeWithNetwork(question, judge);
  const judgement: Judgement =
    question.ask && free.verdict === 'allow' ? { verdict: 'ask', why: 'hook', eachTime: true } : free;
  const { verdict, why, rule, eachTime = false } = judgement;
  const shown = { why, ...(rule !== undefined && { rule }) };
  if (verdict === 'allow') return { verdict, ...shown, warnings: [] };
  const warned = { ...shown, warnings: findWarnings(question.call, why) };
  if (verdict === 'deny' || question.mode === 'dontAsk') return { verdict: 'deny', ...warned, refusal: 'rule' };
  if (!question.interactive) return { verdict: 'deny', ...warned, refusal: 'nobody' };
  // What cannot be seen in full must not be allowed for ever.
  const mayStore = !eachTime && !warned.warnings.some((warning) => warning.startsWith('hiddenCharacters'));
  const narrow = mayStore ? narrowRule(question.call, question) : undefined;
  return { verdict, ...warned, ...(narrow !== undefined && { narrowRule: narrow }) };
}

function judge(question: PermissionQuestion): Judgement {
  const { call, rules, mode, shell = closedJudge } = question;
  const isCommand = call.tool === 'bash';
  const restrict = { place: question, shell, restrict: true };
  const denied = findRule(rules.deny, call, restrict);
  if (denied !== undefined) return { verdict: 'deny', why: 'denyRule', rule: denied };
  const paths = pathsOf(call).map((path) => resolvePath(path, question));
  const restricted = isCommand ? restrictFiles(question) : restrictPaths(question, paths);
  if (restricted && restricted.why !== 'protectedName') return restricted;
  const asked = findRule(rules.ask, call, restrict);
  const remembers = judgeMemory(question, paths);
  if (remembers && !(remembers.verdict === 'allow' && asked !== undefined)) return remembers;
  if (restricted) return restricted;
  const unsure = isCommand ? doubt(question, rules.deny) : undefined;
  if (unsure) return unsure;
  if (mode === 'bypassPermissions') return bypass(question);
  if (asked !== undefined) return { verdict: 'ask', why: 'askRule', rule: asked, eachTime: true };
  const unsureAsk = isCommand ? doubt(question, rules.ask) : undefined;
  if (unsureAsk) return unsureAsk;
  if (harmless.has(call.tool)) return { verdict: 'allow', why: 'harmless' };
  if (mode === 'plan') return plan(question, paths);
  if (isCommand) return judgeCommand(question);
  return allowedByRule(question) ?? byRisk(question, paths);
}

/** Files that hold keys are for nobody; those that run code or change settings are asked for each time. */
function restrictPaths(question: PermissionQuestion, paths: readonly (string | undefined)[]): Judgement | undefined {
  const known = paths.filter((path) => path !== undefined);
  if (known.some((path) => isSecret(path, question))) return { verdict: 'deny', why: 'secretPath' };
  const writes = question.call.risk !== 'read' && known.some((path) => isProtected(path, question));
  if (!writes) return undefined;
  return { verdict: question.mode === 'plan' ? 'deny' : 'ask', why: 'protectedName', eachTime: true };
}

/** Everything, but a command that nothing holds is still the person's to allow: the mode switches off no sandbox. */
function bypass(question: PermissionQuestion): Judgement {
  const unheld = question.call.tool === 'bash' && question.sandbox === 'none';
  return unheld ? judgeCommand(question) : { verdict: 'allow', why: 'bypass' };
}

function plan(question: PermissionQuestion, paths: readonly (string | undefined)[]): Judgement {
  const { call } = question;
  if (call.tool === 'bash') return planCommand(question);
  if (call.tool.startsWith('mcp__') || call.risk === 'write' || call.risk === 'execute') {
    return { verdict: 'deny', why: 'planMode' };
  }
  return allowedByRule(question) ?? byRisk(question, paths);
}

function allowedByRule({ call, rules, grants, ...place }: PermissionQuestion): Judgement | undefined {
  const options = { place, shell: closedJudge, restrict: false };
  const granted = findRule(grants, call, options);
  if (granted !== undefined) return { verdict: 'allow', why: 'sessionGrant', rule: granted };
  const allowed = findRule(rules.allow, call, options);
  return allowed === undefined ? undefined : { verdict: 'allow', why: 'allowRule', rule: allowed };
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
