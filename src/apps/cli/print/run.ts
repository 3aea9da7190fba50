/** Runs without a conversation: prompts in, results out. */
import type { HarnessOptions } from '../../../harness/options.ts';
import type { RunOutcome } from '../../../harness/outcome.ts';
import type { Session } from '../../../harness/session.ts';
import type { ContentPart } from '../../../protocol/message.ts';
import type { Cli } from '../cli.ts';
import { openSession } from '../open-session.ts';
import { watchSignals } from '../signals.ts';
import { readPrompt } from './input.ts';
import { readPromptLines } from './input-lines.ts';
import { createPrinter, type Printer } from './printer.ts';
import { exitOf, isSuccess } from './result.ts';

export interface PrintRun extends Pick<HarnessOptions, 'cwd' | 'memory'> {
  /** Asked instead of what the flags and standard input say. */
  readonly prompt?: string;
}

/**
 * Asks what is to be asked and prints what comes back; sets the exit code. Returns how the last run went.
 * Throws `E_INPUT_*`, `E_SESSION_*`, `E_PROVIDER_*`.
 */
export async function printRun(cli: Cli, { prompt, ...where }: PrintRun = {}): Promise<RunOutcome | undefined> {
  const byLine = prompt === undefined && cli.options.inputFormat === 'stream-json';
  const given = prompt === undefined ? undefined : [{ type: 'text', text: prompt } as const];
  const [harness, first] = await Promise.all([cli.harness(where), byLine ? undefined : (given ?? readPrompt(cli))]);
  const session = await openSession(cli, harness);
  const printer = await createPrinter(cli, harness, session.id);
  session.listen((event) => printer.event(event));
  const signals = watchSignals(cli, session);
  let outcome: RunOutcome | undefined;
  for await (const parts of first ? [first] : readPromptLines(process.stdin)) {
    outcome = await runOnce(cli, session, printer, parts);
    cli.exit = outcome.stop === 'aborted' ? signals.exit : exitOf(outcome);
    if (outcome.stop === 'aborted') break;
  }
  return outcome;
}

async function runOnce(cli: Cli, session: Session, printer: Printer, parts: ContentPart[]): Promise<RunOutcome> {
  const started = performance.now();
  const outcome = await session.run(parts);
  printer.end(outcome, Math.round(performance.now() - started));
  if (!isSuccess(outcome) && outcome.error && !cli.out.closed.aborted) cli.showError(outcome.error);
  const refused = outcome.refused.filter(({ refusal }) => refusal === 'nobody').map(({ tool }) => tool);
  if (refused.length > 0) cli.err.line(cli.t('cli.refused', { tools: [...new Set(refused)] }));
  return outcome;
}
