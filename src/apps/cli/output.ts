/** An output stream of the process. Nobody reading any more is no error: it ends what is being done, quietly. */
import { visibleText } from '../../lib/text/visible.ts';

/** One of the process's streams. A reader that goes away ends the program quietly; any other failure is `E_OUTPUT`. */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  readonly #closed = new AbortController();
  #failure: Error | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') this.#failure ??= error;
      this.#closed.abort();
    });
  }

  /** Why nothing more can be written, where that is not the reader's wish: a full disk, say. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  get columns(): number {
    return this.#stream.columns ?? 80;
  }

  /** Aborts when what is written arrives nowhere any more. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Text as it is; on a terminal without characters that hide or disguise. */
  write(text: string): void {
    if (this.#closed.signal.aborted || text === '') return;
    this.#stream.write(this.isTerminal ? visibleText(text) : text);
  }

  line(text: string): void {
    this.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Like `write`; resolves when there is room for more, so that a large output waits for its reader. */
  async writeAll(text: string): Promise<void> {
    this.write(text);
    if (this.#stream.writableNeedDrain) await this.flush();
  }

  /** One JSON value on a line of its own. Hidden characters are escaped, which changes nothing for who parses it. */
  json(value: unknown): void {
    this.write(`${toJsonLine(value)}\n`);
  }

  /** Resolves when everything was handed over, or nobody takes it. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed.signal.aborted) return resolve();
      this.#closed.signal.addEventListener('abort', () => resolve(), { once: true });
      this.#stream.write('', () => resolve());
    });
  }
}

const hidden = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(hidden, (character) => {
    const units = character.split('');
    return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  });
}
