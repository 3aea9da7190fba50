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
  const { outputFormat, includePartialMessages, verbose } = cli.options;
  const shows = verbose || cli.err.isTerminal;
  const plan = new PlanProgress(cli.lang);
  const watch = (event: ReinEvent) => {
    if (event.type === 'warning') cli.warn(event.warning);
    if (shows) for (const line of [...progressLines(event, cli.lang), ...plan.lines(event)]) cli.err.line(line);
  };
  const resultOf = (outcome: RunOutcome, durationMs: number) => {
    return toResult(outcome, durationMs, outcome.error && renderError(outcome.error, cli.lang).message);
  };

  switch (outputFormat) {
    case 'text':
      return {
        event: watch,
        end: (outcome) => {
          if (!isSuccess(outcome)) return;
          if (outcome.structured !== undefined) cli.out.json(outcome.structured);
          else if (outcome.text.trim() !== '') cli.out.line(outcome.text);
        },
      };
    case 'json':
      return { event: watch, end: (outcome, durationMs) => cli.out.json(resultOf(outcome, durationMs)) };
    case 'events':
      return {
        event: (event) => {
          watch(event);
          cli.out.json(event);
        },
        end: () => {},
      };
    case 'stream-json': {
      const { tools, commands } = await harness.extensions();
      const { skillNames } = await import('../../../harness/doors/skills.ts');
      const stream = new StreamJson(
        {
          session,
          cwd: harness.cwd,
          tools: tools.filter(({ problem }) => !problem).map(({ name }) => name),
          permissionMode: harness.config.permissions.mode,
          // The first line has to say it, so here it is tried before the first command.
          sandbox: await levelOf(harness),
          commands: [...commands.keys()],
          skills: await skillNames(harness),
          agents: [...(await harness.agents()).keys()].sort(),
        },
        { partial: includePartialMessages },
      );
      return {
        event: (event) => {
          watch(event);
          for (const line of stream.lines(event)) cli.out.json(line);
        },
        end: (outcome, durationMs) => cli.out.json(resultOf(outcome, durationMs)),
      };
    }
  }
}

/** A sandbox that is required and missing ends the run when a command is due; until then there is none. */
async function levelOf(harness: Harness): Promise<string> {
  return harness.sandbox().then(
    ({ level }) => level,
    () => 'none',
  );
}
