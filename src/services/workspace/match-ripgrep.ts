/** Matches lines with ripgrep. It is told which files to read, takes no configuration and follows nothing by itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ReinError } from '../../protocol/errors.ts';
import type { Batch, Found, Matcher } from './matcher.ts';

const flags = [
  '--no-config',
  '--no-messages',
  '--no-heading',
  '--with-filename',
  '--null',
  '--color=never',
  '--max-columns=500',
  '--max-columns-preview',
  '--threads=1',
];

/** `program` is the path of ripgrep. Throws `E_PATTERN` for a pattern it does not take. */
export function matchWithRipgrep(program: string): Matcher {
  return async function* (batch) {
    const { pattern, ignoreCase, folder, files, signal, maxMatches } = batch;
    const names = files.map((file) => `./${file}`);
    const mode = maxMatches === undefined ? ['--count'] : ['--line-number', `--max-count=${maxMatches}`];
    const args = [...flags, ...mode, ...(ignoreCase ? ['--ignore-case'] : []), '-e', pattern, '--', ...names];
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {},
      signal,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    child.stderr.on('data', (bytes: Buffer) => {
      if (complaint.length < 2000) complaint += bytes;
    });
    const ended = once(child, 'close');
    // Its failure is read below, after the lines; until then nobody listens.
    ended.catch(() => {});
    try {
      yield* readLines(child.stdout, batch);
      await ended;
      if (complaint !== '')
        throw new ReinError('E_PATTERN', { pattern, detail: complaint.replace(/^rg: /, '').trim() });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      child.kill('SIGKILL');
    }
  };
}

async function* readLines(output: AsyncIterable<Buffer>, { files }: Batch): AsyncGenerator<Found> {
  const known = new Set(files);
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of output) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (true) {
      const nameEnd = rest.indexOf(0);
      const lineEnd = nameEnd < 0 ? -1 : rest.indexOf(10, nameEnd);
      if (lineEnd < 0) break;
      const file = toFile(rest.toString('utf8', 0, nameEnd), known);
      const [, line, text = ''] = /^(\d+)(?::(.*))?$/s.exec(rest.toString('utf8', nameEnd + 1, lineEnd)) ?? [];
      rest = rest.subarray(lineEnd + 1);
      if (file !== undefined && line !== undefined) yield { file, line: Number(line), text: text.replace(/\r$/, '') };
    }
  }
}

/** A remark about a binary file may stand before the name. */
function toFile(text: string, known: ReadonlySet<string>): string | undefined {
  for (let start = 0; ; ) {
    const name = text.slice(start).replace(/^\.\//, '');
    if (known.has(name)) return name;
    const next = text.indexOf('\n', start);
    if (next < 0) return undefined;
    start = next + 1;
  }
}
