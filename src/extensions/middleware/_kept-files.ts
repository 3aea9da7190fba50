/** Long texts as files of the session: written once, read back by lines. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LineWindow } from '../tools/_line-window.ts';

/** What a line of a file may have, so that each can be shown whole. */
const longestLine = 500;

/** Long results kept as files below `REIN_HOME`, so that the model can read on where they were cut. */
export class KeptFiles {
  readonly #folder: string;

  /** `home` is `REIN_HOME`. */
  constructor(home: string) {
    this.#folder = join(home, 'sessions');
  }

  /**
   * Stores a text and returns the path of its file. The name ends in a hash of the text: whoever can name it has seen
   * it. Lines that are too long to be shown are broken. Undefined when it cannot be written.
   */
  async keep(session: string, name: string, text: string): Promise<string | undefined> {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const file = join(this.#folder, session, `${name}-${hash}.txt`);
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, broken(text), { mode: 0o600 });
      return file;
    } catch {
      return undefined;
    }
  }

  /** Whether a path is that of a kept file. */
  holds(path: unknown): path is string {
    if (typeof path !== 'string' || !path.startsWith(`${this.#folder}/`)) return false;
    return /^\w[\w.-]*\/[\w-]+-[0-9a-f]{32}\.txt$/.test(path.slice(this.#folder.length + 1));
  }

  /** Numbered lines of a kept file, from `offset` (from 1). Throws what the system says. */
  async read(
    path: string,
    { offset, limit, maxBytes }: { offset: number; limit: number; maxBytes: number },
  ): Promise<string> {
    const window = new LineWindow(offset, limit, maxBytes);
    for await (const piece of createReadStream(path)) window.push(piece as Buffer);
    window.end();
    const last = window.lines.at(-1);
    if (!last) return `offset ${offset} is past the end: the file has ${window.total} lines.`;
    const more = last.number < window.total ? `; go on with offset ${last.number + 1}` : '';
    const lines = window.lines.map(({ number, bytes }) => `${number}\t${bytes.toString('utf8')}`);
    return `${lines.join('\n')}\n[lines ${window.lines[0]!.number}-${last.number} of ${window.total}${more}]`;
  }
}

const piece = new RegExp(`.{1,${longestLine}}`, 'gsu');

function broken(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => (line.length > longestLine ? line.match(piece)!.join('\n') : line)).join('\n');
}
