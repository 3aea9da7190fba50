/** The built program on a terminal of its own, as a person has it before them. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CliHome } from './cli-home.ts';

const launcher = join(import.meta.dirname, '../../bin/rein.js');
const longest = 20_000;

export interface Terminal {
  /** Types keys as they are; `\r` is Enter. */
  type(keys: string): void;
  /** Resolves with everything on the screen since the last call, once it matches. Rejects when the program ends or hangs. */
  until(wanted: RegExp): Promise<string>;
  /** All that was written so far, with the sequences that steer the terminal. */
  written(): string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts `rein` on a pseudo terminal of 200 columns, through `script` of util-linux. */
export function startTerminal({ home, workspace, env }: CliHome, args: readonly string[]): Terminal {
  const quoted = [process.execPath, launcher, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty cols 200 rows 50; exec ${quoted}`, '/dev/null'], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      SHELL: '/bin/sh',
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
      HOME: home,
      REIN_HOME: home,
      ...env,
    },
  });
  let screen = '';
  let written = '';
  let change = Promise.withResolvers<void>();
  const changed = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    screen += plain(text);
    changed();
  });
  let isOver = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      isOver = true;
      changed();
      resolve(code);
    });
  });
  return {
    ended,
    written: () => written,
    type: (keys) => void child.stdin.write(keys),
    async until(wanted) {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        changed();
      }, longest);
      try {
        for (;;) {
          const next = change.promise;
          const found = wanted.exec(screen);
          if (found) {
            const seen = screen.slice(0, found.index + found[0].length);
            screen = screen.slice(seen.length);
            return seen;
          }
          if (isOver || isLate) throw new Error(`${isOver ? 'ended' : 'waited'} without ${wanted}:\n${screen}`);
          await next;
        }
      } finally {
        clearTimeout(timer);
      }
    },
    async [Symbol.asyncDispose]() {
      // Nothing is left in the line, and the input ends: what the program still writes, it writes before its folders go.
      if (!isOver) child.stdin.write('\u0005\u0015\u0004');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Without the sequences that move the cursor and colour the text. */
function plain(text: string): string {
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
}
