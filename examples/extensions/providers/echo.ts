// A model provider: `$REIN_HOME/providers/echo.ts`. Says back what it is told; use it with `--model echo`.
import { defineProvider } from 'rein';

export default defineProvider({
  name: 'echo',
  defaultModel: 'echo',
  keyless: true,
  create: () => ({
    name: 'echo',
    async *stream({ messages }) {
      const last = messages.findLast((message) => message.role === 'user');
      const text = last?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      yield { type: 'text-delta', text };
      yield { type: 'part', part: { type: 'text', text } };
      yield { type: 'end', stop: 'end', usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 } };
    },
    listModels: async () => [{ id: 'echo' }],
    testConnection: async () => ({ ok: true, detail: 'OK' }),
  }),
});
