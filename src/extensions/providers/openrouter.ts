/** OpenRouter, by its Chat Completions endpoint. */
import { defineProvider } from '../../protocol/define/provider.ts';
import { createByWire } from './_by-wire.ts';

const defaultBaseUrl = 'https://openrouter.ai/api/v1';

export default defineProvider({
  name: 'openrouter',
  envPrefix: 'OPENROUTER',
  defaultModel: 'anthropic/claude-sonnet-4.5',
  defaultBaseUrl,
  create: (options) =>
    createByWire(
      'chat',
      'openrouter',
      { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl },
      {
        effort: (effort) => ({ reasoning: effort === 'off' ? { enabled: false } : { effort } }),
        maxTokensField: 'max_tokens',
      },
    ),
});
