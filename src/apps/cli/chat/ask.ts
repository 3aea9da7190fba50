/** Lines that a person types, or that a pipe brings: kept in order until somebody asks for the next one. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { visibleName } from '../../../lib/text/visible.ts';

export class Lines {
  readonly #reader: Interface;
  readonly #isTerminal: boolean;
  readonly #waiting: string[] = [];
  #taker: ((line: string | undefined) => void) | undefined;
  #ended = false;

  /** `onInterrupt` is called for Ctrl-C on a terminal. */
  constructor(isTerminal: boolean, onInterrupt: () => void) {
    this.#isTerminal = isTerminal;
    const output = isTerminal ? process.stdout : undefined;
    this.#reader = createInterface({ input: process.stdin, output, terminal: isTerminal, prompt: '' });
    this.#reader.on('SIGINT', onInterrupt);
    this.#reader.on('line', (line) => this.#arrive(line));
    this.#reader.on('close', () => {
      this.#ended = true;
      this.#taker?.(undefined);
    });
  }

  /** A person types, who sees what is asked. */
  get isTerminal(): boolean {
    return this.#isTerminal;
  }

  #arrive(line: string): void {
    const taker = this.#taker;
    // Whoever waits takes one line; what arrives with it is for later.
    this.#taker = undefined;
    if (taker) taker(line);
    else this.#waiting.push(line);
  }

  /**
   * Shows a prompt and takes the next line; `undefined` at the end of the input or when the signal aborts. `given`
   * stands in the line to begin with.
   */
  async next(prompt: string, signal?: AbortSignal, given = ''): Promise<string | undefined> {
    const line = this.#waiting.shift();
    if (line !== undefined || this.#ended || signal?.aborted) return line;
    if (this.#isTerminal) {
      this.#reader.setPrompt(prompt);
      this.#reader.prompt();
      if (given) this.#reader.write(given);
    }
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const giveUp = () => resolve(undefined);
    this.#taker = resolve;
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      this.#taker = undefined;
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** Drops what was typed ahead on a terminal, up to now: it was not meant as an answer to what is asked. */
  async forget(): Promise<void> {
    if (!this.#isTerminal) return;
    // What the system holds is read between two turns of the loop.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    this.#waiting.length = 0;
    // Also what is typed and not yet sent: the end of the line, then all before it.
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
  }

  close(): void {
    this.#reader.close();
  }
}

/** Asks a question on the terminal; true for a yes. */
export function askYes(prompt: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  return new Promise((resolve) => {
    reader.on('close', () => resolve(false));
    reader.on('SIGINT', () => reader.close());
    reader.question(prompt, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      reader.close();
    });
  });
}

/** Asks for one line on the terminal without showing what is typed. Empty when the person gives up. */
export function askHidden(prompt: string): Promise<string> {
  process.stderr.write(visibleName(prompt));
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve) => {
    const end = (line: string) => {
      reader.close();
      process.stderr.write('\n');
      resolve(line);
    };
    reader.once('line', end);
    reader.once('SIGINT', () => end(''));
    reader.once('close', () => resolve(''));
  });
}
