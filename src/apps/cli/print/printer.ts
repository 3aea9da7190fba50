/** What is printed of runs, in each output format. */
import type { Harness } from '../../../harness/create-harness.ts';
import type { RunOutcome } from '../../../harness/outcome.ts';
import type { ReinEvent } from '../../../protocol/event.ts';
import { renderError } from '../../../services/i18n/translate.ts';
import type { Cli } from '../cli.ts';
import { PlanProgress } from './plan-progress.ts';
import { progressLines } from './progress.ts';
import { isSuccess, toResult } from './result.ts';
import { StreamJson } from './stream-json.ts';

export interface Printer {
  /** Is told of every event. */
  event(event: ReinEvent): void;
  /** Is told how each run went. */
  end(outcome: RunOutcome, durationMs: number): void;
}

/** The printer of the wanted format for a session. */
export async function createPrinter(cli: Cli, harness: Harness, session: string): Promise<Printer> {
  const watch = watcher(cli);
  const printResult: Printer['end'] = (outcome, durationMs) => {
    cli.out.json(toResult(outcome, durationMs, outcome.error && renderError(outcome.error, cli.lang).message));
  };
  switch (cli.options.outputFormat) {
    case 'text':
      return { event: watch, end: (outcome) => printText(cli, outcome) };
    case 'json':
      return { event: watch, end: printResult };
    case 'events': {
      const print = (event: ReinEvent) => cli.out.json(event);
      return { event: both(watch, print), end: () => {} };
    }
    case 'stream-json': {
      const stream = await openStream(cli, harness, session);
      const print = (event: ReinEvent) => {
        for (const line of stream.lines(event)) cli.out.json(line);
      };
      return { event: both(watch, print), end: printResult };
    }
  }
}

/** What is said beside the output, in every format. */
function watcher(cli: Cli): Printer['event'] {
  const shows = cli.options.verbose || cli.err.isTerminal;
  const plan = new PlanProgress(cli.lang);
  return (event) => {
    if (event.type === 'warning') cli.warn(event.warning);
    if (shows) for (const line of [...progressLines(event, cli.lang), ...plan.lines(event)]) cli.err.line(line);
  };
}

function both(first: Printer['event'], second: Printer['event']): Printer['event'] {
  return (event) => {
    first(event);
    second(event);
  };
}

function printText(cli: Cli, outcome: RunOutcome): void {
  if (!isSuccess(outcome)) return;
  if (outcome.structured !== undefined) cli.out.json(outcome.structured);
  else if (outcome.text.trim() !== '') cli.out.line(outcome.text);
}

async function openStream(cli: Cli, harness: Harness, session: string): Promise<StreamJson> {
  const { tools, commands } = await harness.extensions();
  const { skillNames } = await import('../../../harness/doors/skills.ts');
  const about = {
    session,
    cwd: harness.cwd,
    tools: tools.filter(({ problem }) => !problem).map(({ name }) => name),
    permissionMode: harness.config.permissions.mode,
    // The first line has to say it, so here it is tried before the first command.
    sandbox: await levelOf(harness),
    commands: [...commands.keys()],
    skills: await skillNames(harness),
    agents: [...(await harness.agents()).keys()].sort(),
  };
  return new StreamJson(about, { partial: cli.options.includePartialMessages });
}

/** A sandbox that is required and missing ends the run when a command is due; until then there is none. */
async function levelOf(harness: Harness): Promise<string> {
  return harness.sandbox().then(
    ({ level }) => level,
    () => 'none',
  );
}
