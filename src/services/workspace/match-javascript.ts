/** Matches lines where there is no ripgrep. Each file has a little time only, because JavaScript's patterns may explode. */
import { type Context, createContext, Script } from 'node:vm';
import { ReinError } from '../../protocol/errors.ts';
import type { Batch, Found } from './search.ts';

const maxFileSize = 10_000_000;
const maxColumns = 500;
const fileMs = 500;

// Runs apart, since only a script can be stopped in the middle of a pattern.
const script = new Script(`(() => {
  const found = [];
  const lines = text.split('\\n');
  if (lines.at(-1) === '') lines.pop();
  for (const [index, whole] of lines.entries()) {
    const line = whole.endsWith('\\r') ? whole.slice(0, -1) : whole;
    if (expression.test(line) && found.push([index + 1, line]) === most) break;
  }
  return JSON.stringify(found);
})()`);

export async function* matchWithJavaScript(batch: Batch): AsyncGenerator<Found> {
  const { workspace, folder, files, signal, maxMatches: most } = batch;
  // One context for all files: making one takes longer than matching.
  const context = createContext({ expression: compile(batch), most, text: '' });
  for (const file of files) {
    signal.throwIfAborted();
    const text = await readText(workspace, `${folder}/${file}`);
    if (text === undefined) continue;
    const found = matchLines(context, text);
    if (most !== undefined) for (const [line, one] of found) yield { file, line, text: cut(one) };
    else if (found.length > 0) yield { file, line: found.length, text: '' };
  }
}

function compile({ pattern, ignoreCase }: Batch): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? 'i' : '');
  } catch (error) {
    throw new ReinError('E_PATTERN', { pattern, detail: (error as Error).message }, error);
  }
}

/** Undefined for what is no text, too large, or gone. */
async function readText(workspace: Batch['workspace'], path: string): Promise<string | undefined> {
  try {
    const { bytes } = await workspace.readWhole(path, maxFileSize);
    return bytes.subarray(0, 8192).includes(0) ? undefined : new TextDecoder().decode(bytes);
  } catch (error) {
    if (ReinError.is(error)) return undefined;
    throw error;
  }
}

function matchLines(context: Context, text: string): [number, string][] {
  context.text = text;
  try {
    return JSON.parse(script.runInContext(context, { timeout: fileMs }) as string) as [number, string][];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new ReinError('E_TIMEOUT', { seconds: fileMs / 1000 }, error);
  }
}

function cut(line: string): string {
  return line.length <= maxColumns ? line : `${line.slice(0, maxColumns)} [... omitted end of long line]`;
}
