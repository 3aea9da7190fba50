/** Runs without a conversation: prompts in, results out. */
import type { Harness } from '../../../harness/create-harness.ts';
import type { HarnessOptions } from '../../../harness/options.ts';
import type { RunOutcome } from '../../../harness/outcome.ts';
import type { Session } from '../../../harness/session.ts';
import type { ContentPart } from '../../../protocol/message.ts';
import type { Language } from '../../../services/i18n/translate.ts';
import type { Cli } from '../cli.ts';
import { openSession } from '../open-session.ts';
import { watchSignals } from '../signals.ts';
import { readPrompt } from './input.ts';
import { readPromptLines } from './input-lines.ts';
import { verificationLines } from './plan-progress.ts';
import { createPrinter, type Printer } from './printer.ts';
import { exitOf, isSuccess } from './result.ts';

export interface PrintRun extends Pick<HarnessOptions, 'cwd'> {
  /** Driven by the plan graph; what the flag says when absent. */
  readonly plan?: boolean;
  /** Asked instead of what the flags and standard input say; given the language of the person. */
  prompt?(lang: Language, harness: Harness): Promise<string>;
  /** What a new session is called, where the first words of the prompt would say little. */
  title?(): string;
}

/**
 * Asks what is to be asked and prints what comes back; sets the exit code. Returns how the last run went, and with what it was run.
 * Throws `E_INPUT_*`, `E_SESSION_*`, `E_PROVIDER_*`.
 */
export async function printRun(
  cli: Cli,
  { prompt, title, plan = cli.options.plan, ...where }: PrintRun = {},
): Promise<{ harness: Harness; outcome: RunOutcome | undefined }> {
  // A plan that needs a person's word is asked for where there is one; a plain answer never asks.
  const interactive = plan && process.stdin.isTTY === true && cli.out.isTerminal && cli.options.outputFormat === 'text';
  const byLine = cli.options.inputFormat === 'stream-json';
  const [harness, read] = await Promise.all([
    cli.harness({ ...where, interactive }),
    prompt || byLine ? undefined : readPrompt(cli),
  ]);
  const first = prompt ? [{ type: 'text', text: await prompt(cli.lang, harness) } as const] : read;
  const session = await openSession(cli, harness, { plan });
  if (title && !cli.options.continue && cli.options.resume === undefined) {
    await (await harness.store()).rename(session.id, title());
  }
  const printer = await createPrinter(cli, harness, session.id);
  session.listen((event) => printer.event(event));
  if (interactive) (await import('./answer.ts')).answerHere(cli, session);
  const signals = watchSignals(cli, session);
  let outcome: RunOutcome | undefined;
  for await (const parts of first ? [first] : readPromptLines(process.stdin)) {
    outcome = await runOnce(cli, session, printer, parts);
    await showRefused(cli, harness, outcome);
    cli.exit = outcome.stop === 'aborted' ? signals.exit : exitOf(outcome);
    if (outcome.stop === 'aborted' || cli.out.closed.aborted) break;
  }
  return { harness, outcome };
}

async function runOnce(cli: Cli, session: Session, printer: Printer, parts: ContentPart[]): Promise<RunOutcome> {
  const started = performance.now();
  const outcome = await session.run(parts);
  printer.end(outcome, Math.round(performance.now() - started));
  if (!isSuccess(outcome) && outcome.error && !cli.out.closed.aborted) cli.showError(outcome.error);
  const { verbose, outputFormat } = cli.options;
  // Who watches has seen a good one already, with how each check went; a script finds it in the result.
  const isKnown =
    outcome.verification?.status !== 'failed' && (verbose || cli.err.isTerminal || outputFormat !== 'text');
  if (outcome.verification && !isKnown) {
    for (const line of verificationLines(outcome.verification, cli.lang)) cli.err.line(line);
  }
  return outcome;
}

/** Names what was refused because nobody could be asked, and what would let it pass. */
async function showRefused(cli: Cli, harness: Harness, outcome: RunOutcome): Promise<void> {
  const refused = outcome.refused
    // A question is no call that a rule could allow.
    .filter(({ refusal, tool }) => refusal === 'nobody' && tool !== 'ask_user')
    .map(({ tool }) => tool);
  if (refused.length === 0) return;
  cli.err.line(cli.t('cli.refused', { tools: [...new Set(refused)] }));
  if (!refused.includes('bash')) return;
  const sandbox = await harness.sandbox().catch(() => undefined);
  if (sandbox?.level === 'none') cli.err.line(cli.t('cli.refusedUnsandboxed', { why: sandbox.why }));
}
