/** Matches lines where there is no ripgrep. Files have a little time only, because JavaScript's patterns may explode. */
import { type Context, createContext, Script } from 'node:vm';
import { ReinError } from '../../protocol/errors.ts';
import type { Batch, Found, OpenedFile } from './matcher.ts';
import { readRange } from './read.ts';

const maxColumns = 500;
/** So much text is matched at once: to start the clock costs more than to match a small file. */
const groupSize = 1_000_000;
const groupMs = 500;

// Runs apart, since only a script can be stopped in the middle of a pattern.
const script = new Script(`JSON.stringify(texts.map((text) => {
  const found = [];
  const lines = text.split('\\n');
  if (lines.at(-1) === '') lines.pop();
  for (const [index, whole] of lines.entries()) {
    const line = whole.endsWith('\\r') ? whole.slice(0, -1) : whole;
    if (expression.test(line) && found.push([index + 1, line]) === most) break;
  }
  return found;
}))`);

type FoundLines = readonly (readonly [line: number, text: string])[];

/** A `Matcher`. Throws `E_PATTERN`, and `E_TIMEOUT` for a pattern that takes too long. */
export async function* matchWithJavaScript(batch: Batch): AsyncGenerator<Found> {
  const counting = batch.maxMatches === undefined;
  const context = createContext({ expression: compile(batch), most: batch.maxMatches, texts: [] });
  for await (const { files, texts } of groups(batch)) {
    const found = matchLines(context, texts);
    for (const [index, file] of files.entries()) {
      const lines = found[index]!;
      if (!counting) for (const [line, text] of lines) yield { file, line, text: cut(text) };
      else if (lines.length > 0) yield { file, line: lines.length, text: '' };
    }
  }
}

function compile({ pattern, ignoreCase }: Batch): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? 'i' : '');
  } catch (error) {
    throw new ReinError('E_PATTERN', { pattern, detail: (error as Error).message }, error);
  }
}

async function* groups({ files, signal }: Batch): AsyncGenerator<{ files: string[]; texts: string[] }> {
  let group = { files: [] as string[], texts: [] as string[] };
  let size = 0;
  for (const one of files) {
    signal.throwIfAborted();
    const text = await readText(one);
    if (text === undefined) continue;
    group.files.push(one.file);
    group.texts.push(text);
    size += text.length;
    if (size < groupSize) continue;
    yield group;
    group = { files: [], texts: [] };
    size = 0;
  }
  yield group;
}

/** Undefined for what is no text. */
async function readText({ fd, size }: OpenedFile): Promise<string | undefined> {
  const bytes = await readRange(fd, 0, size);
  return bytes.subarray(0, 8192).includes(0) ? undefined : new TextDecoder().decode(bytes);
}

function matchLines(context: Context, texts: readonly string[]): readonly FoundLines[] {
  context.texts = texts;
  try {
    return JSON.parse(script.runInContext(context, { timeout: groupMs }) as string) as FoundLines[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new ReinError('E_TIMEOUT', { limit: groupMs / 1000 }, error);
  }
}

function cut(line: string): string {
  return line.length <= maxColumns ? line : `${line.slice(0, maxColumns)} [... omitted end of long line]`;
}
