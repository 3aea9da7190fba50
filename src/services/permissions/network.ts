/** Commands that ask for the network inside a sandbox that has none. Pure. */
import type { Judgement, PermissionQuestion } from './question.ts';

const prefix = /^(bash|Bash)\(network:/;

/**
 * What lets a command run does not let it out: with `network: true` it is asked about each time, unless a rule of the
 * form `bash(network:npm ci)` allows exactly that. Where no sandbox of ours holds, the question changes nothing.
 */
export function judgeWithNetwork(
  question: PermissionQuestion,
  judge: (question: PermissionQuestion) => Judgement,
): Judgement {
  const free = judge(question);
  const { call, sandbox, mode, rules } = question;
  const asks = call.tool === 'bash' && call.input.network === true && sandbox === 'proven';
  if (!asks || free.verdict === 'deny' || free.why === 'bypass') return free;
  if (mode === 'plan') return { verdict: 'deny', why: 'planMode' };
  const allow = rules.allow.filter((rule) => prefix.test(rule)).map((rule) => rule.replace(prefix, 'bash('));
  const granted = judge({ ...question, mode: 'default', grants: [], rules: { ...rules, allow } });
  if (granted.verdict === 'allow' && granted.why === 'allowRule') {
    return { ...granted, rule: (granted.rule ?? '').replace('bash(', 'bash(network:') };
  }
  return free.verdict === 'allow' ? { verdict: 'ask', why: 'network', eachTime: true } : { ...free, eachTime: true };
}
