/** OpenRouter, by its Chat Completions endpoint. */
import { defineProvider } from '../../protocol/provider.ts';
import { createChatCodec } from './_chat.ts';
import { createWireProvider } from './_wire.ts';

const defaultBaseUrl = 'https://openrouter.ai/api/v1';

export default defineProvider({
  name: 'openrouter',
  envPrefix: 'OPENROUTER',
  defaultModel: 'anthropic/claude-sonnet-4.5',
  defaultBaseUrl,
  create: (options) =>
    createWireProvider({
      name: 'openrouter',
      codec: createChatCodec({
        effort: (effort) => ({ reasoning: effort === 'off' ? { enabled: false } : { effort } }),
        maxTokensField: 'max_tokens',
      }),
      options: { ...options, baseUrl: options.baseUrl ?? defaultBaseUrl },
    }),
});
