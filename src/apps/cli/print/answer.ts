/** Asks the person at the terminal what a run wants to know, and nothing else. */
import type { Session } from '../../../harness/session.ts';
import { Lines } from '../chat/ask.ts';
import { choiceLine, interruptLines, toDecision } from '../chat/decide.ts';
import type { Cli } from '../cli.ts';

/** From now on, what the session asks is put to the terminal. */
export function answerHere(cli: Cli, session: Session): void {
  let isAsking = false;
  session.listen((event) => {
    if (event.type !== 'interrupt-open' || isAsking) return;
    isAsking = true;
    void answerAll(cli, session)
      .catch((error: unknown) => cli.showError(error))
      .finally(() => {
        isAsking = false;
      });
  });
}

async function answerAll(cli: Cli, session: Session): Promise<void> {
  const lines = new Lines(true, () => void session.abort());
  try {
    for (;;) {
      const [interrupt] = await session.interrupts();
      if (!interrupt) return;
      for (const line of interruptLines(interrupt, cli.lang)) cli.err.line(line);
      const line = await lines.next(choiceLine(interrupt, cli.lang));
      const { digest } = interrupt;
      const decision = line === undefined ? { decision: 'reject' as const, digest } : toDecision(interrupt, line);
      if (decision) await session.answer(interrupt.id, decision);
    }
  } finally {
    lines.close();
  }
}
