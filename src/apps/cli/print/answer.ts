/** Asks the person at the terminal what a run wants to know, and nothing else. */
import type { Session } from '../../../harness/session.ts';
import { visibleName } from '../../../lib/text/visible.ts';
import type { Decision, Interrupt } from '../../../protocol/interrupt.ts';
import { Lines } from '../chat/ask.ts';
import { choiceLine, editText, interruptLines, isCut, readEdit, toDecision, wantsEdit } from '../chat/decide.ts';
import type { Cli } from '../cli.ts';

/** From now on, what the session asks is put to the terminal, one question after the other, each once. */
export function answerHere(cli: Cli, session: Session): void {
  const answered = new Set<string>();
  let asking = Promise.resolve();
  session.listen((event) => {
    if (event.type !== 'interrupt-open') return;
    asking = asking.then(() => answerAll(cli, session, answered)).catch((error: unknown) => cli.showError(error));
  });
}

/** `answered`: questions that have an answer, which the run may not have taken up yet. */
async function answerAll(cli: Cli, session: Session, answered: Set<string>): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    const interrupt = (await session.interrupts()).find(({ id }) => !answered.has(id));
    if (!interrupt) return;
    const decision = await askOne(cli, session, { interrupt, seen });
    if (!decision) continue;
    answered.add(interrupt.id);
    await session.answer(interrupt.id, decision).catch((error: unknown) => cli.showError(error));
  }
}

/** The decision; undefined when the question has to be put again. */
async function askOne(
  cli: Cli,
  session: Session,
  { interrupt, seen }: { interrupt: Interrupt; seen: Set<string> },
): Promise<Decision | undefined> {
  const { id, digest } = interrupt;
  const cut = isCut(interrupt, cli.lang) && !seen.has(id);
  for (const line of interruptLines(interrupt, cli.lang, !cut)) cli.err.line(line);
  const lines = new Lines(true, () => void session.abort());
  try {
    const dropped = await lines.forget();
    if (dropped) cli.err.line(cli.t('cli.chat.dropped', { text: visibleName(dropped.replaceAll('\n', '⏎')) }));
    const line = await lines.next(choiceLine(interrupt, cli.lang, cut));
    if (line === undefined) return { decision: 'reject', digest };
    const decision = wantsEdit(interrupt, line) ? await edit(cli, lines, interrupt) : toDecision(interrupt, line);
    // Whoever wants to approve what was cut sees all of it first.
    if (cut && (line.trim().toLowerCase() === 'v' || decision?.decision.startsWith('approve'))) {
      seen.add(id);
      return undefined;
    }
    return decision;
  } finally {
    lines.close();
  }
}

/** What would run as the person wants it, written as JSON; undefined when it is none. */
async function edit(cli: Cli, lines: Lines, interrupt: Interrupt): Promise<Decision | undefined> {
  const line = await lines.next(cli.t('cli.ask.edit'), undefined, editText(interrupt));
  const decision = line === undefined ? undefined : readEdit(interrupt, line);
  if (!decision && line) cli.err.line(cli.t('cli.ask.noObject'));
  return decision;
}
