/** One call of the program: reads the arguments, runs what was typed, says what went wrong, leaves with the exit code. */
import { exitCodes, ReinError } from '../../protocol/errors.ts';
import { renderError } from '../../services/i18n/translate.ts';
import { Cli } from './cli.ts';
import { outputFormats, readOptions, type Values } from './flags.ts';
import { readPlainFlags } from './plain-flags.ts';
import { exitOfError, toFailure } from './print/result.ts';
import type { HelpRequest, Program } from './program.ts';

/** Never returns: the process ends. */
export async function start(argv: readonly string[]): Promise<void> {
  const started = performance.now();
  const cli = new Cli();
  const values = readPlainFlags(argv);
  await (values ? runFlags(cli, values, started) : runTyped(cli, argv, started));
  await cli.close();
  await cli.out.flush();
  if (cli.out.failure) {
    // Whoever reads the file must not take it for the whole.
    cli.exit = exitCodes.error;
    cli.showError(new ReinError('E_OUTPUT', { detail: cli.out.failure.message }));
  }
  await cli.err.flush();
  process.exit(cli.exit);
}

async function runFlags(cli: Cli, values: Values, started: number): Promise<void> {
  try {
    cli.options = readOptions(values);
    await runMain(cli);
  } catch (error) {
    await fail(cli, values, error, started);
  }
}

async function runTyped(cli: Cli, argv: readonly string[], started: number): Promise<void> {
  const { createProgram, HelpRequest } = await import('./program.ts');
  const program = createProgram(cli, () => runMain(cli));
  try {
    await program.run(argv);
  } catch (error) {
    if (error instanceof HelpRequest) await showHelp(cli, program, { error, argv });
    else await fail(cli, program.root.opts(), error, started);
  }
}

/** What runs without a command: a conversation where there is somebody to talk to, else one answer. */
async function runMain(cli: Cli): Promise<void> {
  const { print, inputFormat } = cli.options;
  if (print === undefined && inputFormat === 'text' && process.stdin.isTTY && cli.out.isTerminal) {
    const { converse } = await import('./chat/converse.ts');
    return converse(cli);
  }
  const { printRun } = await import('./print/run.ts');
  await printRun(cli);
}

async function fail(cli: Cli, values: Values, thrown: unknown, started: number): Promise<void> {
  const error = ReinError.from(thrown);
  await cli.settle(values.lang);
  cli.exit = exitOfError(error);
  if (cli.out.closed.aborted) return;
  const format = outputFormats.find((each) => each === values.outputFormat);
  const { message } = renderError(error, cli.lang);
  if (format === 'events') cli.out.json({ v: 1, time: Date.now(), type: 'error', error: error.toData() });
  else if (format !== undefined && format !== 'text') {
    cli.out.json(toFailure(error.code, message, Math.round(performance.now() - started)));
  }
  cli.showError(error);
  if (values.verbose === true) await cli.showCauses(error);
}

async function showHelp(
  cli: Cli,
  { root, loadFor }: Program,
  { error, argv }: { error: HelpRequest; argv: readonly string[] },
) {
  await cli.settle(root.opts().lang);
  await loadFor(error.command);
  const { renderHelp } = await import('./help.ts');
  const isWanted = argv[0] === 'help' || argv.some((word) => word === '-h' || word === '--help');
  cli.exit = isWanted ? exitCodes.ok : exitCodes.usage;
  (isWanted ? cli.out : cli.err).write(renderHelp(error.command, cli.lang, cli.out.columns));
}
