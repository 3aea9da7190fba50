/** The model said its last word: is it as it must be, and does what was done hold? */
import { frame } from '../../lib/text/frame.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Verification } from '../../protocol/event.ts';
import { assistantText, userText } from '../../protocol/message.ts';
import type { CheckResult, Evidence } from '../../protocol/plan.ts';
import { toDetail } from '../answer-problem.ts';
import type { Runtime } from '../runtime.ts';
import type { Stop } from '../stop.ts';
import { stillHolding } from './evidence.ts';

/** How the run ends; undefined when the model was told to go on. */
export async function finish(runtime: Runtime): Promise<Stop | undefined> {
  const { setup, state } = runtime;
  const problem = setup.answer?.check(lastWords(runtime));
  if (problem !== undefined) {
    const unmet = { detail: toDetail(problem) };
    if (state.run?.reasks) return { stop: 'error', error: new ReinError('E_SCHEMA_UNMET', unmet) };
    const text = `Your answer cannot be used: ${problem}\n\nAnswer again, with the JSON alone and nothing around it.`;
    runtime.record([{ type: 'message', message: userText(frame('harness', {}, text)), origin: 'schema' }]);
    return undefined;
  }
  return setup.verify.length > 0 ? verify(runtime) : { stop: 'completed' };
}

function lastWords({ state }: Runtime): string {
  const last = state.history.messages.at(-1);
  return last?.role === 'assistant' ? assistantText(last) : '';
}

async function verify(runtime: Runtime): Promise<Stop | undefined> {
  const { setup, state, abort } = runtime;
  const files = {
    fingerprint: () => setup.checker.fingerprint(abort.signal),
    changedFiles: setup.checker.changedFiles,
  };
  const checks: CheckResult[] = [];
  let evidence: Evidence = { seq: state.seq, files: await files.fingerprint() };
  for (const check of setup.verify) {
    checks.push(await setup.checker.run(check, abort.signal));
    evidence = await stillHolding(evidence, files);
  }
  abort.signal.throwIfAborted();
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length > 0 && (state.run?.retries ?? 0) < setup.maxRetries) {
    runtime.record([
      { type: 'message', message: userText(frame('harness', {}, failureText(failed))), origin: 'verify' },
    ]);
    return undefined;
  }
  return { stop: 'completed', verification: verificationOf(checks, evidence) };
}

/** What the model is told of checks that failed. */
function failureText(failed: readonly CheckResult[]): string {
  const blocks = failed.map(({ criterion, exit, output = '' }) => {
    return `- ${criterion}${exit === undefined ? '' : ` (exit ${exit})`}\n${output}`.trim();
  });
  return `The work is checked, and this failed:\n\n${blocks.join('\n\n')}\n\nFind out why, mend it, and end again. Do not change the check.`;
}

function verificationOf(checks: readonly CheckResult[], evidence: Evidence): Verification {
  const failed = checks.find(({ ok }) => !ok);
  if (!failed && evidence.voided === undefined) return { status: 'verified', checks, evidence };
  if (!failed) return { status: 'failed', reason: 'voided', checks, evidence };
  return { status: 'failed', reason: failed.notRun ? 'check-not-run' : 'check-failed', checks };
}
