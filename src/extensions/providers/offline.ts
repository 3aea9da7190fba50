/** The offline provider: a rule-based model that drives the tools; no key, no network, no tokens. */
import { defineProvider, type ModelInfo } from '../../protocol/define/provider.ts';

const model: ModelInfo = { id: 'rules', prices: { input: 0, output: 0 } };

export default defineProvider({
  name: 'offline',
  defaultModel: 'rules',
  keyless: true,
  async create({ language }) {
    const { stream } = await import('./_offline-stream.ts');
    return {
      name: 'offline',
      stream: (request, signal) => stream(request, signal, language),
      listModels: async () => [model],
      testConnection: async () => ({ ok: true, detail: 'OK' }),
    };
  },
});
