/**
 * A model server that answers at once, so that all time that passes is the client's. Speaks Chat Completions, streamed.
 * The scenario is the model's name: `turns-N`, `layers-N` (turns that use all that Rein has), `parallel-N`, `stream-N`
 * or `args-N` (arguments in N pieces).
 * `/stats` tells what was seen since `/reset`; nothing is analysed before it is asked for.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One conversation (those of sub-agents left out), told apart by `session-<n>` in its prompt. Times in milliseconds of the monotonic clock. */
export interface Conversation {
  /** When each request began to arrive. */
  readonly arrivals: readonly number[];
  /** From the end of an answer until the next request is there as a whole. */
  readonly gaps: readonly number[];
  /** Bytes of each request. */
  readonly sizes: readonly number[];
  /** The smallest share of a request, by units of tools and messages, that the next one kept. */
  readonly kept: number;
}

interface Chat {
  readonly model: string;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

interface Seen {
  readonly body: Buffer;
  readonly started: number;
  readonly arrived: number;
  answered: number;
}

interface Call {
  readonly name: string;
  readonly input: unknown;
}

interface Answer {
  readonly words: readonly string[];
  readonly calls: readonly Call[];
  /** Into how many pieces the arguments are cut. */
  readonly pieces?: number;
}

const now = () => Number(process.hrtime.bigint()) / 1e6;
const toolNames = ({ tools = [] }: Chat) => tools.map((tool) => tool.function.name);
let seen: Seen[] = [];
let calls = 0;

function answerTo(chat: Chat): Answer {
  const [, kind = '', digits = '0'] = /^(\w+)-(\d+)$/.exec(chat.model) ?? [];
  const count = Number(digits);
  const done = chat.messages.filter(({ role }) => role === 'tool').length;
  if (kind === 'turns' && done < count - 1) return { words: [], calls: [readCall(chat, done)] };
  if (kind === 'layers' && done < count - 1 && !isErrand(chat)) {
    return { words: [], calls: [layerCalls[done % 40]?.(done) ?? readCall(chat, done)] };
  }
  if (kind === 'parallel' && done === 0) {
    return { words: [], calls: Array.from({ length: count }, () => ({ name: 'sleep', input: { ms: 50 } })) };
  }
  if (kind === 'args' && done === 0) {
    const text = Array.from({ length: count }, (_, line) => `const v${line % 97} = "x";\n`).join('');
    return { words: [], calls: [{ name: 'echo', input: { text } }], pieces: count };
  }
  if (kind === 'stream') return { words: Array.from({ length: count }, (_, word) => `word${word % 97} `), calls: [] };
  return { words: ['done'], calls: [] };
}

/** What a turn of `layers-N` calls, by its place among forty. */
const layerCalls: Readonly<Record<number, (done: number) => Call>> = {
  3: (done) => {
    const todos = Array.from({ length: 6 }, (_, entry) => ({
      content: `part ${entry} at ${done}`,
      status: 'completed',
    }));
    return { name: 'write_todos', input: { todos } };
  },
  7: (done) => ({ name: 'use_skill', input: { name: `skill-${(done - 7) / 40}` } }),
  13: (done) => ({ name: 'task', input: { agent: 'general', prompt: `The errand of turn ${done}` } }),
  23: (done) => ({ name: 'task', input: { agent: 'general', prompt: `The errand of turn ${done}`, background: true } }),
  33: (done) => ({ name: 'long', input: { line: done } }),
};

/** Whether it is a sub-agent that asks. */
function isErrand({ messages }: Chat): boolean {
  return JSON.stringify(messages.filter(({ role }) => role === 'user')).includes('"The errand of turn');
}

/** The command line has no `echo`; it reads a file of the same size, another part each time. */
function readCall(chat: Chat, done: number): Call {
  if (toolNames(chat).includes('echo')) return { name: 'echo', input: { text: `line ${done}` } };
  return { name: 'read_file', input: { file_path: `file-${done % 10}.txt` } };
}

function toStream(chat: Chat, { words, calls: wanted, pieces = 1 }: Answer, promptBytes: number): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: chat.model };
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  let text = chunk({ role: 'assistant', content: '' });
  for (const content of words) text += chunk({ content });
  wanted.forEach(({ name, input }, index) => {
    const json = JSON.stringify(input);
    const size = Math.ceil(json.length / pieces);
    text += chunk({
      tool_calls: [{ index, id: `call_${++calls}`, type: 'function', function: { name, arguments: '' } }],
    });
    for (let at = 0; at < json.length; at += size) {
      text += chunk({ tool_calls: [{ index, function: { arguments: json.slice(at, at + size) } }] });
    }
  });
  const prompt = Math.ceil(promptBytes / 4);
  const output = Math.max(words.length, 10);
  const usage = { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
  text += chunk({}, wanted.length > 0 ? 'tool_calls' : 'stop');
  return `${text}data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`;
}

function analyse(): Record<string, Conversation> {
  const all = seen.map((one) => ({ ...one, chat: JSON.parse(one.body.toString()) as Chat }));
  const groups = Map.groupBy(
    all.filter(({ chat }) => !isErrand(chat)),
    ({ chat }) => /session-\d+/.exec(JSON.stringify(chat.messages))?.[0] ?? 'session',
  );
  return Object.fromEntries(
    [...groups].map(([name, requests]) => {
      const units = requests.map(({ chat }) =>
        [...(chat.tools ?? []), ...chat.messages].map((unit) => JSON.stringify(unit)),
      );
      return [
        name,
        {
          arrivals: requests.map((request) => request.started),
          gaps: requests.slice(1).map((request, index) => request.arrived - requests[index]!.answered),
          sizes: requests.map(({ body }) => body.length),
          kept: Math.min(1, ...units.slice(1).map((next, index) => keptOf(units[index]!, next))),
        },
      ];
    }),
  );
}

function keptOf(before: readonly string[], after: readonly string[]): number {
  const sizeOf = (units: readonly string[]) => units.reduce((sum, unit) => sum + unit.length, 0);
  const index = before.findIndex((unit, at) => unit !== after[at]);
  return index < 0 ? 1 : sizeOf(before.slice(0, index)) / sizeOf(before);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

const server = createServer(async (request, response) => {
  const started = now();
  if (request.url === '/reset') {
    seen = [];
    response.end();
  } else if (request.url === '/stats') response.end(JSON.stringify(analyse()));
  else {
    const body = await readBody(request);
    const one = { body, started, arrived: now(), answered: 0 };
    seen.push(one);
    const chat: Chat = JSON.parse(body.toString());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = toStream(chat, answerTo(chat), body.length);
    one.answered = now();
    response.end(text);
  }
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
