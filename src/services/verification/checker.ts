/** Puts success criteria to the test in the working folder, and takes the fingerprint that proof refers to. */
import { createHash } from 'node:crypto';
import { ReinError } from '../../protocol/errors.ts';
import type { ToolHost } from '../../protocol/host.ts';
import type { Check, CheckResult } from '../../protocol/plan.ts';

const outputBytes = 4000;
const timeoutSeconds = 600;

export interface CheckerHost extends ToolHost {
  /** Cleans what is kept of a command's output. */
  redact(text: string): string;
}

/** Nothing here asks or judges: who calls has the right to. A check that cannot run is one that failed. */
export function createChecker({ workspace, commands, redact }: CheckerHost): {
  run(check: Check, signal: AbortSignal): Promise<CheckResult>;
  fingerprint(signal: AbortSignal): Promise<string>;
} {
  return { run, fingerprint };

  async function run(check: Check, signal: AbortSignal): Promise<CheckResult> {
    const { criterion } = check;
    try {
      if ('command' in check) return { criterion, ...(await runCommand(check.command, signal)) };
      if ('file_exists' in check) return { criterion, ...(await exists(check.file_exists)) };
      return { criterion, ...(await matches(check.file_matches, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      return { criterion, ok: false, notRun: true, output: ReinError.from(error).message };
    }
  }

  async function runCommand(command: string, signal: AbortSignal): Promise<Omit<CheckResult, 'criterion'>> {
    const ended = await commands.run({ command, timeoutSeconds, signal });
    signal.throwIfAborted();
    const output = tail(redact(ended.output).toWellFormed());
    if (ended.timedOut) return { ok: false, notRun: true, output: `ended after ${ended.timeoutSeconds} s\n${output}` };
    if (ended.exit === null) return { ok: false, notRun: true, output: `ended by ${ended.signal}\n${output}` };
    return { ok: ended.exit === 0, exit: ended.exit, output };
  }

  async function exists(path: string): Promise<Omit<CheckResult, 'criterion'>> {
    try {
      const { kind, size } = await workspace.info(path);
      return { ok: true, output: `${path}: ${kind}, ${size} bytes` };
    } catch (error) {
      if (!isMissing(error)) throw error;
      return { ok: false, output: `${path} does not exist` };
    }
  }

  async function matches(
    { path, pattern }: { path: string; pattern: string },
    signal: AbortSignal,
  ): Promise<Omit<CheckResult, 'criterion'>> {
    const found = await exists(path);
    if (!found.ok) return found;
    const { matches: lines } = await workspace.search({ pattern, path, maxMatches: 1, signal });
    const [first] = lines;
    return first
      ? { ok: true, output: `${path}:${first.line}: ${first.text}` }
      : { ok: false, output: `${path}: no line matches ${pattern}` };
  }

  /** SHA-256 over the paths and contents of all files that are not ignored. */
  async function fingerprint(signal: AbortSignal): Promise<string> {
    const all = createHash('sha256');
    for await (const path of workspace.walk('.', signal)) {
      const one = createHash('sha256');
      try {
        for await (const piece of workspace.readPieces(path, signal)) one.update(piece);
      } catch {
        // What cannot be read counts as a file without content: it still has its name.
        signal.throwIfAborted();
      }
      all.update(`${path}\0${one.digest('hex')}\n`);
    }
    return all.digest('hex');
  }
}

function isMissing(error: unknown): boolean {
  return ReinError.is(error) && error.code === 'E_FILE' && /^(ENOENT|ENOTDIR)$/.test(String(error.params.errno));
}

function tail(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > outputBytes ? `... ${trimmed.slice(-outputBytes).toWellFormed()}` : trimmed;
}
