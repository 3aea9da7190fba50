/** The naive loop: fetch and JSON, nothing else. */
import { callTool, chatTools, type Loop, type LoopOptions, system } from './loop.ts';
import { createReply, type Reply } from './reply.ts';

export async function createLoop({ baseUrl, model }: LoopOptions): Promise<Loop> {
  return {
    async run(prompt, onText) {
      const messages: object[] = [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ];
      for (;;) {
        const { text, calls } = await ask({ model, stream: true, tools: chatTools, messages }, onText);
        messages.push({ role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) });
        if (calls.length === 0) return text;
        const results = await Promise.all(
          calls.map(async ({ id, function: { name, arguments: json } }) => {
            return { role: 'tool', tool_call_id: id, content: await callTool(name, json) };
          }),
        );
        messages.push(...results);
      }
    },
  };

  async function ask(body: object, onText: (text: string) => void): Promise<Reply> {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify(body),
    });
    const reply = createReply(onText);
    const decoder = new TextDecoder();
    for await (const piece of response.body!) reply.read(decoder.decode(piece, { stream: true }));
    return reply;
  }
}
