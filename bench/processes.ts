/** The processes of a benchmark: the model server, measured loops, and the program itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Measurement } from './measure.ts';
import type { Conversation } from './server.ts';

export class ModelServer {
  readonly baseUrl: string;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: string) {
    this.#process = child;
    this.baseUrl = `http://127.0.0.1:${port}/v1`;
  }

  static async start(file: string): Promise<ModelServer> {
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = await once(createInterface(child.stdout), 'line');
    return new ModelServer(child, port);
  }

  async reset(): Promise<void> {
    await fetch(new URL('/reset', this.baseUrl));
  }

  /** What was seen since the last reset, by session. */
  async conversations(): Promise<Conversation[]> {
    const response = await fetch(new URL('/stats', this.baseUrl));
    return Object.values((await response.json()) as Record<string, Conversation>);
  }

  stop(): void {
    this.#process.kill();
  }
}

/** Milliseconds of the clock that all processes of the machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Runs a Node program to its end; returns what it printed. Throws with its errors when it fails. */
export async function runNode(
  args: readonly string[],
  options: { env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: options.cwd, env: { PATH: process.env.PATH, ...options.env } });
  child.stdin.end();
  const [out, err, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${err}`);
  return out;
}

export interface Run {
  readonly loop: string;
  readonly model: string;
  readonly sessions?: number;
  readonly folder: string;
}

/** Measures one loop in a process of its own. */
export async function measure(file: string, server: ModelServer, run: Run): Promise<Measurement> {
  return JSON.parse(await runNode([file, run.loop, run.model, String(run.sessions ?? 1), server.baseUrl, run.folder]));
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}
