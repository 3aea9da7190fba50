/** Lines that a person types, or that a pipe brings: kept in order until somebody asks for the next one. */
import { createInterface, type Interface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { visibleName } from '../../../lib/text/visible.ts';
import { foldLines, pasteMarks, unfoldLines, withoutJoin } from './several-lines.ts';

/** Lines that a person types, or that come out of a pipe, one at a time. */
export class Lines {
  readonly #reader: Interface;
  readonly #isTerminal: boolean;
  readonly #waiting: string[] = [];
  #taker: ((line: string | undefined) => void) | undefined;
  #ended = false;
  /** What a word may become with Tab. */
  #words: readonly string[] = [];
  /** Lines that said the next one belongs to them. */
  #begun = '';

  /** `onInterrupt` is called for Ctrl-C on a terminal. */
  constructor(isTerminal: boolean, onInterrupt: () => void) {
    this.#isTerminal = isTerminal;
    const keys = isTerminal ? openKeys() : undefined;
    const output = isTerminal ? process.stdout : undefined;
    const completer = (line: string) => [this.#words.filter((word) => word.startsWith(line)), line];
    const input = keys?.input ?? process.stdin;
    this.#reader = createInterface({
      input,
      output,
      terminal: isTerminal,
      prompt: '',
      ...(isTerminal && { completer }),
    });
    this.#reader.on('SIGINT', onInterrupt);
    this.#reader.on('SIGCONT', () => keys?.begin());
    this.#reader.on('line', (line) => this.#arrive(line));
    this.#reader.on('close', () => {
      keys?.end();
      this.#ended = true;
      this.#taker?.(undefined);
    });
  }

  /** A person types, who sees what is asked. */
  get isTerminal(): boolean {
    return this.#isTerminal;
  }

  /** From now on a line that begins one of these is completed to it with Tab. */
  complete(words: readonly string[]): void {
    this.#words = words;
  }

  #arrive(typed: string): void {
    const part = this.#isTerminal ? withoutJoin(typed) : undefined;
    if (part !== undefined) {
      this.#begun += `${part}\n`;
      this.#reader.setPrompt('… ');
      this.#reader.prompt();
      return;
    }
    const line = this.#isTerminal ? this.#begun + unfoldLines(typed) : typed;
    this.#begun = '';
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
    const giveUp = () => {
      this.#empty();
      if (this.#isTerminal) process.stdout.write('\n');
      resolve(undefined);
    };
    this.#taker = resolve;
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      this.#taker = undefined;
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Drops what was typed ahead on a terminal, up to now: it was not meant as an answer to what is asked. Resolves with
   * what it was, empty for nothing.
   */
  async forget(): Promise<string> {
    if (!this.#isTerminal) return '';
    // What the system holds is read between two turns of the loop.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    const dropped = [...this.#waiting, this.#begun + unfoldLines(this.#reader.line)].join('\n').trim();
    this.#waiting.length = 0;
    this.#empty();
    return dropped;
  }

  /** Takes out what is typed and not yet sent: to the end of the line, then all before it. */
  #empty(): void {
    if (!this.#isTerminal || this.#ended) return;
    this.#begun = '';
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
  }

  close(): void {
    this.#reader.close();
  }
}

/**
 * What is typed on the terminal, key by key, with what is pasted marked as such; `end` leaves the terminal as it was, and
 * so does the end of the process.
 */
function openKeys() {
  const { stdin, stdout } = process;
  const fold = foldLines();
  const decoder = new StringDecoder('utf8');
  const input = new PassThrough({ encoding: 'utf8' });
  const pass = (bytes: Buffer) => void input.write(fold(decoder.write(bytes)));
  const unmark = () => void stdout.write(pasteMarks.off);
  const finish = () => input.end();
  const begin = () => {
    stdin.setRawMode(true);
    stdout.write(pasteMarks.on);
  };
  begin();
  // Paused by whoever asked before.
  stdin.on('data', pass).once('end', finish).resume();
  process.once('exit', unmark);
  return {
    input,
    begin,
    end: () => {
      stdin.off('data', pass).off('end', finish).pause();
      stdin.setRawMode(false);
      process.off('exit', unmark);
      unmark();
    },
  };
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
