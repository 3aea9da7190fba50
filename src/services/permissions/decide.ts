/** Decides whether a tool call may run. Pure: the same question has the same answer. */
import { doubt, judgeCommand, planCommand, restrictFiles } from './command.ts';
import { findRule, narrowRule, pathsOf } from './match.ts';
import { judgeMemory } from './memory.ts';
import { judgeWithNetwork } from './network.ts';
import { isInRoots, isProtected, isSecret, resolvePath } from './paths.ts';
import type { Judgement, PermissionDecision, PermissionQuestion } from './question.ts';
import { closedJudge } from './shell/judge.ts';
import { findWarnings } from './warnings.ts';

export type { PermissionDecision, PermissionQuestion, SandboxLevel } from './question.ts';

/** They change nothing outside the session, or are judged where they do. */
const harmless = new Set(['write_todos', 'use_skill', 'task', 'task_control', 'ask_user', 'bash_control']);

/** Deny rules, then ask rules, then the mode with allow rules; what would ask and cannot is refused. */
export function decide(question: PermissionQuestion): PermissionDecision {
  const free = restrictGit(question, judgeWithNetwork(question, judge));
  const judgement: Judgement =
    question.ask && free.verdict === 'allow' ? { verdict: 'ask', why: 'hook', eachTime: true } : free;
  const { verdict, why, rule, eachTime = false } = judgement;
  const shown = { why, ...(rule !== undefined && { rule }) };
  if (verdict === 'allow') return { verdict, ...shown, warnings: [] };
  const warned = { ...shown, warnings: findWarnings(question.call, why, commandsOf(question)) };
  if (verdict === 'deny' || question.mode === 'dontAsk') return { verdict: 'deny', ...warned, refusal: 'rule' };
  if (!question.interactive) return { verdict: 'deny', ...warned, refusal: 'nobody' };
  // What cannot be seen in full must not be allowed for ever.
  const mayStore = !eachTime && !warned.warnings.some((warning) => warning.startsWith('hiddenCharacters'));
  const narrow = mayStore ? narrowRule(question.call, question) : undefined;
  return { verdict, ...warned, ...(narrow !== undefined && { narrowRule: narrow }) };
}

/** A rule for a command of git that only looks is none for what the folder's settings make git run. */
function restrictGit({ call, sandbox, gitRunsPrograms }: PermissionQuestion, judgement: Judgement): Judgement {
  const isByItsWords = ['allowRule', 'sessionGrant', 'readOnlyCommand'].includes(judgement.why);
  if (judgement.verdict !== 'allow' || !isByItsWords || call.tool !== 'bash' || sandbox === 'proven') return judgement;
  const isGit = String(call.input.command)
    .replace(/['"\\]/g, '')
    .includes('git');
  return isGit && gitRunsPrograms?.() ? { verdict: 'ask', why: 'gitPrograms', eachTime: true } : judgement;
}

function commandsOf({ call, shell }: PermissionQuestion): readonly string[] {
  return call.tool === 'bash' && shell ? shell.commands(String(call.input.command ?? '')) : [];
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
