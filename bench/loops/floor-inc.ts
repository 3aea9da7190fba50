/**
 * The fastest loop we know: a kept connection of node:http, and a history that is kept as encoded bytes, so that a
 * turn encodes only what is new. It checks nothing, stores nothing and gives up at the first error.
 */
import { callTool, chatTools, type Loop, type LoopOptions, system } from './loop.ts';
import { createReply, type Reply } from './reply.ts';

// Importing the module would load a second HTTP client with it.
const { Agent, request } = process.getBuiltinModule('node:http');
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const ending = Buffer.from(']}');

export async function createLoop({ baseUrl, model }: LoopOptions): Promise<Loop> {
  const url = new URL(`${baseUrl}/chat/completions`);
  return {
    async run(prompt, onText) {
      const first = [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ];
      const opening = JSON.stringify({ model, stream: true, tools: chatTools, messages: first });
      let history = [Buffer.from(opening.slice(0, -ending.length))];
      for (;;) {
        const { text, calls } = await ask(url, history, onText);
        if (calls.length === 0) return text;
        const results = await Promise.all(
          calls.map(async ({ id, function: { name, arguments: json } }) => {
            return { role: 'tool', tool_call_id: id, content: await callTool(name, json) };
          }),
        );
        const added = JSON.stringify([{ role: 'assistant', content: text, tool_calls: calls }, ...results]);
        history.push(Buffer.from(`,${added.slice(1, -1)}`));
        if (history.length > 16) history = [Buffer.concat(history)];
      }
    },
  };
}

function ask(url: URL, history: readonly Buffer[], onText: (text: string) => void): Promise<Reply> {
  const length = history.reduce((sum, bytes) => sum + bytes.length, ending.length);
  const headers = { 'content-type': 'application/json', authorization: 'Bearer x', 'content-length': length };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: 'POST', headers }, (response) => {
      const reply = createReply(onText);
      response.setEncoding('utf8');
      response.on('data', (piece: string) => reply.read(piece));
      response.on('end', () => resolve(reply));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.cork();
    for (const bytes of history) outgoing.write(bytes);
    outgoing.end(ending);
    outgoing.uncork();
  });
}
