/**
 * Matches lines with ripgrep. It gets the files open and finds none by name, so that what is renamed meanwhile cannot lead
 * it elsewhere; it takes no configuration.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
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

/** Where a program finds its open files. */
const door = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd';
const firstFile = 3;

/** `program` is the path of ripgrep. Throws `E_PATTERN` for a pattern it does not take. */
export function matchWithRipgrep(program: string): Matcher {
  return async function* (batch) {
    const { pattern, ignoreCase, files, signal, maxMatches } = batch;
    // Told of no file it would take all that lie around it.
    if (files.length === 0) return;
    const names = files.map((_, index) => `${door}/${firstFile + index}`);
    const mode = maxMatches === undefined ? ['--count'] : ['--line-number', `--max-count=${maxMatches}`];
    const args = [...flags, ...mode, ...(ignoreCase ? ['--ignore-case'] : []), '-e', pattern, '--', ...names];
    const child = spawn(program, args, {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', ...files.map(({ fd }) => fd)],
      env: {},
      signal,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      if (complaint.length < 2000) complaint += bytes;
    });
    const ended = once(child, 'close');
    // Its failure is read below, after the lines; until then nobody listens.
    ended.catch(() => {});
    try {
      yield* readLines(child.stdout as Readable, batch);
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
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of output) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (true) {
      const nameEnd = rest.indexOf(0);
      const lineEnd = nameEnd < 0 ? -1 : rest.indexOf(10, nameEnd);
      if (lineEnd < 0) break;
      const file = toFile(rest.toString('utf8', 0, nameEnd), files);
      const [, line, text = ''] = /^(\d+)(?::(.*))?$/s.exec(rest.toString('utf8', nameEnd + 1, lineEnd)) ?? [];
      rest = rest.subarray(lineEnd + 1);
      if (file !== undefined && line !== undefined) yield { file, line: Number(line), text: text.replace(/\r$/, '') };
    }
  }
}

/** A remark about a binary file may stand before the name. */
function toFile(text: string, files: Batch['files']): string | undefined {
  const [, number] = /\/(\d+)$/.exec(text) ?? [];
  return number === undefined ? undefined : files[Number(number) - firstFile]?.file;
}
