/** Puts success criteria to the test in the working folder, and takes the fingerprint that proof refers to. */
import { ReinError } from '../../protocol/errors.ts';
import type { ToolHost } from '../../protocol/host.ts';
import type { Check, CheckResult } from '../../protocol/plan.ts';
import { createFingerprints } from './fingerprint.ts';

const outputBytes = 4000;
const timeoutSeconds = 600;

export interface CheckerHost extends ToolHost {
  /** Cleans what is kept of a command's output. */
  redact(text: string): string;
}

type Finding = Omit<CheckResult, 'criterion'>;

/** Nothing here asks or judges: who calls has the right to. A check that cannot run is one that failed. */
export function createChecker(host: CheckerHost): {
  run(check: Check, signal: AbortSignal): Promise<CheckResult>;
} & ReturnType<typeof createFingerprints> {
  return {
    run: async (check, signal) => ({ criterion: check.criterion, ...(await find(host, check, signal)) }),
    ...createFingerprints(host.workspace),
  };
}

async function find(host: CheckerHost, check: Check, signal: AbortSignal): Promise<Finding> {
  try {
    if ('command' in check) return await runCommand(host, check.command, signal);
    if ('file_exists' in check) return await exists(host, check.file_exists);
    return await matches(host, check.file_matches, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, notRun: true, output: ReinError.from(error).message };
  }
}

async function runCommand({ commands, redact }: CheckerHost, command: string, signal: AbortSignal): Promise<Finding> {
  const ended = await commands.run({ command, timeoutSeconds, signal });
  signal.throwIfAborted();
  const output = tail(redact(ended.output).toWellFormed());
  if (ended.timedOut) return { ok: false, notRun: true, output: `ended after ${ended.timeoutSeconds} s\n${output}` };
  if (ended.exit === null) return { ok: false, notRun: true, output: `ended by ${ended.signal}\n${output}` };
  return { ok: ended.exit === 0, exit: ended.exit, output };
}

async function exists({ workspace }: CheckerHost, path: string): Promise<Finding> {
  try {
    const { kind, size } = await workspace.info(path);
    return { ok: true, output: `${path}: ${kind}, ${size} bytes` };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { ok: false, output: `${path} does not exist` };
  }
}

async function matches(
  host: CheckerHost,
  { path, pattern }: { path: string; pattern: string },
  signal: AbortSignal,
): Promise<Finding> {
  const found = await exists(host, path);
  if (!found.ok) return found;
  const { matches: lines } = await host.workspace.search({ pattern, path, maxMatches: 1, signal });
  const [first] = lines;
  return first
    ? { ok: true, output: `${path}:${first.line}: ${first.text}` }
    : { ok: false, output: `${path}: no line matches ${pattern}` };
}

function isMissing(error: unknown): boolean {
  return ReinError.is(error) && error.code === 'E_FILE' && /^(ENOENT|ENOTDIR)$/.test(String(error.params.errno));
}

function tail(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > outputBytes ? `... ${trimmed.slice(-outputBytes).toWellFormed()}` : trimmed;
}
